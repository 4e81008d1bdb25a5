"""Statistics of librdkafka (statistics.interval.ms): what one consumer knows of its partitions."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from pydantic import JsonValue

from app.engines.kafka.samples import GroupSample, PartitionState, Place
from app.engines.numbers import read_count, read_name, read_number, read_object

LAST_SECOND = 253_402_300_000.0
"""The end of the calendar, 9999-12-31."""


class ClientStatistics(NamedTuple):
    """One document: who sent it and when, by the clock of the day and by its own in seconds."""

    client: str
    at: float
    clock: float | None
    partitions: Mapping[Place, Mapping[str, JsonValue]]


def is_statistics(body: JsonValue) -> bool:
    """Whether it looks like a document of a client of librdkafka."""
    return isinstance(body, dict) and isinstance(body.get("topics"), dict) and "name" in body


def read_statistics(body: JsonValue, path: str, at: datetime | None) -> ClientStatistics | None:
    """The partitions that a consumer knows; None for a producer, or where no time is known."""
    document = read_object(body)
    told = read_number(document.get("time"))
    when = told if told is not None else (None if at is None else at.timestamp())
    if document.get("type") == "producer" or when is None or not 0.0 <= when <= LAST_SECOND:
        return None
    stamp, age = read_number(document.get("ts")), read_number(document.get("age"))
    name = read_name(document.get("name")) or "consumer"
    client_id, place = read_name(document.get("client_id")) or "", path.partition("?")[0]
    # Names repeat from process to process; the time when the client was made does not.
    born = "" if stamp is None or age is None else f"{(stamp - age) / 1e6:.2f}"
    client = " ".join(part for part in (client_id, name, place, born) if part)
    clock = None if stamp is None else stamp / 1e6
    return ClientStatistics(client, when, clock, dict(_list_partitions(document)))


def _list_partitions(document: Mapping[str, JsonValue]) -> Iterator[tuple[Place, Mapping[str, JsonValue]]]:
    """The partitions of the topics that the client reads; the internal partition -1 is left out."""
    for topic, told in read_object(document.get("topics")).items():
        listed = {
            int(number): read_object(partition)
            for number, partition in read_object(read_object(told).get("partitions")).items()
            if number.isascii() and number.isdigit() and len(number) < 10
        }
        if any(map(_is_read, listed.values())):
            yield from (((topic, number), partition) for number, partition in listed.items())


def _is_read(partition: Mapping[str, JsonValue]) -> bool:
    return partition.get("desired") is True


def make_samples(listed: Iterable[ClientStatistics]) -> list[GroupSample]:
    """The documents of all members, in rounds: the next begins when a client comes again."""
    starts: dict[str, float] = {}
    samples: list[GroupSample] = []
    seen: set[str] = set()
    for one in sorted(listed, key=lambda one: (one.at, one.clock or 0.0)):
        if not samples or one.client in seen:
            samples.append(GroupSample())
            seen = set()
        seen.add(one.client)
        _add(samples[-1], one, _find_time(one, starts))
    return samples


def _find_time(one: ClientStatistics, starts: dict[str, float]) -> float:
    """The time of the day, in whole seconds, made exact between documents of one client by its own clock."""
    if one.clock is None:
        return one.at
    return starts.setdefault(one.client, one.at - one.clock) + one.clock


def _add(sample: GroupSample, one: ClientStatistics, at: float) -> None:
    for place, partition in one.partitions.items():
        sample.places.add(place)
        if _is_read(partition):
            sample.states[place] = _read_state(partition, at, one.client)


def _read_state(partition: Mapping[str, JsonValue], at: float, client: str) -> PartitionState:
    """-1001 is no offset and -1 no lag; a partition that never held a message has nothing to read."""
    end, begin = read_count(partition.get("hi_offset")), read_count(partition.get("lo_offset"))
    read = {kind: read_count(partition.get(f"{kind}_offset")) for kind in ("app", "stored", "committed")}
    kind = next((kind for kind, offset in read.items() if offset is not None), None)
    position = None if kind is None else read[kind]
    if position is None and end is not None and end == begin:
        position = end
    lag = read_count(partition.get("consumer_lag"))
    return PartitionState(at, end, position, lag, client, is_committed=kind == "committed")
