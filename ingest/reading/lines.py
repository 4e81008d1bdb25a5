"""Bytes of a text -> its lines, which end at a line feed."""

import re
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NOT_UTF8 = "not valid UTF-8"


class TextLines(NamedTuple):
    """The lines of a text and where they begin and end; `texts` is null where a line is not valid UTF-8."""

    data: bytes
    ends: NDArray[np.int32]
    texts: pa.Array

    def show(self, rows: list[int]) -> list[str]:
        return [self.cut(row).rstrip(b"\r\n").decode(errors="replace") for row in rows]

    def cut(self, row: int) -> bytes:
        return self.data[self.ends[row] : self.ends[row + 1]]


def split_lines(data: bytes) -> TextLines:
    """The lines stay where they are in memory, each with its line feed; byte order marks before lines are dropped."""
    if BYTE_ORDER_MARK in data:
        data = re.sub(rb"(?m)^(\xef\xbb\xbf)+", b"", data)
    marks = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n")) + 1
    last = [] if data.endswith(b"\n") or not data else [len(data)]
    ends = np.concatenate([[0], marks, last]).astype(np.int32)
    texts = pa.StringArray.from_buffers(len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(data))
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        octets = pa.BinaryArray.from_buffers(pa.binary(), len(texts), texts.buffers())
        texts = pa.array([read_text(line) for line in octets.to_pylist()], pa.string())
    return TextLines(data, ends, texts)


def read_text(line: bytes) -> str | None:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return None
