"""Judges lines of CSV and of JSON: one record per line, and lines end at line feeds.

DuckDB's parser decides which text is JSON: it accepts a trailing comma and NaN. Of equal keys it takes the first.
"""

import csv
import json
import re
from functools import partial
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from numpy.typing import NDArray

from ingest.reading.columns import (
    UNKNOWN,
    Columns,
    Faults,
    Nanos,
    Rows,
    judge_columns,
    judge_found,
    query,
    read_roots,
    read_texts,
    read_times,
    to_nanos,
    try_to_read,
)
from ingest.reading.judge import FIELDS, LABELS, SECOND, TIMES, Bare, Unusable
from ingest.reading.records import Judged

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NOT_UTF8 = "not valid UTF-8"


class TextLines(NamedTuple):
    """The lines of a text: line i is data[ends[i]:ends[i + 1]]; `texts` is null where a line is not valid UTF-8."""

    data: bytes
    ends: NDArray[np.int32]
    texts: pa.Array

    def show(self, rows: list[int]) -> list[str]:
        return [self.cut(row).rstrip(b"\r\n").decode(errors="replace") for row in rows]

    def cut(self, row: int) -> bytes:
        return self.data[self.ends[row] : self.ends[row + 1]]


def split_lines(data: bytes) -> TextLines:
    """Splits a text into lines without copying it; lines keep their line feeds and lose byte order marks."""
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


NO_HEADER = "the first line of the CSV is not a header with known field names"
MISFIT = "not the fields of the CSV header"
OTHER_DELIMITERS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}


def judge_csv(file: str, block: int, data: bytes, header: str) -> Judged:
    """Judges the lines of a block of CSV; a line that repeats the header is not a record."""
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
    """The known columns of CSV lines; null for empty fields and for faulty lines, whose faults are added to `faults`.

    Lines with quotation marks are split one by one.
    """
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
    """The number of times that a character occurs in each line."""
    if mark not in lines.data:
        return np.zeros(len(lines.texts), np.int64)
    places = np.flatnonzero(np.frombuffer(lines.data, np.uint8) == ord(mark))
    return np.diff(np.searchsorted(places, lines.ends))


def split_line(fields: int, text: str | None) -> list[str] | None:
    """The fields of a line; None for a blank line."""
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
    """The wanted columns of lines that have no quotation marks and all the same number of fields."""
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
    """The reason why a header makes all lines unreadable, such as a wrong delimiter or no known field name;
    else None.
    """
    known = {mark: len(set(FIELDS) & set(split_header(header, mark))) for mark in (",", *OTHER_DELIMITERS)}
    best = max(known, key=lambda mark: known[mark])
    if known[best] > known[","]:
        return f"the CSV header is separated by {OTHER_DELIMITERS[best]}, not by commas"
    return None if known[","] else NO_HEADER


NUMBER_FIRST = re.compile(rb'"arrived_at"\s*:\s*[-0-9]')
BROKEN = "not one JSON object"
NESTED = ("ARRAY", "OBJECT")


def transform(names: tuple[str, ...], times: str) -> str:
    types = dict.fromkeys(names, "JSON") | {"tuple_id": "VARCHAR"} | dict.fromkeys(TIMES, times)
    return f"unnest(json_transform(line, '{json.dumps(types)}'))"


# Times are read as numbers first, which takes half the time.
NUMBERS, TEXTS = transform((*LABELS,), "DOUBLE"), transform((*LABELS,), "VARCHAR")
AGAIN = f"{transform((), 'VARCHAR')}, json_type(line) AS kind, json_type(line, '$.tuple_id') AS root_kind"


def parse(select: str, lines: pa.Array) -> dict[str, pa.Array]:
    """The fields of JSON lines; all fields of a line that is not JSON are null."""
    try:
        return query(select, line=lines)
    except duckdb.InvalidInputException:  # DuckDB's TRY works line by line and takes ten times as long
        return query(select, **query("CASE WHEN json_valid(line) THEN line END AS line", line=lines))


def judge_json(file: str, block: int, data: bytes) -> Judged:
    """Judges the lines of a block of JSON."""
    lines = split_lines(data)
    has_numbers = NUMBER_FIRST.search(data, 0, 4096) is not None
    columns = parse(NUMBERS if has_numbers else TEXTS, lines.texts)
    times = [read_plain(columns[name]) for name in TIMES]
    roots, root_faults = read_roots(columns["tuple_id"])
    odd = np.min(times, axis=0) < 0
    odd[list(root_faults)] = True
    looks_nested = pc.match_substring_regex(columns["tuple_id"], r"^[{\[]").fill_null(fill_value=True)
    rows = np.flatnonzero(odd | looks_nested.to_numpy(zero_copy_only=False))
    again = parse(AGAIN, lines.texts.take(rows))
    faults = {"line": find_faults(lines, rows, again["kind"]), "tuple_id": root_faults}
    for row, kind in zip(rows.tolist(), again["root_kind"].to_pylist(), strict=True):
        if kind in NESTED:
            root_faults[row] = "tuple_id is not a string"
    for nanos, name in zip(times, TIMES, strict=True):
        nanos[rows], found = read_times(name, again[name])
        faults[name] = {int(rows[row]): fault for row, fault in found.items()}
    return judge_found((file, block), Columns(columns, times, roots, faults), read_fragment, lines.show)


def find_faults(lines: TextLines, rows: Rows, kinds: pa.Array) -> Faults:
    """The faults of whole lines: not UTF-8, or not one JSON object; a blank line has the fault None."""
    faults: Faults = {}
    for row, kind in zip(rows.tolist(), kinds.to_pylist(), strict=True):
        if kind != "OBJECT":
            text = lines.texts[row].as_py()
            faults[row] = NOT_UTF8 if text is None else BROKEN if text.strip() else None
    return faults


def read_plain(column: pa.Array) -> Nanos:
    """Times from plain JSON values; the first second of 1970 is UNKNOWN, since DuckDB reads true as 1 and
    false as 0.
    """
    nanos = read_texts(column) if pa.types.is_string(column.type) else to_nanos(column)
    return np.where(nanos > SECOND, nanos, UNKNOWN)


def read_fragment(fragment: str | None) -> Any:
    """The value of a JSON text; a list that holds the text stands for any array or object."""
    if fragment is None or fragment[0] in "[{":
        return fragment and [fragment]
    return json.loads(fragment) if fragment[0] == '"' else Bare(fragment)
