"""The fewest processors for a target of drawn times: a search on one draw, which is the same for every allocation.

    1. Along greedy's order for E[T], the first allocation that meets the target (its prefixes are nested).
    2. Every operator gives back what it can: then one fewer anywhere misses the target.
    3. Processors move between operators while that saves one (planner.quantiles.savings).

Where waits fall, more processors never lengthen the time of any drawn tuple, so steps 1 and 2 are exact. The search
ends when its evaluations are used up; then the allocation found meets the target, and fewer processors might too.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple

from planner.allocation.allocate import allocate_budget, check_bounds, set_board
from planner.errors import QuantileUnreachable
from planner.quantiles.draw import Draw
from planner.quantiles.savings import Counts, OutOfWork, change, save_processors
from planner.quantiles.times import measure_times, time_roots
from planner.quantiles.waits import AnyWait, Wait, find_waits
from planner.queueing.stations import NO_BOUND
from planner.situations.situation import Situation
from planner.topology.loads import MOST_PROCESSORS
from planner.values import TimeTarget

MOST_WORK = 100_000_000
"""Visits timed in one search, for about a second."""
LEAST_WORK = 2000
"""What a block of a draw costs at least, in visits."""
LEAST_EVALUATIONS = 80
"""Step 1 takes at most some sixty."""


class Fewest(NamedTuple):
    """The allocation that a search found, and how sure it is that no smaller allocation holds the target.

    `is_tight`: no allocation with one processor fewer at one operator holds; `is_fewest`: no other split of one fewer
    processor holds either.
    """

    counts: list[int]
    is_tight: bool
    is_fewest: bool


class DrawnTrial:
    """Tries allocations of one situation on one draw of tuples; `reserve` is the part of the time for waits to keep
    free.
    """

    def __init__(
        self,
        situation: Situation,
        draw: Draw,
        target: TimeTarget,
        reserve: float = 0.0,
        most_work: int = MOST_WORK,
    ) -> None:
        self.situation, self.draw, self.target = situation, draw, target
        self.reserve, self.aim_seconds = reserve, target.seconds
        stations = situation.stations
        floors = set_board(stations).floors
        check_bounds(stations, floors, situation.names)
        self.floors = tuple([int(floor) for floor in floors])
        self.ceilings = tuple([int(ceiling) for ceiling in stations.max_processors])
        self.cost = sum([max(len(block.services), LEAST_WORK) for block in draw.blocks])
        self.work_left = max(most_work, LEAST_EVALUATIONS * self.cost)
        self.known: dict[Counts, float] = {}
        self.seen: list[dict[int, AnyWait]] = [{} for _ in self.floors]
        self.services = [Wait(0.0, 0.0)] * len(self.floors)
        """The waits where no tuple waits."""
        self.best_waits = self.find_best_waits()

    def restart(self, seconds: float, most_work: int) -> None:
        """Begins a new search for a target of `seconds`, or of as few as can be; measured allocations stay known."""
        least = max(self.time(self.best_waits), self.time(self.services))
        self.target = replace(self.target, seconds=max(seconds, least))
        self.work_left = max(most_work, LEAST_EVALUATIONS * self.cost)

    def time(self, waits: Sequence[AnyWait]) -> float:
        """The time in seconds that the target limits, such as a quantile, under the given waits at the operators."""
        return measure_times(self.target, time_roots(self.draw, waits))

    def find_best_waits(self) -> Sequence[AnyWait]:
        """The wait at each operator with all the processors that it may have; an unbounded operator has no wait."""
        others = set(self.situation.stations.list_general())
        is_counted = [ceiling < NO_BOUND or i in others for i, ceiling in enumerate(self.ceilings)]
        most = [
            max(min(ceiling, MOST_PROCESSORS), floor) if counted else floor
            for ceiling, floor, counted in zip(self.ceilings, self.floors, is_counted, strict=True)
        ]
        waits = find_waits(self.situation, self.settle(tuple(most)))
        assert waits is not None
        return [wait if counted else Wait(0.0, 0.0) for wait, counted in zip(waits, is_counted, strict=True)]

    def measure(self, counts: Counts) -> float:
        """The time in seconds that the target limits, with these processors; raises OutOfWork."""
        if counts not in self.known:
            if self.work_left < self.cost:
                raise OutOfWork
            self.work_left -= self.cost
            self.known[counts] = self.time(self.find_waits(counts))
        return self.known[counts]

    def find_waits(self, counts: Counts) -> list[AnyWait]:
        """The wait at each operator, which depends on its own processors alone; found waits are kept."""
        counts = self.settle(counts)
        if any(count not in seen for count, seen in zip(counts, self.seen, strict=True)):
            waits = find_waits(self.situation, counts)
            assert waits is not None  # from the floors up every operator keeps up
            for seen, count, wait in zip(self.seen, counts, waits, strict=True):
                seen[count] = wait
        return [seen[count] for count, seen in zip(counts, self.seen, strict=True)]

    def settle(self, counts: Counts) -> Counts:
        """The counts without processors that are of no use where key groups are dealt out whole."""
        stations = self.situation.stations
        return tuple(stations.settle_counts(counts)) if stations.grouped else counts

    def holds(self, counts: Counts) -> bool:
        """Whether the drawn time with these processors is within the seconds that the search aims at."""
        return self.measure(counts) <= self.aim_seconds

    rank, may_hold = measure, holds


def search_fewest(trial: DrawnTrial) -> Fewest:
    """The fewest processors found that meet the target of `trial`; raises QuantileUnreachable."""
    counts, is_tight = give_back(trial, follow_greedy(trial))
    if is_tight:
        counts, is_tight = save_processors(trial, counts)
    counts = trial.settle(counts)
    is_fewest = counts == trial.floors or (is_tight and len(counts) == 1)
    return Fewest(list(counts), is_tight, is_fewest)


def follow_greedy(trial: DrawnTrial) -> Counts:
    """The first allocation in greedy's order for E[T] that meets the target."""
    least = sum(trial.floors)
    trial.aim_seconds = find_aim(trial)

    def allocate(spare: int) -> tuple[Counts, int]:
        found = allocate_budget(trial.situation.stations, least + spare, trial.situation.names)
        return tuple(found.counts), found.unused_processors

    low, high = -1, 0
    counts, unused = allocate(high)
    while not trial.holds(counts):
        if unused or high > MOST_PROCESSORS:  # no more processors would help
            raise QuantileUnreachable(
                trial.target.seconds, trial.measure(counts), measured=trial.target.measured
            )
        low, high = high, max(1, 2 * high)
        counts, unused = allocate(high)
    while high - low > 1:
        middle = (low + high) // 2
        between, _ = allocate(middle)
        if trial.holds(between):
            high, counts = middle, between
        else:
            low = middle
    return counts


def find_aim(trial: DrawnTrial) -> float:
    """The seconds at which a search aims, below the target by a part of the time that the target leaves for waits.

    Services do not err, so only waits get a reserve. Raises QuantileUnreachable where the target is missed even without
    any wait, or with all max_processors.
    """
    target = trial.target
    services = trial.time(trial.services)
    if target.seconds < services:
        raise QuantileUnreachable(target.seconds, services, measured=target.measured)
    least = trial.time(trial.best_waits)
    if target.seconds < least:
        is_bounded = any(ceiling < NO_BOUND for ceiling in trial.ceilings)
        raise QuantileUnreachable(
            target.seconds, least, bounded=is_bounded, waits=not is_bounded, measured=target.measured
        )
    return max(least, services + (target.seconds - services) * (1.0 - trial.reserve))


def give_back(trial: DrawnTrial, counts: Counts) -> tuple[Counts, bool]:
    """The allocation after each operator in turn gave back all processors that the target does not need.

    The second value is False where the evaluations did not last for all operators.
    """
    order = list(range(len(counts)))
    try:
        if 3 * len(order) * trial.cost <= trial.work_left:
            order.sort(
                key=lambda i: trial.measure(change(counts, i, -1)) if counts[i] > trial.floors[i] else inf
            )
        for operator in order:
            while counts[operator] > trial.floors[operator] and trial.holds(change(counts, operator, -1)):
                counts = change(counts, operator, -1)
    except OutOfWork:
        return counts, False
    return counts, True
