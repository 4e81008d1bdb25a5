"""Lists of a group's lags: of AdminClient and kafka-consumer-groups, of REST proxies, and of Burrow."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pydantic import JsonValue

from app.engines.kafka.samples import GroupSample, PartitionState, Place
from app.engines.numbers import read_count, read_list, read_name, read_object

ALIASES: Mapping[str, tuple[str, ...]] = {
    "group": ("group", "consumer_group_id", "group_id", "consumer_group"),
    "topic": ("topic", "topic_name"),
    "partition": ("partition", "partition_id"),
    "position": ("current_offset", "committed_offset"),
    "end": ("log_end_offset", "end_offset"),
    "lag": ("lag", "current_lag"),
    "member": ("member", "consumer_id", "member_id", "owner"),
}
"""The names under which a field stands, in small letters with underscores."""

HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


class LagRow(NamedTuple):
    """One partition of a list."""

    group: str | None
    place: Place
    state: PartitionState


def read_rows(body: JsonValue, at: float) -> list[LagRow]:
    """The rows of a list, at this time; those without topic and partition are left out."""
    group, listed = _find_list(body)
    rows = [_read_row(_normalise(read_object(one)), group, at) for one in listed]
    return [row for row in rows if row is not None]


def _find_list(body: JsonValue) -> tuple[str | None, list[JsonValue]]:
    """A bare list, one row, {"data": [...]} of a REST proxy, or {"status": {"group", "partitions"}} of Burrow."""
    if isinstance(body, list):
        return None, body
    document = read_object(body)
    status = read_object(document.get("status"))
    if "partitions" in status:
        return read_name(status.get("group")), read_list(status.get("partitions"))
    return None, read_list(document.get("data")) or [body]


def _normalise(row: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """Fields in small letters with underscores; Burrow's newest offset is in `end`."""
    fields = {HUMP.sub("_", name).lower().replace("-", "_"): value for name, value in row.items()}
    newest = fields.get("end")
    return (
        {"current_offset": newest["offset"], **fields}
        if isinstance(newest, dict) and "offset" in newest
        else fields
    )


def _read_row(row: Mapping[str, JsonValue], group: str | None, at: float) -> LagRow | None:
    def find(field: str) -> JsonValue:
        return next((row[name] for name in ALIASES[field] if name in row), None)

    topic, partition = read_name(find("topic")), read_count(find("partition"))
    if topic is None or partition is None or partition >= 10**9:
        return None
    position, end, lag = (read_count(find(field)) for field in ("position", "end", "lag"))
    if end is None and position is not None and lag is not None:
        end = position + lag
    member = read_name(find("member"))
    state = PartitionState(at, end, position, lag, None if member == "-" else member, is_committed=True)
    return LagRow(read_name(find("group")) or group, (topic, partition), state)


def make_lag_samples(rows: Iterable[LagRow]) -> list[GroupSample]:
    """The rows of each time, in order; a partition that a time has twice counts once, as told last."""
    samples: dict[float, GroupSample] = {}
    for row in sorted(rows, key=lambda row: row.state.at):
        sample = samples.setdefault(row.state.at, GroupSample())
        sample.places.add(row.place)
        sample.states[row.place] = row.state
    return list(samples.values())
