"""Lines of JSON -> judged records, by DuckDB's parser, which says what is JSON: a trailing comma and NaN are."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from ingest.columns import (
    ROOT,
    UNKNOWN,
    Columns,
    Nanos,
    convert_seconds,
    judge_columns,
    judge_rest,
    query,
    read_texts,
)
from ingest.judge import FIELDS, READERS, TIMES, Bare
from ingest.lines import NOT_UTF8, Lines, read_text, split_lines
from ingest.records import Judged

BROKEN = "not one JSON object"
NUMBER_FIRST = re.compile(rb'"arrived_at"\s*:\s*[-0-9]')
LABELS = dict.fromkeys(READERS, "JSON") | {"tuple_id": "VARCHAR"}
# Times are looked for as numbers first, which takes half the time.
NUMBERS, TEXTS = ({**LABELS, **dict.fromkeys(TIMES, kind)} for kind in ("DOUBLE", "VARCHAR"))


def transform(fields: Mapping[str, str]) -> str:
    """The fields as a struct, null where the line is not one JSON value; of equal keys the first counts."""
    return f"try(json_transform(line, '{json.dumps(fields)}'))"


def judge_json(file: str, block: int, data: bytes) -> Judged:
    """Judges the lines of a block."""
    lines = split_lines(data)
    places, quick = np.arange(len(lines.texts)), []
    for fields in (NUMBERS, TEXTS)[NUMBER_FIRST.search(data, 0, 4096) is None :]:
        if not len(places):
            break
        texts = lines.texts if len(places) == len(lines.texts) else lines.texts.take(places)
        table = query(pa.table({"line": texts}), f"unnest({transform(fields)})")
        roots = query(table.select(["tuple_id"]), ROOT)
        labels = {name: table[name].combine_chunks() for name in READERS}
        times = [read_column(table[name].combine_chunks()) for name in TIMES]
        records, is_quick = judge_columns(Columns(labels, times, roots), read_fragment)
        quick.append(records)
        places = places[~is_quick]
    return judge_rest(file, block, len(lines.texts), quick, read_rest(lines, places.tolist()))


def read_column(column: pa.Array) -> Nanos:
    """Times read as numbers or texts; DuckDB reads true as 1, and false as 0, which are then unknown here."""
    if pa.types.is_string(column.type):
        return read_texts(column)
    nanos = convert_seconds(column.to_numpy(zero_copy_only=False))
    is_odd = nanos <= 10**9
    return np.where(is_odd, UNKNOWN, nanos) if is_odd.any() else nanos


def read_rest(lines: Lines, places: list[int]) -> Iterator[tuple[int, bytes, Mapping[str, Any] | str]]:
    """Place, text, and fields or fault of each line that is not blank."""
    texts = [read_text(lines[place]) for place in places]
    shown = ", ".join(f"found.{name}" for name in FIELDS)
    select = f"{transform(dict.fromkeys(FIELDS, 'JSON'))} AS found, json_type(line) AS kind"
    given = pa.table({"line": pa.array([text and text.strip() for text in texts], pa.string())})
    for place, text, row in zip(places, texts, query(given, select).to_pylist(), strict=True):
        if text is None:
            yield place, lines[place], NOT_UTF8
        elif text.strip():
            yield place, lines[place], read_fields(row["found"]) if row["kind"] == "OBJECT" else BROKEN


def read_fields(fragments: Mapping[str, str | None]) -> dict[str, Any]:
    return {name: read_fragment(fragment) for name, fragment in fragments.items()}


def read_fragment(fragment: str | None) -> Any:
    """The value of a JSON text; an empty list for any array or object, which no field may be."""
    if fragment is None or fragment == "null":
        return None
    if fragment[0] in "[{":
        return []
    return json.loads(fragment) if fragment[0] == '"' else Bare(fragment)
