"""JSON lines, thousands at a time: read where nothing about them is in doubt, else handed back as they came.

What this reads it reads as Spark's own parser does, in a third of the time; what it does not read is left to that one,
and with it all that there is to say of faults.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json
from numpy.typing import NDArray

from ingest.fields import FIELDS, TIMES, UNREAD

NUMBERS = (*TIMES, "sample_every")
TYPES = pa.schema([(field, pa.float64() if field in NUMBERS else pa.string()) for field in FIELDS])
COLUMNS = ", ".join(f"{name} {'double' if name in NUMBERS else 'string'}" for name in (*FIELDS, UNREAD))
# One batch is one block: it is small, and Spark runs as many of these at a time as there are processors.
READING = pyarrow.json.ReadOptions(use_threads=False, block_size=2**31 - 1)
PARSING = pyarrow.json.ParseOptions(explicit_schema=TYPES, unexpected_field_behavior="ignore")


def read_plain_lines(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches of one column, the lines -> FIELDS, and `unread`: the line where it was not read, else null."""
    for batch in batches:
        lines = batch.column(0)
        is_read = find_plain(lines)
        columns = read_together(lines.filter(pa.array(is_read)))
        if columns is None:
            is_read[:] = False
            columns = [pa.array([], field.type) for field in TYPES]
        if not is_read.all():
            places = pa.array(np.cumsum(is_read) - 1, mask=~is_read)
            columns = [column.take(places) for column in columns]
        unread = pa.nulls(len(lines), pa.string()) if is_read.all() else pc.if_else(is_read, None, lines)
        yield pa.RecordBatch.from_arrays([*columns, unread], [*TYPES.names, UNREAD])


def can_read(line: str) -> bool:
    """Whether it is plain: what others are like is guessed from one."""
    batch = pa.record_batch({"line": pa.array([line], pa.string())})
    return bool(next(read_plain_lines(iter([batch]))).column(UNREAD).null_count)


def find_plain(lines: pa.StringArray) -> NDArray[np.bool_]:
    """Whether a line holds no backslash and one closing brace, with which it ends, and begins with a brace.

    At a `null` before the first brace pyarrow's parser aborts the process.
    """
    octets, ends = np.frombuffer(lines.buffers()[2], np.uint8), find_ends(lines)
    marks = np.flatnonzero((octets == ord("}")) | (octets == ord("\\")))
    is_plain: NDArray[np.bool_] = np.diff(np.searchsorted(marks, ends)) == 1
    first, last = ends[:-1][is_plain], ends[1:][is_plain] - 1
    is_plain[is_plain] = (octets[first] == ord("{")) & (octets[last] == ord("}"))
    return is_plain


def find_ends(lines: pa.StringArray) -> NDArray[np.int32]:
    return np.frombuffer(lines.buffers()[1], np.int32)[lines.offset : lines.offset + len(lines) + 1]


def read_together(lines: pa.StringArray) -> list[pa.Array] | None:
    """The fields of plain lines; None where one of them is no object, or a field of another type or not finite.

    Each has one closing brace, at its end: if there are as many objects as lines, each line is one.
    """
    ends = find_ends(lines)
    text = lines.buffers()[2].slice(ends[0], ends[-1] - ends[0])
    try:
        lines.validate(full=True)  # that it is UTF-8
        table = pyarrow.json.read_json(pa.BufferReader(text), READING, PARSING)
    except pa.ArrowInvalid:
        return None
    if len(table) != len(lines) or not all(
        pc.all(pc.is_finite(table.column(name)), min_count=0).as_py() for name in NUMBERS
    ):
        return None
    return [table.column(name).combine_chunks() for name in TYPES.names]
