"""The fewest processors for a target of drawn times: a search on one draw, which is the same for every allocation.

    1. Each number of processors has splits that are worth a try (planner.quantiles.splits). They depend neither on the
       target nor on its quantile.
    2. The answer is a number of which one of these splits meets the target, and none of one processor fewer. It is
       found by halving, on numbers that are the same for all targets.

So a stricter target never takes fewer processors, and neither does a higher quantile. Where all splits are tried, the
answer is exact: where waits fall, more processors never lengthen the time of any drawn tuple.
"""

from collections.abc import Iterator, Sequence
from math import ceil
from typing import NamedTuple

import numpy as np

from planner.allocation.allocate import check_bounds, set_board
from planner.errors import QuantileUnreachable
from planner.quantiles.draw import Draw
from planner.quantiles.splits import Counts, Splits, find_first
from planner.quantiles.times import RootTimes, measure_times, time_roots
from planner.quantiles.waits import AnyWait, Wait, find_waits, stretch_waits
from planner.queueing.stations import NO_BOUND
from planner.situations.situation import Situation
from planner.topology.loads import MOST_PROCESSORS
from planner.values import TimeTarget

TAIL = 0.04
"""The part of the drawn external tuples whose times tell a good split: those around a p99."""
RANK_WORK = 30_000_000
"""Visits timed to find the split of one number of processors, for about a third of a second."""
LEAST_WORK = 2000
"""What a block of a draw costs at least, in visits."""
FAR, NEAR = 2.0, 1.3
"""Where the split of least E[T] needs FAR times the time for waits, or a better one NEAR times, no other is tried."""
ALWAYS = 10
"""So few splits are all tried."""


class Fewest(NamedTuple):
    """The allocation that a search found, and how sure it is that no smaller allocation holds the target.

    `is_tight`: no split of one fewer processor that was tried holds; `is_fewest`: all such splits were tried.
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
    ) -> None:
        self.situation, self.draw, self.target, self.reserve = situation, draw, target, reserve
        stations = situation.stations
        floors = set_board(stations).floors
        check_bounds(stations, floors, situation.names)
        self.floors = tuple([int(floor) for floor in floors])
        self.ceilings = tuple([int(ceiling) for ceiling in stations.max_processors])
        self.cost = sum([max(len(block.services), LEAST_WORK) for block in draw.blocks])
        self.splits = Splits(situation, self.floors, self.ceilings)
        self.known: dict[Counts, float] = {}
        self.seen: list[dict[int, AnyWait]] = [{} for _ in self.floors]
        self.services = [Wait(0.0, 0.0)] * len(self.floors)
        """The waits where no tuple waits."""
        self.best_waits = self.find_best_waits()

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
        waits = find_waits(self.situation, self.splits.settle(tuple(most)))
        assert waits is not None
        return [wait if counted else Wait(0.0, 0.0) for wait, counted in zip(waits, is_counted, strict=True)]

    def measure(self, counts: Counts) -> float:
        """The time in seconds that the target limits, with these processors."""
        if counts not in self.known:
            self.known[counts] = self.time(self.find_waits(counts))
        return self.known[counts]

    def rank(self, counts: Counts, factors: Sequence[float] | None = None) -> float:
        """The mean time of the slowest drawn tuples, with the waits of each operator times its factor."""
        waits = self.find_waits(counts)
        if factors is not None:
            waits = [stretch_waits([one], by)[0] for one, by in zip(waits, factors, strict=True)]
        return average_slowest(self.target, time_roots(self.draw, waits))

    def rank_services(self) -> float:
        """The mean time of the slowest drawn tuples where no tuple waits."""
        return average_slowest(self.target, time_roots(self.draw, self.services))

    def improve(self, total: int, factors: Sequence[float] | None = None) -> list[Counts]:
        """Splits of `total` processors, the best first, by moves from that with the least E[T]."""
        most = RANK_WORK // self.cost
        return self.splits.improve(
            self.splits.allocate(total), total, lambda counts: self.rank(counts, factors), most
        )

    def find_waits(self, counts: Counts) -> list[AnyWait]:
        """The wait at each operator, which depends on its own processors alone; found waits are kept."""
        counts = self.splits.settle(counts)
        if any(count not in seen for count, seen in zip(counts, self.seen, strict=True)):
            waits = find_waits(self.situation, counts)
            assert waits is not None  # from the floors up every operator keeps up
            for seen, count, wait in zip(self.seen, counts, waits, strict=True):
                seen[count] = wait
        return [seen[count] for count, seen in zip(counts, self.seen, strict=True)]


def average_slowest(target: TimeTarget, times: RootTimes) -> float:
    """The mean of the limited time over the slowest drawn external tuples; over all where the target limits a mean."""
    seconds = times.total if target.of == "total" else times.completion
    if target.quantile is None:
        return float(seconds.mean())
    first = len(seconds) - ceil(TAIL * len(seconds))
    return float(np.partition(seconds, first)[first:].mean())


class DrawnSearch:
    """The search for the fewest processors on a draw; `ranked` ranks splits on a draw of fewer tuples."""

    def __init__(self, trial: DrawnTrial, ranked: DrawnTrial | None = None) -> None:
        self.trial, self.ranked = trial, ranked or trial
        self.least = sum(trial.floors)
        self.services = trial.time(trial.services)
        self.aim_seconds = find_aim(trial)
        self.held: dict[int, Counts] = {}
        self.shown: set[int] = set()
        """The numbers of processors of which all splits were tried."""

    def holds(self, total: int) -> bool:
        """Whether a split of so many processors holds the target."""
        counts = next((one for one in self.list_splits(total) if self.measure(one) <= self.aim_seconds), None)
        if counts is not None:
            self.held[total] = counts
        return counts is not None

    def list_splits(self, total: int) -> Iterator[Counts]:
        """The splits of so many processors that are worth a try, each found when it is needed."""
        splits = self.trial.splits
        start, every = splits.allocate(total), splits.list_all(total)
        if every is not None and len(every) <= ALWAYS:
            self.shown.add(total)
            yield from every
            return
        yield start
        if self.measure(start) <= self.find_room(FAR):
            best = self.ranked.improve(total)[0]
            yield best
            if every is not None and self.measure(best) <= self.find_room(NEAR):
                self.shown.add(total)
                yield from every

    def measure(self, counts: Counts) -> float:
        """The time that the target limits, with these processors, in seconds."""
        return self.trial.measure(counts)

    def find_room(self, part: float) -> float:
        """The seconds of which waits may take `part` times what the search aims at."""
        return self.services + part * (self.aim_seconds - self.services)


def search_fewest(trial: DrawnTrial, ranked: DrawnTrial | None = None) -> Fewest:
    """The fewest processors found that meet the target of `trial`; raises QuantileUnreachable."""
    search = DrawnSearch(trial, ranked)
    total = find_first(search.holds, search.least, 2 * MOST_PROCESSORS)
    if total is None:  # no more processors would help
        target, most = trial.target, trial.splits.allocate(2 * MOST_PROCESSORS)
        raise QuantileUnreachable(target.seconds, trial.measure(most), measured=target.measured)
    counts = trial.splits.settle(search.held[total])
    is_fewest = total == search.least or total - 1 in search.shown
    return Fewest(list(counts), is_tight=True, is_fewest=is_fewest)


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
