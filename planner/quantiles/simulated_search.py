"""The fewest processors that hold a target in simulation.

Modelled waits err by some percent to either side, and by more at some operators than at others. So the splits of a
number of processors (planner.quantiles.splits) are found on a draw whose waits have, at each operator, the mean that
two simulations show. Then simulations decide:
a number of processors is found by halving, of which one of these splits holds, and none of one fewer.

Splits, and numbers that are tried, depend neither on the target nor on its quantile, and every condition that a strict
target meets, a looser one meets too. So a stricter target, or a higher quantile, never takes fewer processors. Of one
number only the MOST_SPLITS best splits on the draw are simulated: what holds best of many holds by luck.
"""

from collections.abc import Iterator
from math import inf
from typing import NamedTuple

from planner.quantiles.search import DrawnTrial, Fewest
from planner.quantiles.simulator import Simulator
from planner.quantiles.splits import Counts, find_first, unite
from planner.queueing.queueings import ROUND_ROBIN

LOOKS = 2
"""Runs of a first look."""
MOST_SPLITS = 6
MOST_PART = 2.5
"""Of the time that the target leaves for waits: a split that needs more of it on the draw is not simulated."""
NEAR, EARLY = 1.5, 0.8
"""A first look that needs more than NEAR of it ends the search among splits; one within EARLY of the target holds."""
LEAST_FACTOR, MOST_FACTOR = 0.25, 4.0
LITTLE = 1e-3
"""Waits shorter than this part of a service say nothing of the model."""
NO_WAIT = 0.01
"""The part of the services' time below which drawn waits leave nothing to gain."""
STILL = 0.99
"""Twice the processors that leave so much of the drawn times gain no more: a hot key waits with any number."""
MOST_TOTAL = 2**20
BELOW, COARSE = 0.06, 6
"""A number that holds may lie below ones that do not, as instances keep in step: some numbers there are tried."""


class Tried(NamedTuple):
    """The splits of a number of processors, and whether these are all."""

    splits: list[Counts]
    is_all: bool


class SimulatedTrial:
    """Tries numbers of processors for one situation: first on drawn tuples, then in simulation."""

    def __init__(self, ladder: DrawnTrial, simulator: Simulator) -> None:
        self.ladder, self.simulator = ladder, simulator
        self.seconds, self.services = ladder.target.seconds, ladder.time(ladder.services)
        self.least = sum(ladder.floors)
        self.listed: dict[int, Tried] = {}
        self.shown: set[int] = set()
        """The numbers of processors of which all splits were tried."""

    def find_room(self, part: float) -> float:
        """The seconds of which waits may take `part` times what the target leaves for them."""
        return self.services + part * (self.seconds - self.services)

    def holds(self, total: int) -> bool:
        """Whether a split of so many processors holds the target in the runs of the search."""
        ladder, start = self.ladder, self.ladder.splits.allocate(total)
        if ladder.measure(start) > self.find_room(MOST_PART):
            return False
        first = self.look(start)
        if first > self.find_room(NEAR):
            return False
        return first <= EARLY * self.seconds or self.find_split(total) is not None

    def holds_split(self, counts: Counts) -> bool:
        """Whether a split holds the target in all runs."""
        return self.look(counts) <= self.seconds and self.simulator.holds(counts, self.seconds)

    def look(self, counts: Counts) -> float:
        """The mean time in the first runs, in seconds."""
        return self.simulator.look(self.ladder.splits.settle(counts), LOOKS)

    def list_close(self, total: int) -> list[Counts]:
        """The splits of so many processors that are not far from the target on the draw."""
        tried = self.list_splits(total)
        if tried.is_all:
            self.shown.add(total)
        return [one for one in tried.splits if self.ladder.measure(one) <= self.find_room(MOST_PART)]

    def list_splits(self, total: int) -> Tried:
        """The splits of so many processors, the best on the draw first."""
        if total not in self.listed:
            splits, start = self.ladder.splits, self.ladder.splits.allocate(total)
            factors = self.find_factors(splits.settle(start))
            every = splits.list_all(total)
            if every is None:
                ranked = self.ladder.improve(total, factors)
            else:
                ranked = sorted(every, key=lambda one: self.ladder.rank(one, factors))
            best = unite([splits.settle(one) for one in ranked])[:MOST_SPLITS]
            self.listed[total] = Tried(best, every is not None and len(best) == len(ranked))
        return self.listed[total]

    def find_factors(self, counts: Counts) -> list[float]:
        """By what the mean wait of each operator is longer in simulation than modelled."""
        situation = self.ladder.situation
        waits, seen = situation.wait_seconds(counts), self.simulator.look_at_waits(counts, LOOKS)
        rows = zip(waits, seen, situation.stations.service_rate, strict=True)
        return [
            min(max(shown / wait, LEAST_FACTOR), MOST_FACTOR) if wait * float(mu) > LITTLE else 1.0
            for wait, shown, mu in rows
        ]

    def find_split(self, total: int) -> Counts | None:
        """The first split of so many processors that holds the target in all runs."""
        return next((one for one in self.list_close(total) if self.holds_split(one)), None)

    def find_most(self) -> int:
        """The number of processors from which drawn waits are a small part of the services."""
        ladder, total, before = self.ladder, 1, inf
        while total < MOST_TOTAL:
            total *= 2
            if total < self.least:
                continue
            counts = ladder.splits.allocate(total)
            found = ladder.rank(counts)
            if found > STILL * before:
                return total // 2
            if sum(counts) < total or found <= (1.0 + NO_WAIT) * ladder.rank_services():
                break
            before = found
        return total


def search_simulated(trial: SimulatedTrial) -> Fewest:
    """The fewest processors found that hold the target in simulation, or the most that were tried if none hold."""
    most = trial.find_most()
    first = find_first(trial.holds, trial.least, most)
    in_turn = any(one.queueing == ROUND_ROBIN for one in trial.ladder.situation.topology.operators)
    for total in () if first is None else list_near(first, most, BELOW if in_turn else 0.0):
        counts = None if total < trial.least else trial.find_split(total)
        if counts is not None:
            is_fewest = total == trial.least or total - 1 in trial.shown
            return Fewest(list(counts), is_tight=True, is_fewest=is_fewest)
    return Fewest(list(trial.list_splits(most).splits[0]), is_tight=False, is_fewest=False)


def list_near(first: int, most: int, below: float = BELOW) -> Iterator[int]:
    """Some numbers below the first one found, by up to the part `below` of it, and then all from there on.

    Those below are multiples of a power of two, the same for all first numbers, so that the law of find_first stays.
    """
    for total in range(first - int(below * first), first):
        if total % 2 ** max(total.bit_length() - COARSE, 0) == 0:
            yield total
    yield from range(first, most + 1)
