"""Lines of CSV -> judged records; a record stands on one line."""

import csv
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from numpy.typing import NDArray

from ingest.reading.columns import Faults, judge_columns, try_to_read
from ingest.reading.judge import FIELDS, Unusable
from ingest.reading.lines import NOT_UTF8, TextLines, split_lines
from ingest.reading.records import Judged

NO_HEADER = "the first line of the CSV is no header with known field names"
MISFIT = "not the fields of the CSV header"
OTHER_DELIMITERS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}


def judge_csv(file: str, block: int, data: bytes, header: str) -> Judged:
    """Judges the lines of a block of a file with this header; a line that is the header again is no record."""
    lines = split_lines(data.replace(b"\r\n", b"\n"))
    found = dict.fromkeys(FIELDS, pa.nulls(len(lines.texts), pa.string()))
    is_header = pc.is_in(lines.texts, pa.array([header, f"{header}\n"])).to_numpy(zero_copy_only=False)
    faults: Faults = dict.fromkeys(np.flatnonzero(is_header).tolist())
    if fault := find_header_fault(header):
        texts = enumerate(lines.texts.to_pylist())
        every = {row: fault if text and text.strip() else None for row, text in texts}
        faults = every if fault == NO_HEADER else every | faults
    else:
        found |= split_fields(lines, split_header(header), faults)
    return judge_columns((file, block), found, faults, lines.show)


def split_fields(lines: TextLines, names: list[str], faults: Faults) -> dict[str, pa.Array]:
    """The known columns, null where empty and in lines that have a fault; odd lines are split one by one."""
    is_plain = lines.texts.is_valid().to_numpy(zero_copy_only=False)
    is_plain = (
        is_plain & (count(lines, b",") == len(names) - 1) & (count(lines, b'"') + count(lines, b"\r") == 0)
    )
    is_plain[list(faults)] = False
    rows, odd = np.flatnonzero(~is_plain), []
    for row, text in zip(rows.tolist(), lines.texts.take(rows).to_pylist(), strict=True):
        fields, fault = (None, None) if row in faults else try_to_read(partial(split_line, len(names)), text)
        odd.append(fields or [None] * len(names))
        if fields is None:
            faults[row] = fault
    wanted = {name: names.index(name) for name in FIELDS if name in names}
    plain = split_plain(
        lines.texts.filter(pa.array(is_plain)) if len(rows) else lines.texts, len(names), wanted
    )
    order = np.argsort(np.concatenate([np.flatnonzero(is_plain), rows]))
    split = {
        name: pa.array([fields[place] or None for fields in odd], pa.string())
        for name, place in wanted.items()
    }
    return {
        name: pa.concat_arrays([plain[name], split[name]]).take(order) if odd else plain[name]
        for name in wanted
    }


def count(lines: TextLines, mark: bytes) -> NDArray[np.int64]:
    """How often the mark stands in each line."""
    if mark not in lines.data:
        return np.zeros(len(lines.texts), np.int64)
    places = np.flatnonzero(np.frombuffer(lines.data, np.uint8) == ord(mark))
    return np.diff(np.searchsorted(places, lines.ends))


def split_line(fields: int, text: str | None) -> list[str] | None:
    """The fields of a line; None for a blank one."""
    if text is None:
        raise Unusable(NOT_UTF8)
    if not text.strip():
        return None
    try:
        found = next(csv.reader([text.rstrip("\n")], strict=True))
    except csv.Error as error:
        raise Unusable(MISFIT) from error
    if len(found) != fields:
        raise Unusable(MISFIT)
    return found


def split_plain(texts: pa.Array, fields: int, wanted: dict[str, int]) -> dict[str, pa.Array]:
    """The wanted columns of lines without quotation marks, all with as many fields."""
    if not len(texts):
        return dict.fromkeys(wanted, pa.array([], pa.string()))
    ends = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset :]
    text = pa.BufferReader(texts.buffers()[2].slice(ends[0], ends[len(texts)] - ends[0]))
    names = [str(place) for place in range(fields)]
    chosen = [names[place] for place in wanted.values()]
    table = pa.csv.read_csv(
        text,
        pa.csv.ReadOptions(use_threads=False, block_size=2**31 - 1, column_names=names),
        pa.csv.ParseOptions(quote_char=False, ignore_empty_lines=False),
        pa.csv.ConvertOptions(
            check_utf8=False,
            column_types=dict.fromkeys(chosen, pa.string()),
            include_columns=chosen,
            null_values=[""],
            strings_can_be_null=True,
        ),
    )
    return {name: table[str(place)].combine_chunks() for name, place in wanted.items()}


def split_header(header: str, delimiter: str = ",") -> list[str]:
    return [name.strip().strip('"').strip() for name in header.split(delimiter)]


def find_header_fault(header: str) -> str | None:
    """Why no line below this header can be read: a delimiter other than a comma, or no known field name."""
    known = {mark: len(set(FIELDS) & set(split_header(header, mark))) for mark in (",", *OTHER_DELIMITERS)}
    best = max(known, key=lambda mark: known[mark])
    if known[best] > known[","]:
        return f"the CSV header is separated by {OTHER_DELIMITERS[best]}, not by commas"
    return None if known[","] else NO_HEADER
