"""Bytes of a text -> its lines, which end at a line feed."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

BYTE_ORDER_MARK = "\ufeff"
NOT_UTF8 = "not valid UTF-8"


class Lines(NamedTuple):
    """The lines of a text and where they begin and end; `texts` is null where a line is not valid UTF-8."""

    data: bytes
    ends: NDArray[np.int32]
    texts: pa.Array

    def __getitem__(self, place: int) -> bytes:  # type: ignore[override]
        return self.data[self.ends[place] : self.ends[place + 1]]


def split_lines(data: bytes) -> Lines:
    """The lines stay where they are in memory, each with its line feed."""
    marks = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n")) + 1
    last = [] if data.endswith(b"\n") or not data else [len(data)]
    ends = np.concatenate([[0], marks, last]).astype(np.int32)
    texts = pa.StringArray.from_buffers(len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(data))
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        octets = pa.BinaryArray.from_buffers(pa.binary(), len(texts), texts.buffers())
        is_valid = [read_text(line) is not None for line in octets.to_pylist()]
        texts = pc.if_else(pa.array(is_valid), octets, None).cast(pa.string())
    return Lines(data, ends, texts)


def read_text(line: bytes) -> str | None:
    """Without line end and byte order mark; None for bytes that are no text."""
    try:
        return line.decode().rstrip("\r\n").lstrip(BYTE_ORDER_MARK)
    except UnicodeDecodeError:
        return None
