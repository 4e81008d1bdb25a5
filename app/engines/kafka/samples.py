"""The partitions of a consumer group at about one time, out of lists of lags and out of statistics of librdkafka.

Lists come from AdminClient and kafka-consumer-groups, from REST proxies and from Burrow; statistics from each consumer
(statistics.interval.ms).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from pydantic import JsonValue

from app.engines.numbers import read_count, read_list, read_name, read_number, read_object

Place = tuple[str, int]
"""A topic and a partition."""

ALIASES: Mapping[str, tuple[str, ...]] = {
    "group": ("group", "consumer_group_id", "group_id", "consumer_group"),
    "topic": ("topic", "topic_name"),
    "partition": ("partition", "partition_id"),
    "position": ("current_offset", "committed_offset"),
    "end": ("log_end_offset", "end_offset"),
    "lag": ("lag", "current_lag"),
    "member": ("member", "consumer_id", "member_id", "owner"),
}
"""The names of each field in lists, in small letters with underscores."""
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
LAST_SECOND = 253_402_300_000.0
"""The end of the calendar, 9999-12-31."""


class PartitionState(NamedTuple):
    """One partition at one time, in epoch seconds; None: unknown, which Kafka's clients write as -1 and -1001.

    `end` is the offset of the next message to be written, `position` of the next to be read, and `member` reads it.
    `is_committed`: the position is that of the last commit, and messages read since then count as waiting.
    """

    at: float
    end: int | None
    position: int | None
    lag: int | None
    member: str | None = None
    is_committed: bool = False

    @property
    def waiting(self) -> int | None:
        """The messages between the position and the end; if one is unknown, the reported lag, which counts from
        commits.
        """
        if self.end is None or self.position is None or self.end < self.position:
            return self.lag
        return self.end - self.position


@dataclass(slots=True)
class GroupSample:
    """The partitions of a consumer group at one time, by topic and number, and the places of all its partitions."""

    states: dict[Place, PartitionState] = field(default_factory=dict)
    places: set[Place] = field(default_factory=set)

    @property
    def at(self) -> float:
        """The time, in epoch seconds, of the partition that was read last."""
        return max(state.at for state in self.states.values())

    def is_complete(self, places: Iterable[Place]) -> bool:
        """Whether the sample knows the end of each of the given partitions."""
        return all(place in self.states and self.states[place].end is not None for place in places)

    def list_members(self) -> Mapping[str, list[Place]]:
        """The members of the group and the partitions that each reads; empty if a partition has no known member."""
        found: dict[str, list[Place]] = {}
        for place in sorted(self.states):
            member = self.states[place].member
            if member is None:
                return {}
            found.setdefault(member, []).append(place)
        return found


class LagRow(NamedTuple):
    """One row of a list of lags: the state of one partition at one time."""

    group: str | None
    place: Place
    state: PartitionState


def read_rows(body: JsonValue, at: float) -> list[LagRow]:
    """The rows of a list of lags, which was read at the time `at`; rows without topic or partition are left out."""
    group, listed = _find_list(body)
    rows = [_read_row(_normalise(read_object(one)), group, at) for one in listed]
    return [row for row in rows if row is not None]


def _find_list(body: JsonValue) -> tuple[str | None, list[JsonValue]]:
    """The group's name and the rows in a body: a bare list, one row, {"data": [...]} of a REST proxy, or {"status":
    {...}} of Burrow.
    """
    if isinstance(body, list):
        return None, body
    document = read_object(body)
    status = read_object(document.get("status"))
    if "partitions" in status:
        return read_name(status.get("group")), read_list(status.get("partitions"))
    return None, read_list(document.get("data")) or [body]


def _normalise(row: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """A row with its field names in small letters and underscores; the newest offset that Burrow gives goes to
    `end`.
    """
    fields = {HUMP.sub("_", name).lower().replace("-", "_"): value for name, value in row.items()}
    newest = fields.get("end")
    is_burrow = isinstance(newest, dict) and "offset" in newest
    return {"current_offset": read_object(newest)["offset"], **fields} if is_burrow else fields


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
    """A sample for each time of the rows, oldest first; of two rows for one partition at one time, the last counts."""
    samples: dict[float, GroupSample] = {}
    for row in sorted(rows, key=lambda row: row.state.at):
        sample = samples.setdefault(row.state.at, GroupSample())
        sample.places.add(row.place)
        sample.states[row.place] = row.state
    return list(samples.values())


class ClientStatistics(NamedTuple):
    """One document of statistics from a librdkafka consumer.

    `at` is the wall clock in whole epoch seconds, and `clock` the client's monotonic clock in seconds, when it was
    sent.
    """

    client: str
    at: float
    clock: float | None
    partitions: Mapping[Place, Mapping[str, JsonValue]]


def is_statistics(body: JsonValue) -> bool:
    """Whether the body looks like statistics of a librdkafka client."""
    return isinstance(body, dict) and isinstance(body.get("topics"), dict) and "name" in body


def read_statistics(body: JsonValue, path: str, at: datetime | None) -> ClientStatistics | None:
    """The partitions in the statistics of a consumer; None if the client is a producer, or if the time is unknown."""
    document = read_object(body)
    sent_at = read_number(document.get("time"))
    when = sent_at if sent_at is not None or at is None else at.timestamp()
    if document.get("type") == "producer" or when is None or not 0.0 <= when <= LAST_SECOND:
        return None
    stamp, age = read_number(document.get("ts")), read_number(document.get("age"))
    # Names repeat from process to process; the time when the client was made does not.
    born = "" if stamp is None or age is None else f"{(stamp - age) / 1e6:.2f}"
    name, client_id = read_name(document.get("name")) or "consumer", read_name(document.get("client_id"))
    client = " ".join(part for part in (client_id, name, path.partition("?")[0], born) if part)
    clock = None if stamp is None else stamp / 1e6
    return ClientStatistics(client, when, clock, dict(_list_partitions(document)))


def _list_partitions(document: Mapping[str, JsonValue]) -> Iterator[tuple[Place, Mapping[str, JsonValue]]]:
    """The partitions of the topics that the client reads; the internal partition -1 is left out."""
    for name, topic in read_object(document.get("topics")).items():
        listed = {
            int(number): read_object(partition)
            for number, partition in read_object(read_object(topic).get("partitions")).items()
            if number.isascii() and number.isdigit() and len(number) < 10
        }
        if any(map(_is_read, listed.values())):
            yield from (((name, number), partition) for number, partition in listed.items())


def _is_read(partition: Mapping[str, JsonValue]) -> bool:
    return partition.get("desired") is True


def make_samples(listed: Iterable[ClientStatistics]) -> list[GroupSample]:
    """The statistics of all members as samples: a new sample begins when a client comes a second time.

    Times are whole seconds; the time between two documents of a client is made exact by the client's own clock.
    """
    starts: dict[str, float] = {}
    samples: list[GroupSample] = []
    clients: set[str] = set()
    for one in sorted(listed, key=lambda one: (one.at, one.clock or 0.0)):
        if not samples or one.client in clients:
            samples.append(GroupSample())
            clients = set()
        clients.add(one.client)
        at = one.at
        if one.clock is not None:
            at = starts.setdefault(one.client, one.at - one.clock) + one.clock
        samples[-1].places |= one.partitions.keys()
        samples[-1].states |= {
            place: _read_state(partition, at, one.client)
            for place, partition in one.partitions.items()
            if _is_read(partition)
        }
    return samples


def _read_state(partition: Mapping[str, JsonValue], at: float, client: str) -> PartitionState:
    """The state of a partition: an offset of -1001 and a lag of -1 are unknown; an empty partition has nothing to
    read.
    """
    end, begin = read_count(partition.get("hi_offset")), read_count(partition.get("lo_offset"))
    read = {kind: read_count(partition.get(f"{kind}_offset")) for kind in ("app", "stored", "committed")}
    kind = next((kind for kind, offset in read.items() if offset is not None), "")
    position = read.get(kind)
    if position is None and end is not None and end == begin:
        position = end
    lag = read_count(partition.get("consumer_lag"))
    return PartitionState(at, end, position, lag, client, is_committed=kind == "committed")
