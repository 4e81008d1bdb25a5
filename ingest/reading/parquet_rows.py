"""Judges rows of Parquet files."""

import json
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ingest.reading.columns import UNKNOWN, Faults, judge_columns
from ingest.reading.judge import FIELDS, LABELS, SECOND, TIMES, YEAR_2200
from ingest.reading.records import Judged
from ingest.reading.text_lines import NOT_UTF8, read_text

MOST_ROWS = 400_000
LEAST_NANOS = 10**17  # an integer from here on is a timestamp in nanoseconds, a smaller one in seconds
UNITS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": SECOND}


def read_row_groups(file: str, groups: range, first: int, most: int = MOST_ROWS) -> Iterator[Judged]:
    """Judges row groups of a file; `first` is the number of their first row in the file."""
    metadata = pq.read_metadata(file)
    types = {field.name: field.type for field in metadata.schema.to_arrow_schema()}
    names = [name for name in FIELDS if name in types]
    labels = [name for name in names if name in LABELS and is_text(types[name])]
    parquet = pq.ParquetFile(file, read_dictionary=labels, metadata=metadata)
    for batch in parquet.iter_batches(most, list(groups), names, use_threads=False):
        yield judge_rows(file, first, pa.table(batch))
        first += len(batch)


def judge_rows(file: str, first: int, rows: pa.Table) -> Judged:
    """Judges rows of a file; `first` is the number of the first one in the file."""
    faults: Faults = {}
    found = {name: normalise(name, rows, faults) for name in FIELDS}

    def show(places: list[int]) -> list[str]:
        shown = {name: found[name].take(pa.array(places, pa.int64())) for name in FIELDS}
        for name in TIMES:
            if pa.types.is_integer(
                found[name].type
            ):  # show the value of the file, which is not in nanoseconds
                shown[name] = rows[name].take(pa.array(places, pa.int64())).cast(pa.string())
        return [
            json.dumps({name: row[name] for name in FIELDS if row[name] is not None})
            for row in pa.table(shown).to_pylist()
        ]

    return judge_columns((file, first), found, faults, show)


def is_text(kind: pa.DataType) -> bool:
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    octets = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view)
    return any(is_one(kind) for is_one in (*texts, *octets))


def normalise(name: str, rows: pa.Table, faults: Faults) -> pa.Array:
    """The column as texts; times become nanoseconds, float seconds or texts. Nested values become null."""
    if name not in rows.column_names:
        return pa.nulls(len(rows), pa.string())
    column = rows[name].combine_chunks()
    if pa.types.is_dictionary(column.type):
        if name in LABELS and column.dictionary.type == pa.string() and is_valid(column.dictionary):
            return column
        column = column.dictionary_decode()
    if is_text(column.type):
        return keep_valid(column, faults)
    if name in TIMES and (pa.types.is_timestamp(column.type) or pa.types.is_integer(column.type)):
        return to_nanos(column)
    if pa.types.is_floating(column.type) or pa.types.is_decimal(column.type):
        return column.cast(pa.float64() if name in TIMES else pa.string())
    return pa.nulls(len(rows), pa.string()) if pa.types.is_nested(column.type) else column.cast(pa.string())


def is_valid(texts: pa.Array) -> bool:
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def keep_valid(column: pa.Array, faults: Faults) -> pa.Array:
    """The texts of a column; adds a fault for each value that is not valid UTF-8."""
    texts = column.cast(pa.binary()).view(pa.string())
    if is_valid(texts):
        return texts
    octets = column.cast(pa.binary()).to_pylist()
    faults |= {
        row: NOT_UTF8 for row, octet in enumerate(octets) if octet is not None and read_text(octet) is None
    }
    return pa.array([octet and octet.decode(errors="replace") for octet in octets], pa.string())


def to_nanos(column: pa.Array) -> pa.Array:
    """Times in nanoseconds from timestamps and integers (seconds below LEAST_NANOS); UNKNOWN outside of 1970
    to 2200.
    """
    is_stamp = pa.types.is_timestamp(column.type)
    per_second = UNITS[column.type.unit] if is_stamp else 1
    value = column.cast(pa.int64(), safe=False).fill_null(UNKNOWN).to_numpy()
    is_known = (value >= 0) & (value < YEAR_2200 * per_second)
    nanos = np.where(is_known, value, UNKNOWN) * np.where(is_known, SECOND // per_second, 1)
    if not is_stamp:
        nanos = np.where((value >= LEAST_NANOS) & (value < YEAR_2200 * SECOND), value, nanos)
    return pc.if_else(column.is_null(), None, pa.array(nanos))
