"""The split of a budget that serves the largest part of the load, where no split serves all of it.

An operator serves 1/p times its service rate μ, where its busiest processor gets the part p of its tuples: kμ where k
processors share them evenly, less where a key is hot or key groups are dealt out whole. The part of its arrivals λ that
it serves is μ/(pλ). The smallest of these parts is the part that the whole topology serves.

With whole groups the served rate is a staircase in k. More processors than those at the beginning of a stair serve no
more, so the search gives none. Where capacity bends, k processors serve s(k)·kμ, and beyond a peak more serve less.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heapify, heappop, heappush
from math import ceil, inf

from planner.queueing.instances.key_shares import UNREACHABLE, KeyShares
from planner.queueing.instances.scaling import slow_down
from planner.queueing.mixed_queues import find_least_stable
from planner.queueing.stations import Stations
from planner.values import Scaling

HALVINGS = 60
"""Bisections of the served part; then fewer processors than operators are left to place."""
ROUNDING = 1e-9


@dataclass(frozen=True)
class ServedOperator:
    """An operator of a split: its offered load λ/μ, the shares of its instances if these are uneven, its bounds, and
    how its capacity bends.
    """

    load: float
    shares: KeyShares | None
    least: int
    most: int
    scaling: Scaling | None = None

    @property
    def has_stairs(self) -> bool:
        """Whether some numbers of processors serve no more than a smaller one."""
        return self.scaling is not None or (self.shares is not None and self.shares.groups is not None)

    @cached_property
    def stairs(self) -> tuple[list[int], list[float]]:
        """The numbers of processors that serve more than any smaller number, and what they serve, ascending."""
        found: tuple[list[int], list[float]] = ([], [])
        most = self.most if self.shares is None else max(self.shares.clip_idle(self.most), self.least)
        for k in range(self.least, most + 1):
            served = self.serve(k)
            if not found[1] or served > found[1][-1] * (1.0 + ROUNDING):
                found[0].append(k)
                found[1].append(served)
        return found

    def find_fewest(self, part: float) -> int:
        """The fewest processors that serve this part of the arrivals, or else the most of them that is possible."""
        wanted = part * self.load
        if self.shares is None and self.scaling is None:
            return min(max(self.least, ceil(wanted)), self.most)
        wanted *= 1.0 - ROUNDING
        if self.has_stairs:
            counts, served = self.stairs
            return counts[min(bisect_left(served, wanted), len(counts) - 1)]
        some = range(self.least, self.most)  # the busiest gets less with each further instance
        return self.least + bisect_left(some, wanted, key=self.serve)

    def find_next(self, count: int) -> int | None:
        """The next number of processors that serves more; None where there is none."""
        if not self.has_stairs:
            return count + 1 if count < self.most else None
        counts = self.stairs[0]
        at = bisect_left(counts, count + 1)
        return counts[at] if at < len(counts) else None

    def find_part(self, count: int) -> float:
        """The part of the arrivals that these processors serve."""
        return self.serve(count) / self.load

    def serve(self, count: int) -> float:
        """The offered load that so many processors can serve: their number, where they get equal parts of it and are
        as fast together as alone.
        """
        served = float(count) if self.shares is None else 1.0 / self.shares.find_hottest(count)
        return served if self.scaling is None else served * float(slow_down(self.scaling, float(count)))


def find_served(stations: Stations, counts: Sequence[int]) -> float:
    """The part of the arrivals that every operator can serve with these processors; above 1: all of them."""
    rows = zip(stations.list_capacities(counts), stations.arrival_rate, strict=True)
    return min((capacity / float(rate) for capacity, rate in rows if rate > 0.0), default=inf)


def straighten_hopeless(stations: Stations) -> tuple[Stations, list[int]]:
    """The stations without the scaling of operators whose processors cannot keep up at their peak; and their places."""
    general = stations.list_general()
    if stations.inflows is None or not stations.grouped:
        return stations, []
    floors = find_least_stable(stations.prepare_general(general)).tolist()
    places = [
        i
        for i, floor in zip(general, floors, strict=True)
        if floor >= UNREACHABLE and stations.inflows[i].scaling is not None
    ]
    inflows = [one._replace(scaling=None) if i in places else one for i, one in enumerate(stations.inflows)]
    return replace(stations, inflows=inflows), places


def split_most(stations: Stations, k_max: int) -> list[int] | None:
    """The split of `k_max` processors that serves the largest part of the load, within the bounds of operators.

    None if the least processors of all operators are more than k_max.
    """
    least = [int(one) for one in stations.min_processors]
    if sum(least) > k_max:
        return None
    rows = zip(
        stations.arrival_rate, stations.service_rate, stations.list_shares(), least,
        stations.max_processors, strict=True,
    )  # fmt: skip
    scalings = [one.scaling for one in stations.inflows] if stations.inflows else [None] * len(least)
    servers = [
        ServedOperator(float(rate) / float(mu), shares, low, max(min(int(most), k_max), low), scaling)
        for (rate, mu, shares, low, most), scaling in zip(rows, scalings, strict=True)
    ]
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        total = sum(one.find_fewest(middle) for one in servers)
        low, high = (middle, high) if total <= k_max else (low, middle)
    counts = [one.find_fewest(low) for one in servers]
    give_rest(counts, servers, k_max - sum(counts))
    return counts


def give_rest(counts: list[int], servers: Sequence[ServedOperator], left: int) -> None:
    """Gives the `left` processors, each time to the operator that serves the smallest part of its arrivals, as far as
    they make it serve more.
    """
    parts = [(one.find_part(counts[i]), i) for i, one in enumerate(servers) if one.load > 0.0]
    heapify(parts)
    while left > 0 and parts:
        place = heappop(parts)[1]
        following = servers[place].find_next(counts[place])
        if following is not None and following - counts[place] <= left:
            left -= following - counts[place]
            counts[place] = following
            heappush(parts, (servers[place].find_part(following), place))
