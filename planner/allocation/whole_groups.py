"""The exact finish of greedy where key groups are dealt out whole, so that waits are stairs in the processors.

Greedy moves along the lower convex hull h of each operator's waiting tuples f ≥ h (stair_curves.StairCurve). At its
counts c, with the gain θ of the last processor, every allocation k obeys

    Σ f(k) = Σ h(c) − θ·Σ(k − c) + Σ r(k),     r(k) = f(k) − h(c) + θ(k − c) ≥ 0

So Σ h(c) is a bound, and where all counts of greedy lie on the hull, they reach it: nothing is left to search. Else one
operator stands inside a stair. Then any allocation gives the most r that a better one may have, few counts of each
operator have no more, and dynamic programming over the sum of processors tries all of them. Operators without groups
are one item of it: their gains in greedy's order. Only a search with more than MOST_WORK sums leaves counts out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from math import fsum, inf
from typing import NamedTuple

import numpy as np

from planner.allocation.greedy_scalar import ScalarBoard
from planner.arrays import Counts, Floats
from planner.errors import TargetUnreachable
from planner.queueing.gain_curves import ScalarQueues
from planner.queueing.instances.stair_curves import StairCurve, look_further
from planner.queueing.sojourns import meets_target, sum_sojourns
from planner.queueing.stations import Stations
from planner.topology.loads import MOST_PROCESSORS

MOST_WORK = 30_000_000
"""Sums of the dynamic programming: some tenths of a second."""
MOST_WALKED = 20_000
ROUNDING, EXACT = 1e-9, 1e-13
IsMet = Callable[[list[int]], bool]


class Options(NamedTuple):
    """Numbers of processors more than greedy's, with the change of waiting tuples and r for each, in order."""

    more: list[int]
    change: list[float]
    excess: list[float]

    def limit(self, allowed: float) -> "Options":
        """The options whose r is at most `allowed`; greedy's own count, if it is one, always is."""
        kept = [i for i, r in enumerate(self.excess) if r <= allowed]
        return Options(
            [self.more[i] for i in kept], [self.change[i] for i in kept], [self.excess[i] for i in kept]
        )


class Finished(NamedTuple):
    """The processors of all operators, and whether it is shown that no others are better."""

    counts: list[int]
    is_shown: bool


@dataclass(frozen=True)
class Finish:
    """The search around greedy's counts on a board; θ is the gain of each processor inside the stair."""

    board: ScalarBoard
    stairs: list[tuple[int, StairCurve]]
    theta: float

    @classmethod
    def prepare(cls, board: ScalarBoard) -> "Finish | None":
        """The search around the counts of the board; None where they all lie on the hull, and so are the best."""
        stairs = [(i, one) for i, one in enumerate(board.curves) if isinstance(one, StairCurve)]
        inside = [one[board.counts[i]] for i, one in stairs if not one.is_on_hull(board.counts[i])]
        return cls(board, stairs, inside[0]) if inside else None

    def list_options(self, i: int, curve: StairCurve, allowed: float) -> Options:
        """The useful counts of an operator with whole groups whose r is at most `allowed`."""
        k, base, found = self.board.counts[i], curve.waiting(self.board.counts[i]), Options([], [], [])
        counts, waits = curve.list_useful(base, self.theta, k, allowed)
        for count, waiting in zip(counts, waits, strict=True):
            found.more.append(count - k)
            found.change.append(waiting - base)
            found.excess.append(waiting - base + self.theta * (count - k))
        return found.limit(allowed)

    def split_rest(self) -> ScalarBoard:
        """A board of the operators without whole groups, with greedy's counts."""
        places = [i for i, one in enumerate(self.board.curves) if not isinstance(one, StairCurve)]
        rest = ScalarBoard(
            ScalarQueues([self.board.curves[i] for i in places]), [self.board.ceilings[i] for i in places]
        )
        rest.counts = [self.board.counts[i] for i in places]
        return rest

    def list_rest(self, allowed: float, most_fewer: int, most_more: int) -> Options:
        """The sums of processors of the operators without whole groups, each in the best split."""
        up, down = self.split_rest(), self.split_rest()
        more, fewer = Options([0], [0.0], [0.0]), Options([], [], [])
        for found, gains, sign, most in (
            (more, up.take_in_order(), 1, most_more),
            (fewer, down.give_back_in_order(), -1, most_fewer),
        ):
            change = excess = 0.0
            for step, gain in enumerate(islice(gains, min(most, MOST_WALKED)), 1):
                change, excess = change - sign * gain, excess + sign * (self.theta - gain)
                if excess > allowed:
                    break
                found.more.append(sign * step)
                found.change.append(change)
                found.excess.append(excess)
        return Options(
            fewer.more[::-1] + more.more, fewer.change[::-1] + more.change, fewer.excess[::-1] + more.excess
        )

    def list_items(self, allowed: float) -> tuple[list[Options], bool]:
        """The options of each operator with whole groups, and last those of the rest; False if some were left out."""
        allowed += ROUNDING * allowed + EXACT * self.board.count_waiting()
        stairs = [self.list_options(i, one, allowed) for i, one in self.stairs]
        most_more = self.find_climb() - sum_least(stairs)
        items = [*stairs, self.list_rest(allowed, sum_most(stairs), most_more)]
        is_complete = all(one.is_complete for _, one in self.stairs)
        while sum(len(one.more) for one in items) * (sum_most(items) - sum_least(items)) > MOST_WORK:
            allowed, is_complete = allowed / 2.0, False
            items = [one.limit(allowed) for one in items]
        return items, is_complete

    def list_counts(self, items: Sequence[Options], chosen: Sequence[int]) -> list[int]:
        """The processors of all operators of the topology, with the chosen option of each item."""
        counts = list(self.board.counts)
        for (i, _), item, at in zip(self.stairs, items, chosen, strict=False):
            counts[i] += item.more[at]
        rest = self.split_rest()
        if by := items[-1].more[chosen[-1]]:
            rest.step(by)
        places = [i for i, one in enumerate(self.board.curves) if not isinstance(one, StairCurve)]
        for i, count in zip(places, rest.counts, strict=True):
            counts[i] = count
        return self.board.fill_counts(counts)

    def find_fall(self) -> float:
        """How many more tuples wait than greedy's bound says, if each operator inside a stair goes down to a useful
        count.
        """
        falls = []
        for i, one in self.stairs:
            count = self.board.counts[i]
            falls.append(one.count_waiting(one.settle(count)) - one.waiting(count))
        return max(fsum(falls), 0.0)

    def find_climb(self) -> int:
        """The processors that are missing until each operator stands on the hull, with no more waiting tuples."""
        return sum(one.climb(self.board.counts[i]) for i, one in self.stairs)


def sum_least(items: Sequence[Options]) -> int:
    """The fewest processors more, or the most fewer, that the options allow together."""
    return sum(item.more[0] for item in items)


def sum_most(items: Sequence[Options]) -> int:
    """The most processors more that the options allow together."""
    return sum(item.more[-1] for item in items)


@dataclass(frozen=True)
class Sums:
    """The least change of waiting tuples for each sum of processors, from `least` up, and the options that give it."""

    items: Sequence[Options]
    least: int
    change: Floats
    choices: list[Counts]

    @classmethod
    def add_up(cls, items: Sequence[Options]) -> "Sums":
        """All sums of one option of each item, by dynamic programming."""
        least = sum_least(items)
        width = sum_most(items) - least + 1
        best: Floats = np.full(width, inf)
        best[0] = 0.0
        choices = []
        for item in items:
            after: Floats = np.full(width, inf)
            choice = np.zeros(width, np.int64)
            for at, (more, change) in enumerate(zip(item.more, item.change, strict=True)):
                shift = more - item.more[0]
                found, known = best[: width - shift] + change, after[shift:]
                better = found < known
                known[better] = found[better]
                choice[shift:][better] = at
            best = after
            choices.append(choice)
        return cls(items, least, best, choices)

    def choose(self, more: int) -> list[int]:
        """The option of each item with which `more` processors more are used best."""
        place, chosen = more - self.least, []
        for item, choice in zip(reversed(self.items), reversed(self.choices), strict=True):
            at = int(choice[place])
            chosen.append(at)
            place -= item.more[at] - item.more[0]
        return chosen[::-1]


def finish_budget(board: ScalarBoard, k_max: int) -> Finished:
    """The best allocation of at most `k_max` processors, from greedy's on the hull, which is on the board."""
    search = Finish.prepare(board)
    if search is None:
        return Finished(list(board.list_counts()), board.is_falling())
    items, is_complete = search.list_items(search.find_fall())
    sums = Sums.add_up(items)
    spare = k_max - board.total
    place = int(np.argmin(sums.change[: max(spare - sums.least + 1, 1)]))
    counts = search.list_counts(items, sums.choose(place + sums.least))
    return Finished(counts, is_complete and board.is_falling())


def finish_target(board: ScalarBoard, limit: float, is_met: IsMet) -> Finished | None:
    """The fewest processors with which the target is met and at most `limit` tuples wait, from greedy's on the hull.

    None where no allocation with about as many processors meets the target.
    """
    search = Finish.prepare(board)
    if search is None:
        counts = list(board.list_counts())
        return Finished(counts, board.is_falling()) if is_met(counts) else None
    room, climb = limit - board.count_waiting(), search.find_climb()
    items, is_complete = search.list_items(max(room, 0.0) + search.theta * climb)
    sums = Sums.add_up(items)
    slack = ROUNDING * limit
    for place in np.flatnonzero(sums.change[: climb - sums.least + 1] <= room + slack).tolist():
        counts = search.list_counts(items, sums.choose(place + sums.least))
        if is_met(counts):
            return Finished(counts, is_complete and board.is_falling())
    return None


def finish_to_target(
    stations: Stations, board: ScalarBoard, limit: float, t_max_seconds: float, external_rate: float
) -> Finished:
    """The fewest processors for a target where key groups are dealt out whole, from greedy's on the hulls."""

    def is_met(counts: Sequence[int]) -> bool:
        waits = stations.queues.wait_seconds(counts)
        return meets_target(stations, waits, external_rate, t_max_seconds)

    board.step(-1)  # in case that rounding took one processor too many
    while (found := finish_target(board, limit, is_met)) is None:
        if not board.step(1):
            reached = sum_sojourns(stations, board.list_waits(), external_rate)
            raise TargetUnreachable(t_max_seconds, reached, bounded=False, waits=True)
    return found


def is_reached(stations: Stations, t_max_seconds: float, external_rate: float) -> bool:
    """Whether a target is met by the best counts with whole groups, looked for as far as it takes."""
    curves = {i: one for i in stations.grouped if isinstance(one := stations.curves[i], StairCurve)}
    most: list[int] = np.minimum(stations.max_processors, MOST_PROCESSORS).tolist()
    while True:
        for i, curve in curves.items():
            most[i] = curve.settle(curve.candidates[curve.known - 1]) if curve.known else curve.floor
        if meets_target(stations, stations.queues.wait_seconds(most), external_rate, t_max_seconds):
            return True
        if not look_further(list(curves.values())):
            return False
