"""Judges the records of a block by columns: plain values all at once, unusual values one by one by the rules
in `judge`.
"""

import atexit
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, lru_cache, partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ingest.reading.judge import (
    FIELDS,
    LABELS,
    SECOND,
    TIMES,
    YEAR_2200,
    Unusable,
    read_name,
    read_number,
    read_time,
)
from ingest.reading.records import MOST_REJECTS, Judged, Records, Reject, TupleKind, show_line

Nanos = NDArray[np.int64]
Rows = NDArray[np.int64]
Codes = NDArray[np.int32]
Decode = Callable[[Any], Any]
Show = Callable[[list[int]], list[str]]
Faults = dict[int, str | None]  # by row; None: the line is blank or a header, and holds no record
UNKNOWN = -1
MOST_LOOKED_UP = 1 << 20
PLAIN_NUMBER = r"^\d{1,15}(\.\d{0,15})?$"
PLAIN_ISO = (  # existing days only; 29 February is read one by one
    r"^(19[7-9]|20\d|21\d)\d-"
    r"((0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)"
    r"[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)$"
)
STAMP = pa.timestamp("ns", "UTC")
ORDER = ("line", *FIELDS[:8], "order", *FIELDS[8:])  # of several faults of a record the first one is reported


class Columns(NamedTuple):
    """The fields of a block's records: labels by name, times, and hashes of tuple_ids.

    `faults` holds the faults of tuple_id and of times by field name, and the faults of whole lines as "line".
    """

    labels: Mapping[str, pa.Array]
    times: list[Nanos]
    roots: NDArray[np.uint64]
    faults: dict[str, Faults]


class Labels(NamedTuple):
    """One label of each record, such as its operator, as a code; `values[code]` is the label itself."""

    codes: Codes
    values: list[Any]


@cache
def connect() -> duckdb.DuckDBPyConnection:
    """The DuckDB connection of this process; it uses one processor.

    pyarrow imports pandas at its first value. The import is blocked here, since it takes half a second.
    """
    refuser = SimpleNamespace(find_spec=refuse_pandas)
    sys.meta_path.insert(0, refuser)
    pa.scalar(0)
    sys.meta_path.remove(refuser)
    atexit.register(
        connect.cache_clear
    )  # DuckDB may report a connection that is still open at exit as a leak
    return duckdb.connect(config={"threads": 1})


def refuse_pandas(name: str, *_: Any) -> None:
    if name == "pandas":
        raise ImportError(name)


def query(select: str, **columns: pa.Array) -> dict[str, pa.Array]:
    table = connect().from_arrow(pa.table(columns)).project(select).to_arrow_table()
    return {name: table[name].combine_chunks() for name in table.column_names}


def judge_columns(
    place: tuple[str, int], found: Mapping[str, pa.Array], faults: Faults, show: Show
) -> Judged:
    """Judges the records of a block, given one column per field.

    `faults` are the faults of whole lines; `show` returns the lines at these places as texts.
    """
    every, times = {"line": faults}, []
    for name in TIMES:
        nanos, every[name] = read_times(name, found[name])
        times.append(nanos)
    roots, every["tuple_id"] = read_roots(found["tuple_id"])
    return judge_found(place, Columns(found, times, roots, every), lambda value: value, show)


def judge_found(place: tuple[str, int], found: Columns, decode: Decode, show: Show) -> Judged:
    """Judges records whose times and root tuples are already read; `decode` turns a raw label into its value."""
    labels, every = [], found.faults | {"order": find_disorder(*found.times)}
    for name, read in LABELS.items():
        label, every[name] = read_labels(found.labels[name], decode, read)
        labels.append(label)
    faults: Faults = {}
    for field in reversed(ORDER):
        faults |= every[field]
    usable = np.ones(len(found.roots), np.bool_)
    usable[list(faults)] = False
    kept = usable if faults else slice(None)
    arrived, started, finished = (time[kept] for time in found.times)
    kinds, kind = combine([Labels(label.codes[kept], label.values) for label in labels])
    roots = mix_roots(kinds, kind, found.roots[kept])
    records = Records(kinds, kind, roots, arrived, started - arrived, finished - started)
    rejected = [(row, reason) for row, reason in sorted(faults.items()) if reason]
    texts = show([row for row, _ in rejected[:MOST_REJECTS]])
    rejects = [Reject(*one, show_line(text)) for one, text in zip(rejected, texts, strict=False)]
    return Judged(*place, len(usable), records, rejects, dict(Counter(reason for _, reason in rejected)))


def find_disorder(arrived: Nanos, started: Nanos, finished: Nanos) -> Faults:
    late, later = np.flatnonzero(started < arrived).tolist(), np.flatnonzero(finished < started).tolist()
    faults: Faults = dict.fromkeys(later, "finished_at is before started_at")
    return faults | dict.fromkeys(late, "started_at is before arrived_at")


def read_labels(column: pa.Array, decode: Decode, read: Decode) -> tuple[Labels, Faults]:
    """Reads the labels of a column, each distinct label once; returns them with the faults of unusable labels
    by row.
    """
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    found = [try_to_read(read, decode(value)) for value in (*column.dictionary.to_pylist(), None)]
    codes = pc.fill_null(column.indices, len(found) - 1).to_numpy().astype(np.int32, copy=False)
    rows = np.flatnonzero(np.array([fault is not None for _, fault in found])[codes])
    faults = {row: found[code][1] for row, code in zip(rows.tolist(), codes[rows].tolist(), strict=True)}
    return Labels(codes, [value for value, _ in found]), faults


def try_to_read(read: Decode, value: Any) -> tuple[Any, str | None]:
    """What `read` makes of a value, and None; or None and the reason why the value is unusable."""
    try:
        return read(value), None
    except Unusable as fault:
        return None, str(fault)


def combine(labels: list[Labels]) -> tuple[list[TupleKind], Codes]:
    """The distinct kinds of the records, and for each record the place of its kind among them."""
    code = np.zeros(len(labels[0].codes), np.int32)
    found: list[tuple[Any, ...]] = [()]
    for codes, values in labels:
        seen, code = find_distinct(code * np.int64(len(values)) + codes, len(found) * len(values))
        found = [(*found[one // len(values)], values[one % len(values)]) for one in seen.tolist()]
    places: dict[TupleKind, int] = {}
    moved = [places.setdefault(TupleKind(*label), len(places)) for label in found]
    return list(places), np.array(moved, np.int32)[code]


def find_distinct(values: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], Codes]:
    """The distinct values in order, and for each value its place among them; all values are below `size`."""
    if size > MOST_LOOKED_UP:
        seen, code = np.unique(values, return_inverse=True)
        return seen, code.astype(np.int32)
    is_seen = np.zeros(size, np.bool_)
    is_seen[values] = True
    return np.flatnonzero(is_seen), (np.cumsum(is_seen, dtype=np.int32) - 1)[values]


def mix_roots(kinds: list[TupleKind], kind: Codes, roots: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The hashes of the records' topology and tuple_id together, which identify root tuples."""
    hashes = hash_topologies(tuple(one.topology for one in kinds))
    return roots ^ (hashes[kind] if len(set(hashes.tolist())) > 1 else hashes[:1])


@lru_cache(maxsize=16)  # many small files have the same topologies
def hash_topologies(topologies: tuple[str, ...]) -> NDArray[np.uint64]:
    names = pa.array([f"topology {name}" for name in topologies], pa.string())
    hashes: NDArray[np.uint64] = query("hash(name) AS root", name=names)["root"].to_numpy()
    return hashes


def read_roots(texts: pa.Array) -> tuple[NDArray[np.uint64], Faults]:
    """The hash of each tuple_id, and the faults by row; null means that the tuple_id is missing."""
    plain = "coalesce(strlen(text) BETWEEN 1 AND 200 AND ascii(text) != 32, false)"
    found = query(f"hash(text) AS root, {plain} AS is_plain", text=texts)
    odd = np.flatnonzero(~found["is_plain"].to_numpy(zero_copy_only=False))
    _, faults = read_each(partial(read_name, "tuple_id"), texts, odd)
    return found["root"].to_numpy(), faults


def read_times(name: str, column: pa.Array) -> tuple[Nanos, Faults]:
    """A time column as nanoseconds, with the faults by row; the column holds texts or a type that `to_nanos` reads."""
    nanos = read_texts(column) if pa.types.is_string(column.type) else to_nanos(column)
    odd = np.flatnonzero((nanos < 0) | (nanos >= YEAR_2200 * SECOND))
    values, faults = read_each(partial(read_time, name), column, odd)
    if len(odd):
        nanos = nanos.copy()
        nanos[odd] = [value or 0 for value in values]
    return nanos, faults


def read_each(read: Decode, column: pa.Array, rows: Rows) -> tuple[list[Any], Faults]:
    """What `read` makes of the values in the given rows (None for an unusable value), and the faults by row."""
    found = [try_to_read(read, value) for value in column.take(rows).to_pylist()]
    faults: Faults = {row: fault for row, (_, fault) in zip(rows.tolist(), found, strict=True) if fault}
    return [value for value, _ in found], faults


def read_texts(texts: pa.Array) -> Nanos:
    """Times in nanoseconds from texts with plain numbers or plain ISO 8601 times; UNKNOWN for other texts."""
    is_number = len(texts) and read_number(texts[-1].as_py()) is not None
    with suppress(pa.ArrowInvalid):  # nearly always all texts have the form of the last one
        return to_nanos(texts.cast(pa.float64() if is_number else STAMP))
    numbers = pc.if_else(pc.match_substring_regex(texts, PLAIN_NUMBER), texts, None).cast(pa.float64())
    stamps = pc.if_else(pc.match_substring_regex(texts, PLAIN_ISO), texts, None).cast(STAMP)
    latest: Nanos = np.maximum(to_nanos(numbers), to_nanos(stamps))
    return latest


def to_nanos(column: pa.Array) -> Nanos:
    """Times in nanoseconds from timestamps, from integers (nanoseconds) or from floats (seconds)."""
    if pa.types.is_floating(column.type):
        return convert_seconds(column.to_numpy(zero_copy_only=False))
    nanos: Nanos = pc.fill_null(column.cast(pa.int64()), UNKNOWN).to_numpy()
    return nanos


def convert_seconds(seconds: NDArray[np.float64]) -> Nanos:
    """Seconds as nanoseconds, as `judge.convert_seconds` for whole arrays; UNKNOWN for NaN and outside of 1970
    to 2200.
    """
    is_known = (seconds >= 0) & (seconds < YEAR_2200)
    kept = np.where(is_known, seconds, 0.0)
    micros = np.rint(kept * 1e6)
    nanos = np.where(is_known, micros.astype(np.int64) * 1000, UNKNOWN)
    finer = np.flatnonzero(micros / 1e6 != kept)
    whole = np.floor(kept[finer])
    nanos[finer] = whole.astype(np.int64) * SECOND + np.rint((kept[finer] - whole) * 1e9).astype(np.int64)
    return nanos
