"""What the offsets of a batch's sources say: rows that waited when it began, and the partitions that they came from."""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from app.engines.numbers import add_known, find_growth, read_count, read_list, read_object

Partitions = Mapping[tuple[str, str], int]
"""The offset of each (topic, partition)."""


class SourceProgress(NamedTuple):
    """One source of a batch; None = the source does not say.

    `ends` and `latest` are the offsets that the batch read up to, and that the source had: only Kafka's count rows.
    """

    rows: int | None
    waiting: float | None
    ends: Partitions | None
    latest: Partitions | None


def read_sources(value: JsonValue) -> tuple[SourceProgress, ...]:
    """The sources of a batch."""
    return tuple([_read_source(read_object(one)) for one in read_list(value)])


def _read_source(source: Mapping[str, JsonValue]) -> SourceProgress:
    end, latest = _decode(source.get("endOffset")), _decode(source.get("latestOffset"))
    ends, newest = _read_partitions(end), _read_partitions(latest)
    return SourceProgress(read_count(source.get("numInputRows")), _count_waiting(end, latest), ends, newest)


def _decode(offset: JsonValue) -> JsonValue:
    """Python's lastProgress carries an offset as the text of its JSON."""
    if not isinstance(offset, str):
        return offset
    try:
        decoded: JsonValue = json.loads(offset)
    except (ValueError, RecursionError):
        return None
    return decoded


def _read_partitions(offset: JsonValue) -> Partitions | None:
    """Kafka's {"topic": {"0": 17}}; None for the offsets of every other source: they count no rows."""
    found = {}
    for topic, partitions in read_object(offset).items():
        if not isinstance(partitions, dict):
            return None
        for partition, position in partitions.items():
            count = read_count(position)
            if count is None:
                return None
            found[topic, partition] = count
    return found or None


def _count_waiting(end: JsonValue, latest: JsonValue) -> float | None:
    """Rows that the source had and the batch did not take."""
    if end is None or latest is None:
        return None
    if end == latest:
        return 0.0
    ends, newest = _read_partitions(end), _read_partitions(latest)
    if ends is None or newest is None or ends.keys() != newest.keys():
        return None
    return add_known(find_growth(ends[key], newest[key]) for key in ends)


def count_waiting(sources: Sequence[SourceProgress]) -> float | None:
    """Rows that waited at all sources when the batch began."""
    return add_known(source.waiting for source in sources)


def count_partitions(sources: Sequence[SourceProgress]) -> int | None:
    """The partitions of all sources; None where one does not say."""
    if not sources or any(source.ends is None for source in sources):
        return None
    return sum(len(source.ends or ()) for source in sources)


def count_arrived(before: Sequence[SourceProgress], after: Sequence[SourceProgress]) -> float | None:
    """Rows that arrived from one trigger to the next.

    Where rows were left waiting: the growth of the newest offsets. Elsewhere the rows that the batch took.
    """
    if not after or len(before) != len(after):
        return None
    return add_known(_count_arrived(one, other) for one, other in zip(before, after, strict=True))


def _count_arrived(before: SourceProgress, after: SourceProgress) -> float | None:
    if not before.waiting and not after.waiting:
        return None if after.rows is None else float(after.rows)
    older, newer = before.latest, after.latest
    if older is None or newer is None or older.keys() != newer.keys():
        return None
    return add_known(find_growth(older[key], newer[key]) for key in newer)
