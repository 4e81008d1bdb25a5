"""The load of a consumer group between two samples of its offsets."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise

from app.engines.kafka.samples import GroupSample, PartitionState, Place
from app.engines.numbers import LONGEST_NAME, add_known, find_growth, find_rate
from app.load.bodies.load import InstanceLoadBody, LoadBody, OperatorLoadBody

MOST_PARTITIONS = 32_768
SHORTEST_SECONDS, LONGEST_SECONDS = 1.0, 86_400.0
GROWING = 1.05
"""A member falls behind if messages for it arrive faster than it reads by this factor."""
COMMIT_SECONDS = 5.0
"""auto.commit.interval.ms: the largest age of a committed position by default."""


@dataclass(slots=True)
class GroupLoads:
    """The loads of a consumer group, oldest first, with what was left out or changed between its samples."""

    loads: list[LoadBody] = field(default_factory=list)
    incomplete: int = 0
    too_close: int = 0
    recreated: set[Place] = field(default_factory=set)
    moved_back: set[Place] = field(default_factory=set)
    busy: int = 0
    members: int = 0
    changed_members: bool = False


class PartitionChange:
    """The messages per second that were written to and read from a partition between two samples; None means
    unknown.
    """

    def __init__(self, place: Place, before: PartitionState, after: PartitionState) -> None:
        self.place, self.before, self.after = place, before, after
        self.seconds = after.at - before.at
        self.arrived = find_rate(find_growth(before.end, after.end), self.seconds)
        self.served = find_rate(find_growth(before.position, after.position), self.seconds)


def make_group_loads(name: str, samples: Sequence[GroupSample]) -> GroupLoads:
    """Makes a load for each two successive samples of a consumer group that know the end of every partition."""
    places = sorted({place for sample in samples for place in sample.places})
    complete = [sample for sample in samples if places and sample.is_complete(places)]
    found = GroupLoads(incomplete=len(samples) - len(complete))
    for before, after in pairwise(complete):
        changes = [PartitionChange(place, before.states[place], after.states[place]) for place in places]
        if not all(SHORTEST_SECONDS <= change.seconds <= LONGEST_SECONDS for change in changes):
            found.too_close += 1
            continue
        load = _make_load(name, before, after, changes, found)
        if load is not None:
            found.loads.append(load)
    return found


def _make_load(
    name: str, before: GroupSample, after: GroupSample, changes: Sequence[PartitionChange], found: GroupLoads
) -> LoadBody | None:
    arrived = add_known(change.arrived for change in changes)
    found.recreated |= {change.place for change in changes if change.arrived is None}
    if arrived is None:
        return None
    found.moved_back |= {
        change.place
        for change in changes
        if None not in {change.before.position, change.after.position} and change.served is None
    }
    members = after.list_members()
    found.changed_members = members != before.list_members()
    steady = {} if found.changed_members else members
    measured = OperatorLoadBody(
        service_rate=_find_service_rate(steady, changes, found) if steady else None,
        arrival_rate=arrived,
        served_rate=add_known(change.served for change in changes),
        processors=len(members) or None,
        backlog_tuples=add_known(change.after.waiting for change in changes),
        instances=list(_list_instances(steady, changes, arrived)),
        group_shares=_list_shares(changes, arrived),
    )
    return LoadBody(
        observed_at=datetime.fromtimestamp(before.at, UTC),
        window_seconds=after.at - before.at,
        external_rate=arrived,
        operators={name: measured},
    )


def _find_service_rate(
    members: Mapping[str, Sequence[Place]], changes: Iterable[PartitionChange], found: GroupLoads
) -> float | None:
    """The mean messages per second that a busy member of the group read, which is the service rate of one member."""
    by_place = {change.place: change for change in changes}
    measured = [_find_busy_rate([by_place[place] for place in places]) for places in members.values()]
    rates = [rate for rate in measured if rate is not None]
    found.busy, found.members = len(rates), len(members)
    return sum(rates) / len(rates) if rates else None


def _find_busy_rate(changes: Sequence[PartitionChange]) -> float | None:
    """The messages per second that a member read if it was busy all the time; None if it may have been idle.

    A member was busy if it read no more than what waited for it at the start, or if its lag was above 0 and grew.
    """
    arrived = add_known(change.arrived for change in changes)
    served = add_known(change.served for change in changes)
    before = add_known(change.before.waiting for change in changes)
    after = add_known(change.after.waiting for change in changes)
    if not served or arrived is None or before is None or after is None:
        return None
    is_committed = any(change.before.is_committed or change.after.is_committed for change in changes)
    hidden = served * COMMIT_SECONDS if is_committed else 0.0
    seconds = max(change.seconds for change in changes)
    has_enough = before >= served * seconds + hidden
    is_growing = 2.0 * hidden < before < after and arrived >= GROWING * served
    return served if seconds >= 2.0 * COMMIT_SECONDS * is_committed and (has_enough or is_growing) else None


def _list_shares(changes: Sequence[PartitionChange], arrived: float) -> list[float]:
    """The share of each partition in the messages that arrived, in order; empty where none did, or of one alone."""
    if arrived <= 0.0 or not 1 < len(changes) <= MOST_PARTITIONS:
        return []
    return [min((change.arrived or 0.0) / arrived, 1.0) for change in changes]


def _list_instances(
    members: Mapping[str, Sequence[Place]], changes: Iterable[PartitionChange], arrived: float
) -> Iterator[InstanceLoadBody]:
    """The share of each member in the messages that arrived; no shares if a member got no messages."""
    rates = {change.place: change.arrived or 0.0 for change in changes}
    shares = {
        member[:LONGEST_NAME].strip(): sum(rates[place] for place in places) / arrived
        if arrived > 0.0
        else 0.0
        for member, places in members.items()
    }
    if len(members) > 1 and len(shares) == len(members) and min(shares.values()) > 0.0:
        for member, share in shares.items():
            yield InstanceLoadBody(instance=member, share=min(share, 1.0))
