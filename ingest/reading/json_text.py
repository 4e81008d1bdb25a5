"""Lines of JSON -> judged records.

DuckDB's parser says what is JSON: a trailing comma and NaN are. Of equal keys the first counts.
"""

import json
import re
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.reading.columns import (
    UNKNOWN,
    Columns,
    Faults,
    Nanos,
    Rows,
    judge_found,
    query,
    read_roots,
    read_texts,
    read_times,
    to_nanos,
)
from ingest.reading.judge import LABELS, SECOND, TIMES, Bare
from ingest.reading.lines import NOT_UTF8, TextLines, split_lines
from ingest.reading.records import Judged

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
    """The fields of lines; all are null where a line is not JSON."""
    try:
        return query(select, line=lines)
    except (
        duckdb.InvalidInputException
    ):  # DuckDB's own TRY would go on line by line, which takes ten times as long
        return query(select, **query("CASE WHEN json_valid(line) THEN line END AS line", line=lines))


def judge_json(file: str, block: int, data: bytes) -> Judged:
    """Judges the lines of a block."""
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
    """Why lines as a whole are no records."""
    faults: Faults = {}
    for row, kind in zip(rows.tolist(), kinds.to_pylist(), strict=True):
        if kind != "OBJECT":
            text = lines.texts[row].as_py()
            faults[row] = NOT_UTF8 if text is None else BROKEN if text.strip() else None
    return faults


def read_plain(column: pa.Array) -> Nanos:
    """Times that are surely what they seem: DuckDB reads true as 1 and false as 0."""
    nanos = read_texts(column) if pa.types.is_string(column.type) else to_nanos(column)
    return np.where(nanos > SECOND, nanos, UNKNOWN)


def read_fragment(fragment: str | None) -> Any:
    """The value of a JSON text; a list stands for any array or object."""
    if fragment is None or fragment[0] in "[{":
        return fragment and [fragment]
    return json.loads(fragment) if fragment[0] == '"' else Bare(fragment)
