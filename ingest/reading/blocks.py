"""Cuts files into blocks, reads the blocks in Spark tasks, and judges their records."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.reading.columns import connect
from ingest.reading.parquet_rows import MOST_ROWS, read_row_groups
from ingest.reading.records import Judged
from ingest.reading.sources import LogFile, Sources
from ingest.reading.text_lines import judge_csv, judge_json

LEAST_BYTES, MOST_BYTES = 1 << 22, 1 << 26
TASK_RECORDS = 200_000
PIECE_BYTES = 1 << 25  # uncompressed bytes of a compressed file that are read at once


class TornFile(Exception):
    """The error that a file is incomplete, or that its content does not match its name."""


class Block(NamedTuple):
    """A part of a file: the lines that begin between two bytes, or some row groups; `first` numbers its first row."""

    file: LogFile
    begin: int
    end: int
    first: int = 0
    header: str = ""


def read_sources(context: Any, sources: Sources) -> Any:  # SparkContext and RDD; a dry run loads no Spark
    """The records of all sources as an RDD of `Judged`."""
    here = [file for file in sources.files if not file.needs_spark]
    text = sum(file.size for file in here if file.format != "parquet")
    blocks = plan_blocks(here, min(max(text // context.defaultParallelism, LEAST_BYTES), MOST_BYTES))
    tasks = max(context.defaultParallelism, sources.count_records() // TASK_RECORDS)
    judged = context.parallelize(blocks, max(1, min(tasks, len(blocks)))).flatMap(read_block)
    there = [file for file in sources.files if file.needs_spark]
    if not there:
        return judged
    from ingest.reading.other_urls import read_by_spark  # noqa: PLC0415  # loads Spark's SQL, which takes a second

    return context.union([judged, *read_by_spark(context, there)])


def plan_blocks(files: Iterable[LogFile], most_bytes: int = MOST_BYTES) -> list[Block]:
    """Cuts the files into blocks of at most `most_bytes` of text or MOST_ROWS rows of Parquet."""
    plans = {"parquet": plan_row_groups, "json": plan_text, "csv": plan_text}
    blocks: list[Block] = []
    for file in files:
        with named(file):
            blocks.extend(plans[file.format](file, most_bytes))
    return blocks


def plan_text(file: LogFile, most_bytes: int) -> Iterator[Block]:
    header = read_header(file) if file.format == "csv" else ""
    # A line of CSV is half as long as a line of JSON.
    step = file.size if file.compression else most_bytes // (2 if header else 1)
    for begin in range(0, file.size, step):
        yield Block(file, begin, min(begin + step, file.size), header=header)


def read_header(file: LogFile) -> str:
    with open_content(file) as content:
        first: bytes = content.read(1 << 16).split(b"\n")[0]
    return first.decode(errors="replace").lstrip("\ufeff").removesuffix("\r")


def plan_row_groups(file: LogFile, _: int) -> Iterator[Block]:
    metadata = pq.read_metadata(file.path)
    begin = first = rows = 0
    for group in range(metadata.num_row_groups):
        more = metadata.row_group(group).num_rows
        if rows and rows + more > MOST_ROWS:
            yield Block(file, begin, group, first)
            begin, first, rows = group, first + rows, 0
        rows += more
    yield Block(file, begin, metadata.num_row_groups, first)


def read_block(block: Block) -> Iterator[Judged]:
    """Judges the records of a block; yields the results piece by piece."""
    connect()
    with named(block.file):
        yield from judge_parts(block)


def judge_parts(block: Block) -> Iterator[Judged]:
    file = block.file
    if file.format == "parquet":
        yield from read_row_groups(file.path, range(block.begin, block.end), block.first)
        return
    judge = partial(judge_csv, header=block.header) if file.format == "csv" else judge_json
    for number, data in (
        read_pieces(file, PIECE_BYTES) if file.compression else [(block.begin, read_lines(block))]
    ):
        if data:  # a block inside a long line is empty
            yield judge(file.path, number, data)


def read_lines(block: Block) -> bytes:
    """The text of the lines that begin in a block."""
    before = min(block.begin, 1)  # the byte before the block shows whether a line begins with the block
    with Path(block.file.path).open("rb") as file:
        file.seek(block.begin - before)
        data = file.read(block.end - block.begin + before)
        if before:
            data = data[data.find(b"\n") + 1 or len(data) :]
        return data if data.endswith(b"\n") or not data else data + file.readline()


def read_pieces(file: LogFile, size: int) -> Iterator[tuple[int, bytes]]:
    """The content of a compressed file in numbered pieces, which end at line ends."""
    rest, number = b"", 0
    with open_content(file) as content:
        while chunk := content.read(size):
            cut = chunk.rfind(b"\n") + 1
            if cut:
                yield number, rest + chunk[:cut]
                rest, number = b"", number + 1
            rest += chunk[cut:]
    if rest:
        yield number, rest


def open_content(file: LogFile) -> pa.NativeFile:
    return pa.input_stream(file.path, compression=file.compression)


@contextmanager
def named(file: LogFile) -> Iterator[None]:
    """Turns errors of reading into TornFile, which names the file."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise TornFile(f"{file.path} cannot be read: {error}") from error
