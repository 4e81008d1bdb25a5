"""Judges whole columns at once: takes only what `judge.judge_record` takes, with equal values, and leaves it the rest."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ingest.judge import NANOS_PER_SECOND, READERS, YEAR_2200, Event, Unusable, judge_record
from ingest.records import MOST_REJECTS, Judged, Kind, Records, Reject, join_records, show_line

Mask = NDArray[np.bool_]
Nanos = NDArray[np.int64]
Codes = NDArray[np.int32]
Read = Callable[[Any], Any]
UNKNOWN = -1  # a time that is not read here
MOST_LOOKED_UP = 1 << 20
PLAIN_NUMBER = r"^\d{1,15}(\.\d{0,15})?$"
PLAIN_ISO = (
    r"^(19[7-9]|20\d|21\d)\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[T ]([01]\d|2[0-3]):[0-5]\d"
    r"(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)$"
)
# The hash of a root, and whether its text may be taken without another look.
ROOT = (
    "hash(tuple_id) AS root,"
    " coalesce(strlen(tuple_id) BETWEEN 1 AND 200 AND ascii(tuple_id) NOT IN (32, 91, 123), false) AS has_root"
)


class Columns(NamedTuple):
    """The fields of records as found: `labels` by field; three columns of times; the columns of ROOT."""

    labels: Mapping[str, pa.Array]
    times: list[Nanos]
    roots: pa.Table


class Labels(NamedTuple):
    """The code of each record's label, the labels by code, and which of those are usable."""

    codes: Codes
    values: list[Any]
    is_good: Mask


@cache
def connect() -> duckdb.DuckDBPyConnection:
    """The engine of this process, which uses one processor."""
    return duckdb.connect(config={"threads": 1, "autoinstall_known_extensions": False})


def query(table: pa.Table, select: str) -> pa.Table:
    return connect().from_arrow(table).query("given", f"SELECT {select} FROM given").to_arrow_table()  # noqa: S608


def judge_columns(columns: Columns, read: Read = lambda value: value) -> tuple[Records, Mask]:
    """The records that are surely usable, and which ones they are; `read` makes a label's value of what was found."""
    arrived, started, finished = columns.times
    usable = (
        as_mask(columns.roots["has_root"]) & (arrived >= 0) & (started >= arrived) & (finished >= started)
    )
    labels = [
        read_labels(columns.labels.get(field), lambda value, reader=reader: reader(read(value)))  # type: ignore[misc]
        for field, reader in READERS.items()
    ]
    for label in labels:
        if not label.is_good.all():
            usable &= label.is_good[label.codes]
    if not usable.all():
        labels = [label._replace(codes=label.codes[usable]) for label in labels]
        arrived, started, finished = arrived[usable], started[usable], finished[usable]
    kinds, kind = combine(labels)
    root = mix_roots(kinds, kind, columns.roots["root"].to_numpy()[usable])
    return Records(kinds, kind, root, arrived, started - arrived, finished - started), usable


def read_labels(column: pa.Array, read: Read) -> Labels:
    column = column if pa.types.is_dictionary(column.type) else pc.dictionary_encode(column)
    found = [read_or_none(read, value) for value in (*column.dictionary.to_pylist(), None)]
    codes = pc.fill_null(column.indices, len(found) - 1).to_numpy().astype(np.int32, copy=False)
    return Labels(
        codes, [value and value[0] for value in found], np.array([value is not None for value in found])
    )


def read_or_none(read: Read, value: Any) -> tuple[Any] | None:
    try:
        return (read(value),)
    except Unusable:
        return None


def combine(labels: list[Labels]) -> tuple[list[Kind], Codes]:
    """The distinct kinds among records, and the place of each record's."""
    code, found = np.zeros(len(labels[0].codes), np.int32), [()]
    for codes, values, _ in labels:
        both = code * np.int64(len(values)) + codes
        seen, code = find_distinct(both, len(found) * len(values))
        found = [(*found[one // len(values)], values[one % len(values)]) for one in seen.tolist()]
    places: dict[Kind, int] = {}
    moved = [places.setdefault(Kind(*label), len(places)) for label in found]
    return list(places), np.array(moved, np.int32)[code]


def find_distinct(values: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], Codes]:
    """The distinct values in order, all below `size`, and the place of each."""
    if size > MOST_LOOKED_UP:
        seen, code = np.unique(values, return_inverse=True)
        return seen, code.astype(np.int32)
    is_seen = np.zeros(size, np.bool_)
    is_seen[values] = True
    return np.flatnonzero(is_seen), (np.cumsum(is_seen, dtype=np.int32) - 1)[values]


def mix_roots(kinds: list[Kind], kind: NDArray[np.int32], root: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The hash of topology and tuple_id from that of tuple_id."""
    names = pa.table({"topology": pa.array([one.topology for one in kinds], pa.string())})
    hashes: NDArray[np.uint64] = query(names, "hash('topology ' || topology) AS hashed")["hashed"].to_numpy()
    return root ^ (hashes[kind] if len(set(hashes.tolist())) > 1 else hashes[:1])


def judge_rest(
    file: str,
    block: int,
    lines: int,
    quick: list[Records],
    rest: Iterable[tuple[int, bytes, Mapping[str, Any] | str]],
) -> Judged:
    """A block whose other records were judged in columns; `rest` has place, text, and fields or a reason."""
    events, rejects, reasons = [], [], Counter[str]()
    for place, text, found in rest:
        try:
            if isinstance(found, str):
                raise Unusable(found)  # noqa: TRY301  # a record may be known as unusable before its fields are
            events.append(judge_record(found))
        except Unusable as fault:
            reasons[str(fault)] += 1
            if len(rejects) < MOST_REJECTS:
                rejects.append(Reject(place, str(fault), show_line(text)))
    return Judged(file, block, lines, join_records([*quick, make_records(events)]), rejects, dict(reasons))


def make_records(events: list[Event]) -> Records:
    """The columns of records that were judged one by one."""
    places: dict[Kind, int] = {}
    kind = np.array([places.setdefault(event.kind, len(places)) for event in events], np.int32)
    tuple_ids = pa.array([event.tuple_id for event in events], pa.string())
    root = query(pa.table({"tuple_id": tuple_ids}), "hash(tuple_id) AS root")["root"].to_numpy()
    times = np.array([event[2:] for event in events], np.int64).reshape(-1, 3)
    waits = np.diff(times, axis=1)
    return Records(
        list(places), kind, mix_roots(list(places), kind, root), times[:, 0], waits[:, 0], waits[:, 1]
    )


def as_mask(column: pa.ChunkedArray) -> Mask:
    return np.asarray(column.to_numpy(zero_copy_only=False), np.bool_)


def convert_seconds(seconds: NDArray[np.float64]) -> Nanos:
    """As `judge.convert_seconds`; UNKNOWN outside of 1970 to 2200, and for NaN."""
    is_known = (seconds >= 0) & (seconds < YEAR_2200)
    kept = seconds if is_known.all() else np.where(is_known, seconds, 0.0)
    micros = np.rint(kept * 1e6)
    nanos = micros.astype(np.int64) * 1000
    finer = np.flatnonzero(micros / 1e6 != kept)
    if len(finer):
        whole = np.floor(kept[finer])
        nanos[finer] = whole.astype(np.int64) * NANOS_PER_SECOND + np.rint(
            (kept[finer] - whole) * 1e9
        ).astype(np.int64)
    return nanos if kept is seconds else np.where(is_known, nanos, UNKNOWN)


def read_texts(texts: pa.Array) -> Nanos:
    """Times of plain numbers and of plain ISO 8601 texts; UNKNOWN for others."""
    is_number = pc.match_substring_regex(texts, PLAIN_NUMBER)
    seconds = pc.if_else(is_number, texts, None).cast(pa.float64())
    nanos = convert_seconds(np.asarray(seconds.to_numpy(zero_copy_only=False), np.float64))
    if pc.all(is_number).as_py():
        return nanos
    plain = pc.if_else(pc.match_substring_regex(texts, PLAIN_ISO), texts, None)
    stamps = pc.fill_null(cast_stamps(plain).cast(pa.int64()), UNKNOWN).to_numpy()
    is_past = (stamps >= 0) & (stamps < YEAR_2200 * NANOS_PER_SECOND)
    return np.where(is_past, stamps, nanos)


def cast_stamps(texts: pa.Array) -> pa.Array:
    """Timestamps; null for a day that does not exist, such as 30 February."""
    try:
        return texts.cast(pa.timestamp("ns", "UTC"))
    except pa.ArrowInvalid:
        if len(texts) == 1:
            return pa.nulls(1, pa.timestamp("ns", "UTC"))
    half = len(texts) // 2
    return pa.concat_arrays([cast_stamps(texts[:half]), cast_stamps(texts[half:])])
