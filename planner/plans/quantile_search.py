"""The fewest processors for a target of drawn times: a search on one draw, which is the same for every allocation.

    1. Along greedy's order for E[T], the first allocation that meets the target (its prefixes are nested).
    2. Every operator gives back what it can: then one fewer anywhere misses the target.
    3. Exchanges: one processor fewer in total, moved about as long as that shortens the time.
    4. Branch and bound over all allocations of one processor fewer; where that ends, none is better.

More processors never lengthen the time of any drawn tuple where waits fall, so that 1, 2 and 4 are exact. Steps 3 and 4
end when the evaluations are used up; then the answer holds, and fewer processors in another split might hold too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf
from typing import NamedTuple

from planner.allocation.allocate import allocate_budget, check_bounds, set_board
from planner.errors import QuantileUnreachable
from planner.plans.drawn_waits import find_waits
from planner.plans.estimation import Situation
from planner.plans.time_target import TimeTarget
from planner.quantiles.root_times import time_roots
from planner.quantiles.tuple_draw import Draw
from planner.quantiles.waits import AnyWait, Wait
from planner.queueing.stations import NO_BOUND
from planner.topology.loads import MOST_PROCESSORS

MOST_WORK = 100_000_000
"""Visits timed in one search, for about a second."""
LEAST_WORK = 2000
"""What a block of a draw costs at least, in visits."""
LEAST_EVALUATIONS = 80
"""Step 1 takes at most some sixty."""

Counts = tuple[int, ...]
Partly = Sequence[int | None]
"""Processors of some operators; None: as good as it can be, without any wait or with all of its max_processors."""


class OutOfWork(Exception):
    """The evaluations of a search are used up."""


class Fewest(NamedTuple):
    """What a search found. `is_tight`: one processor fewer at any operator misses; `is_fewest`: so does any split."""

    counts: list[int]
    is_tight: bool
    is_fewest: bool


class DrawnTrial:
    """Allocations of one situation, timed on one draw."""

    def __init__(
        self,
        situation: Situation,
        draw: Draw,
        target: TimeTarget,
        wait_margin: float = 0.0,
        most_work: int = MOST_WORK,
    ) -> None:
        self.situation, self.draw, self.target = situation, draw, target
        self.wait_margin, self.aim_seconds = wait_margin, target.seconds
        stations = situation.stations
        floors = set_board(stations).floors
        check_bounds(stations, floors, situation.names)
        self.floors = tuple([int(floor) for floor in floors])
        self.ceilings = tuple([int(ceiling) for ceiling in stations.max_processors])
        self.cost = sum([max(len(block.services), LEAST_WORK) for block in draw.blocks])
        self.work_left = max(most_work, LEAST_EVALUATIONS * self.cost)
        self.known: dict[tuple[int | None, ...], float] = {}
        self.best = self.find_best_waits()
        self.seen: list[dict[int, AnyWait]] = [{} for _ in self.floors]
        self.fewest: Counts = ()
        """The fewest processors that were found to meet the target so far."""

    def restart(self, seconds: float, most_work: int) -> None:
        """Searches begin anew, for a target of `seconds`, or of as few as can be; what was measured stays known."""
        least = max(self.measure([None] * len(self.floors)), self.find_services())
        self.target = replace(self.target, seconds=max(seconds, least))
        self.fewest = ()
        self.work_left = max(most_work, LEAST_EVALUATIONS * self.cost)

    def find_services(self) -> float:
        """What the target is of, where no tuple waits."""
        return self.target.measure(time_roots(self.draw, [Wait(0.0, 0.0)] * len(self.floors)))

    def find_best_waits(self) -> list[AnyWait]:
        """The wait of each operator with all the processors that it may have; unbounded plain ones wait 0."""
        others = set(self.situation.stations.list_others())
        is_counted = [ceiling < NO_BOUND or i in others for i, ceiling in enumerate(self.ceilings)]
        most = [
            max(min(ceiling, MOST_PROCESSORS), floor) if counted else floor
            for ceiling, floor, counted in zip(self.ceilings, self.floors, is_counted, strict=True)
        ]
        waits = find_waits(self.situation, most)
        assert waits is not None
        return [wait if counted else Wait(0.0, 0.0) for wait, counted in zip(waits, is_counted, strict=True)]

    def measure(self, counts: Partly) -> float:
        """The time that the target is of; raises OutOfWork."""
        key = tuple(counts)
        if key not in self.known:
            if self.work_left < self.cost:
                raise OutOfWork
            self.work_left -= self.cost
            waits = self.find_waits(key)
            self.known[key] = self.target.measure(time_roots(self.draw, waits))
        return self.known[key]

    def find_waits(self, counts: Partly) -> list[AnyWait]:
        """The wait at each operator, which depends on its own processors alone; remembered."""
        full = [floor if count is None else count for count, floor in zip(counts, self.floors, strict=True)]
        if any(count not in seen for count, seen in zip(full, self.seen, strict=True)):
            waits = find_waits(self.situation, full)
            assert waits is not None  # from the floors up every operator keeps up
            for seen, count, wait in zip(self.seen, full, waits, strict=True):
                seen[count] = wait
        return [
            best if count is None else seen[count]
            for count, seen, best in zip(counts, self.seen, self.best, strict=True)
        ]

    def is_met(self, counts: Partly) -> bool:
        """Whether what is aimed at is met."""
        is_met = self.measure(counts) <= self.aim_seconds
        full = tuple([count for count in counts if count is not None])
        if is_met and len(full) == len(counts) and (not self.fewest or sum(full) < sum(self.fewest)):
            self.fewest = full
        return is_met

    def is_falling(self) -> bool:
        """Whether all waits that were looked at fall with more processors, which exactness rests on."""
        for seen in self.seen:
            waits = [seen[count] for count in sorted(seen)]
            if any(after.is_longer_than(before) for before, after in pairwise(waits)):
                return False
        return True


def search_fewest(trial: DrawnTrial) -> Fewest:
    """The fewest processors that the search finds; raises QuantileUnreachable."""
    counts, is_tight = follow_greedy(trial), False
    try:
        for look in (exchange, find_fewer):
            counts, is_tight = give_back(trial, counts), True
            while (fewer := look(trial, counts)) is not None:
                is_tight = False
                counts, is_tight = give_back(trial, fewer), True
    except OutOfWork:
        return Fewest(list(trial.fewest), is_tight, is_fewest=False)
    return Fewest(list(counts), is_tight, is_fewest=trial.is_falling())


def follow_greedy(trial: DrawnTrial) -> Counts:
    """The first allocation in greedy's order for E[T] that meets the target."""
    least = sum(trial.floors)
    trial.aim_seconds = find_aim(trial)

    def allocate(spare: int) -> tuple[Counts, int]:
        found = allocate_budget(trial.situation.stations, least + spare, trial.situation.names)
        return tuple(found.counts), found.unused_processors

    low, high = -1, 0
    counts, unused = allocate(high)
    while not trial.is_met(counts):
        if unused or high > MOST_PROCESSORS:  # no more processors would help
            raise QuantileUnreachable(
                trial.target.seconds, trial.measure(counts), measured=trial.target.measured
            )
        low, high = high, max(1, 2 * high)
        counts, unused = allocate(high)
    while high - low > 1:
        middle = (low + high) // 2
        between, _ = allocate(middle)
        if trial.is_met(between):
            high, counts = middle, between
        else:
            low = middle
    return counts


def find_aim(trial: DrawnTrial) -> float:
    """The seconds to aim at: the margin is a part of what the target leaves for waits, since services do not err.

    Raises QuantileUnreachable where the target is missed even without any wait, or with all max_processors.
    """
    target = trial.target
    services = trial.find_services()
    if target.seconds < services:
        raise QuantileUnreachable(target.seconds, services, measured=target.measured)
    nothing: Partly = [None] * len(trial.floors)
    least = trial.measure(nothing)
    if target.seconds < least:
        is_bounded = any(ceiling < NO_BOUND for ceiling in trial.ceilings)
        raise QuantileUnreachable(
            target.seconds, least, bounded=is_bounded, waits=not is_bounded, measured=target.measured
        )
    return max(least, services + (target.seconds - services) * (1.0 - trial.wait_margin))


def change(counts: Counts, operator: int, by: int) -> Counts:
    """The allocation with another count at one operator."""
    return (*counts[:operator], counts[operator] + by, *counts[operator + 1 :])


def give_back(trial: DrawnTrial, counts: Counts) -> Counts:
    """The allocation after each operator in turn gave back all that the target does not need of it."""
    order = list(range(len(counts)))
    if 3 * len(order) * trial.cost <= trial.work_left:
        order.sort(key=lambda i: trial.measure(change(counts, i, -1)) if counts[i] > trial.floors[i] else inf)
    for operator in order:
        while counts[operator] > trial.floors[operator] and trial.is_met(change(counts, operator, -1)):
            counts = change(counts, operator, -1)
    return counts


def give_one_back(trial: DrawnTrial, counts: Counts) -> Counts | None:
    """The fastest allocation with one processor fewer at one operator; None where every one is at its floor."""
    fewer = [change(counts, i, -1) for i, floor in enumerate(trial.floors) if counts[i] > floor]
    return min(fewer, key=trial.measure, default=None)


def take_one_more(trial: DrawnTrial, counts: Counts) -> Counts | None:
    """The fastest allocation with one processor more at one operator; None where every one is at its ceiling."""
    more = [change(counts, i, 1) for i, ceiling in enumerate(trial.ceilings) if counts[i] < ceiling]
    return min(more, key=trial.measure, default=None)


def exchange(trial: DrawnTrial, counts: Counts) -> Counts | None:
    """An allocation with one processor fewer that meets the target; None where moving one by one finds none."""
    now = give_one_back(trial, counts)
    while now is not None and not trial.is_met(now):
        more = take_one_more(trial, now)
        moved = give_one_back(trial, more) if more is not None else None
        now = moved if moved is not None and trial.measure(moved) < trial.measure(now) else None
    return now


def find_fewer(trial: DrawnTrial, counts: Counts) -> Counts | None:
    """An allocation with one processor fewer that meets the target, by branch and bound; None: there is none."""
    least = [find_least(trial, counts, operator) for operator in range(len(counts))]
    spare = sum(counts) - 1 - sum(least)
    if spare < 0:
        return None
    order = sorted(
        range(len(counts)), key=lambda i: least[i] - counts[i]
    )  # where most can be given back first
    return next(branch(trial, tuple(least), order, spare), None)


def find_least(trial: DrawnTrial, counts: Counts, operator: int) -> int:
    """The fewest processors of one operator that could meet the target, with all others as good as they can be."""
    low, high = trial.floors[operator], counts[operator]
    while low < high:
        middle = (low + high) // 2
        alone: list[int | None] = [None] * len(counts)
        alone[operator] = middle
        low, high = (low, middle) if trial.is_met(alone) else (middle + 1, high)
    return low


def branch(trial: DrawnTrial, counts: Counts, order: Sequence[int], spare: int) -> Iterator[Counts]:
    """The allocations that meet the target with at most `spare` more processors at the operators of `order`."""
    first, *rest = order
    for given in range(spare + 1) if rest else [spare]:
        chosen = change(counts, first, min(given, trial.ceilings[first] - counts[first]))
        left = spare - given
        hoped = chosen
        for operator in rest:  # each of them cannot get more than all that is left
            hoped = change(hoped, operator, min(left, trial.ceilings[operator] - hoped[operator]))
        if not trial.is_met(hoped):
            continue
        if not rest or not left:
            yield hoped
        else:
            yield from branch(trial, chosen, rest, left)
