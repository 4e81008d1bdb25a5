"""The goals of room: no instance above a share u of its capacity, and a backlog that is worked off in time.

With arrival rate λ and capacity c(k), that of k instances where the busiest is full, F is the fewest k with λ/c(k) ≤ u,
and G the fewest with λ/c(k) ≤ BAND·u. An operator that runs R processors keeps them while F ≤ R ≤ G, and else gets F.
F and G never fall with more load or a smaller u, so neither does the answer. λ is the highest rate to be ready for.

A backlog needs room to be worked off, so for that goal an operator counts as overloaded above the share FULL. F and G
are then at least the processors that work off what waits in time; the rule `catch_up` says so where more must be added.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.decisions.case import Case, Proposal
from planner.decisions.catch_up import plan_catch_up
from planner.decisions.wording import Reason, give_reason
from planner.queueing.erlang import least_stable_processors
from planner.queueing.instances.scaling import FARTHEST, find_peak
from planner.queueing.stations import Stations
from planner.topology.loads import MOST_PROCESSORS
from planner.wording import join_names, write_percent, write_rate

BAND = 0.75
"""Processors are given up where with fewer of them instances stay below this part of the share that is allowed."""
FULL = 0.9
MOST_FOR_HOT_KEY = 2
"""An operator whose hottest key no instance carries gets at most this many times the processors of even shares."""
ROUNDING = 1e-9


@dataclass(frozen=True)
class Room:
    """The operators at the highest rate to be ready for, and the share of its capacity that an instance may use."""

    stations: Stations
    share: float
    floors: Sequence[int] = ()
    """The processors that work off what waits; empty: nothing waits."""

    def find_fewest(self, part: float = 1.0, least: Sequence[int] | None = None) -> list[int]:
        """The fewest processors, `least` or more, within this part of the share; where none are, as near as helps."""
        stations, share = self.stations, part * self.share
        low = [int(few) for few in stations.min_processors]
        if self.floors:
            low = [max(two) for two in zip(low, self.floors, strict=True)]
        least = low if least is None else [max(two) for two in zip(low, least, strict=True)]
        rates = [float(rate) / share * (1.0 - ROUNDING) for rate in stations.arrival_rate]
        wanted = replace(stations, arrival_rate=rates)
        found, most = wanted.list_least_stable(least), list_useful(wanted)
        busy = wanted.find_utilisations([max(one, 1) for one in found])
        return [
            min(max(few, one if used < 1.0 else limit), limit)
            for few, one, used, limit in zip(low, found, busy, most, strict=True)
        ]

    def is_within(self, counts: Sequence[int]) -> list[bool]:
        """Whether each operator's busiest instance is within the share."""
        return [one <= self.share * (1.0 + ROUNDING) for one in self.stations.find_utilisations(counts)]

    def choose(self, running: Sequence[int]) -> list[int]:
        """The processors of each operator: those that run, where they are within the band, and else the fewest."""
        fewest, spare = self.find_fewest(), self.find_fewest(BAND)
        # With whole key groups more processors may be busier: then the next number above that is not.
        above = self.find_fewest(least=running)
        rows = zip(running, fewest, spare, above, self.is_within(above), strict=True)
        return [up if few <= runs <= most and is_within else few for runs, few, most, up, is_within in rows]


def list_useful(stations: Stations) -> list[int]:
    """The most processors that each operator may have and that serve more than fewer do."""
    useful = []
    rows = zip(stations.list_shares(), stations.max_processors, stations.arrival_rate, strict=True)
    for i, (shares, bound, rate) in enumerate(rows):
        most = min(int(bound), MOST_PROCESSORS)
        scaling = stations.inflows[i].scaling if stations.inflows else None
        if scaling is not None:
            most = min(most, find_peak(scaling) or FARTHEST)
        if shares is not None and shares.groups is not None:
            most = shares.find_best(most)
        elif shares is not None:
            even = least_stable_processors(float(rate), float(stations.service_rate[i]))
            most = min(most, MOST_FOR_HOT_KEY * max(even, 1))
        useful.append(max(most, int(stations.min_processors[i])))
    return useful


def propose_for_utilisation(case: Case) -> Proposal:
    """Proposes processors with which no instance uses more than the policy's share of its capacity."""
    share = case.policy.utilisation
    assert share is not None
    room = Room(case.sized[0].stations, share)
    return propose_room(case, room, f"the policy allows {write_percent(share)}")


def propose_for_backlog(case: Case) -> Proposal:
    """Proposes processors with room in every instance that work off what waits in time."""
    backlog, terms = case.backlog, case.question.catch_up
    planned = None
    if backlog is not None and terms is not None:
        planned = plan_catch_up(case.peak, backlog, terms.find_seconds(), None)
    room = Room(case.sized[0].stations, FULL, planned.floors if planned else ())
    return propose_room(case, room, f"above {write_percent(FULL)} it would count as overloaded")


def propose_room(case: Case, room: Room, limit: str) -> Proposal:
    """Proposes processors within a share of their capacity, with the limit in words."""
    situation, running, names = case.sized[0], case.running, case.situation.names
    counts = settle(case, room, room.choose(running))
    busy = room.stations.find_utilisations(running)
    busiest = busy.index(max(busy))
    is_missed = not all(room.is_within(running))
    said = {"rate": write_rate(situation.load.external_rate), "operator": names[busiest], "limit": limit}
    reasons = [
        give_reason("too-busy" if is_missed else "room-enough", share=write_percent(busy[busiest]), **said)
    ]
    if case.is_settling and counts == running:
        return Proposal(counts, (*reasons, give_reason("just-changed")), is_held=True)
    fewer = [name for name, one, runs in zip(names, counts, running, strict=True) if one < runs]
    fewest = None
    if fewer:
        reasons.append(give_reason("room-to-spare", names=join_names(fewer)))
    elif counts == running:
        fewest = min(sum(room.find_fewest()), sum(running))
        if fewest < sum(running):
            reasons.append(give_reason("within-the-band", band=write_percent(BAND * room.share)))
    grows = any(one > runs for one, runs in zip(counts, running, strict=True))
    limits = describe_shortage(room, counts, names)
    return Proposal(counts, tuple(reasons), limits, urgent=grows, fewest=fewest)


def settle(case: Case, room: Room, counts: Sequence[int]) -> list[int]:
    """The counts without what can wait: fewer soon after a change, and more for a forecast that needs no head start.

    Without a cooldown the next decision can still add what the newest rate asks for; and a forecast that has just seen
    a step asks for a second change.
    """
    found, running = list(counts), case.running
    if case.is_settling or not case.policy.cooldown_seconds:
        now = replace(room, stations=case.peak.stations).find_fewest()
        rows = zip(found, running, now, strict=True)
        found = [runs if few <= runs < one else one for one, runs, few in rows]
    return [max(two) for two in zip(found, running, strict=True)] if case.is_settling else found


def describe_shortage(room: Room, counts: Sequence[int], names: Sequence[str]) -> tuple[Reason, ...]:
    """The bounds that leave instances busier than allowed, by operator."""
    rows = zip(names, room.stations.find_utilisations(counts), room.is_within(counts), strict=True)
    return tuple(
        [
            give_reason("no-more-room", operator=name, share=write_percent(used))
            for name, used, is_within in rows
            if not is_within
        ]
    )
