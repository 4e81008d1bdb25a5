"""Files -> blocks that one task reads at a time -> judged records."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pyarrow.parquet as pq

from ingest.json_text import judge_json
from ingest.parquet_rows import MOST_ROWS, read_row_groups
from ingest.records import Judged

MOST_BYTES = 1 << 26


class Block(NamedTuple):
    """A part of a file: bytes, or row groups of a Parquet file, whose first row is number `first`."""

    file: str
    format: str
    begin: int
    end: int
    first: int = 0
    header: str | None = None


def read_block(block: Block) -> Iterator[Judged]:
    """Judges the records of a block, in parts."""
    if block.format == "parquet":
        yield from read_row_groups(block.file, block.file, range(block.begin, block.end), block.first)
        return
    yield judge_json(block.file, block.begin, read_bytes(block))


def read_bytes(block: Block) -> bytes:
    """The lines that begin in a block."""
    with open(block.file, "rb") as file:
        file.seek(max(block.begin - 1, 0))
        data = file.read(block.end - max(block.begin - 1, 0))
        if block.begin:
            data = data[data.find(b"\n") + 1 or len(data) :]
        return data if data.endswith(b"\n") or not data else data + file.readline()
