"""Rows of Parquet -> judged records."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

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
from ingest.judge import FIELDS, LEAST_NANOS, NANOS_PER_SECOND, READERS, TIMES, YEAR_2200, Unusable
from ingest.records import Judged

MOST_ROWS = 400_000
UNITS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": NANOS_PER_SECOND}


def read_row_groups(path: str, file: str, groups: range, first: int) -> Iterator[Judged]:
    """Judges row groups of a file, of which the first row is number `first`."""
    metadata = pq.read_metadata(path)
    types = {field.name: field.type for field in metadata.schema.to_arrow_schema()}
    labels = [name for name in READERS if name in types and is_text(types[name])]
    parquet = pq.ParquetFile(path, read_dictionary=labels, metadata=metadata)
    names = [name for name in FIELDS if name in types]
    for batch in parquet.iter_batches(MOST_ROWS, list(groups), names, use_threads=False):
        yield judge_rows(file, first, pa.table(batch))
        first += len(batch)


def judge_rows(file: str, first: int, rows: pa.Table) -> Judged:
    """Judges rows of columns of any type; they begin with row `first` of the file."""
    found = {name: normalise(name, rows, name in TIMES) for name in FIELDS}
    roots = query(pa.table({"tuple_id": keep_valid(found["tuple_id"])}), ROOT)
    columns = Columns(
        {name: found[name] for name in READERS}, [read_times(found[name]) for name in TIMES], roots
    )
    quick, is_quick = judge_columns(columns, decode)
    places = np.flatnonzero(~is_quick)
    shown = rows.take(places).to_pylist() if len(places) else []
    values = pa.table(found).take(places).to_pylist() if len(places) else []
    rest = zip(places.tolist(), map(show_row, shown), map(decode_all, values), strict=True)
    return judge_rest(file, first, len(rows), [quick], rest)


def normalise(name: str, rows: pa.Table, is_time: bool) -> pa.Array:
    """Texts as binary, since they may be invalid; times as nanoseconds or as floats of seconds; others as they are."""
    if name not in rows.column_names:
        return pa.nulls(len(rows))
    column = rows[name].combine_chunks()
    kind = column.type
    if pa.types.is_dictionary(kind):
        if is_text(kind.value_type) and not is_time:
            return pa.DictionaryArray.from_arrays(column.indices, column.dictionary.cast(pa.binary()))
        column, kind = column.dictionary_decode(), kind.value_type
    if is_text(kind):
        return column.cast(pa.binary())
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return column.cast(pa.float64())
    if is_time:
        return to_nanos(column)
    return (
        column
        if pa.types.is_nested(kind) or name == "sample_every"
        else column.cast(pa.string()).cast(pa.binary())
    )


def is_text(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    ) or bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind))


def to_nanos(column: pa.Array) -> pa.Array:
    """Nanoseconds of timestamps and of integers, which are seconds if they are small; -1 beyond 1970 to 2200."""
    if pa.types.is_timestamp(column.type):
        per_second = UNITS[column.type.unit]
    elif pa.types.is_integer(column.type):
        per_second = 1
    else:
        return column
    value = pc.fill_null(column.cast(pa.int64(), safe=False), UNKNOWN).to_numpy()
    is_known = (value >= 0) & (value < YEAR_2200 * per_second)
    nanos = np.where(is_known, value, UNKNOWN) * np.where(is_known, NANOS_PER_SECOND // per_second, 1)
    if pa.types.is_integer(column.type):
        nanos = np.where((value >= LEAST_NANOS) & (value < YEAR_2200 * NANOS_PER_SECOND), value, nanos)
    return pa.array(nanos, mask=np.asarray(column.is_null()))


def read_times(column: pa.Array) -> Nanos:
    if pa.types.is_floating(column.type):
        return convert_seconds(column.to_numpy(zero_copy_only=False))
    if pa.types.is_int64(column.type):
        return pc.fill_null(column, UNKNOWN).to_numpy()
    if is_text(column.type):
        return read_texts(keep_valid(column))
    return np.full(len(column), UNKNOWN)


def keep_valid(column: pa.Array) -> pa.Array:
    """The texts of a column; null for bytes that are no text."""
    if not is_text(column.type):
        return pa.nulls(len(column), pa.string())
    try:
        return column.cast(pa.string())
    except pa.ArrowInvalid:
        values = column.to_pylist()
        return pa.array(
            [value if isinstance(decode_all({"": value}), dict) else None for value in values]
        ).cast(pa.string())


def decode(value: Any) -> Any:
    try:
        return value.decode() if isinstance(value, bytes) else value
    except UnicodeDecodeError as error:
        raise Unusable("not valid UTF-8") from error


def decode_all(fields: Mapping[str, Any]) -> dict[str, Any] | str:
    """The fields of a row, or why they cannot be read."""
    try:
        return {name: decode(value) for name, value in fields.items()}
    except Unusable as fault:
        return str(fault)


def show_row(row: Mapping[str, Any]) -> bytes:
    present = {name: value for name, value in row.items() if value is not None}
    return json.dumps(present, ensure_ascii=False, separators=(",", ":"), default=str).encode(
        errors="replace"
    )
