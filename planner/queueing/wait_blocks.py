"""Waits of operators with bursts or with a queue for each processor, for blocks of numbers of processors at once.

An array of many waits takes hardly longer than one of few. Greedy keeps the gains of all operators nearly equal, and
VA²/(k − A) tuples wait at queues of their own: equal gains have k − A in proportion to A√V. So where one operator is
asked about, the counts that the others will be asked about are known, and are computed in the same array.
"""

from collections.abc import Iterable
from math import inf

import numpy as np

from planner.arrays import Counts, Floats
from planner.queueing.erlang import LEAST_LOAD
from planner.queueing.instance_queues import InstanceQueues

BLOCK = 16
"""Waits are computed for so many numbers of processors of one operator at once."""
TOGETHER = 48
"""So many neighbouring operators at most are computed at once."""
MOST_GUESSED = 2.0**40
"""Larger numbers of processors are asked about one operator at a time."""


class WaitBlocks:
    """The waits that were computed so far; which ones these are changes none of them."""

    __slots__ = ("filled", "known", "needs", "queues")

    def __init__(self, queues: InstanceQueues) -> None:
        self.queues = queues
        self.known: list[dict[int, float]] = [{} for _ in range(len(queues))]
        self.filled: list[set[int]] = [set() for _ in range(len(queues))]
        self.needs = list(zip(queues.high.tolist(), queues.need.tolist(), strict=True))

    def fill(self, place: int, k: int) -> None:
        """Compute the waits of the block of `k` at one operator, and of blocks that others are likely to need."""
        rows = [(place, find_first(k)), *self.guess_others(place, k)]
        places = np.repeat([one for one, _ in rows], BLOCK)
        counts = (np.array([first for _, first in rows], np.int64)[:, None] + np.arange(BLOCK)).ravel()
        waits = iter(wait_or_inf(self.queues.select(places), counts).tolist())
        for one, first in rows:
            self.known[one].update(zip(range(first, first + BLOCK), waits, strict=False))
            self.filled[one].add(first)

    def fill_exactly(self, asked: Iterable[tuple[int, int]]) -> None:
        """Compute the wait of each operator, by its place, at its count, and no more, where several are not known."""
        missing = [(place, k) for place, k in asked if k not in self.known[place]]
        if len(missing) > 1:
            places, counts = np.array(missing, np.int64).T
            waits = wait_or_inf(self.queues.select(places), counts).tolist()
            for (place, k), wait in zip(missing, waits, strict=True):
                self.known[place][k] = wait

    def guess_others(self, place: int, k: int) -> list[tuple[int, int]]:
        """Neighbours, and the first count of a block of theirs that is not known yet and near as long a queue."""
        load, need = self.needs[place]
        if need <= 0.0 or k > MOST_GUESSED:
            return []
        spare, rows = max(k - load, 0.0) / need, []
        begin = place // TOGETHER * TOGETHER
        for other in range(begin, min(begin + TOGETHER, len(self.needs))):
            load, need = self.needs[other]
            guess = load + spare * need
            if other == place or need <= 0.0 or guess > MOST_GUESSED:
                continue
            first = find_first(max(int(guess), 1))
            if first in self.filled[other]:
                first = find_first(max(int(guess), 1) + BLOCK - 1)
            if first not in self.filled[other]:
                rows.append((other, first))
        return rows


def find_first(k: int) -> int:
    """The first count of the block of k."""
    return (k - 1) // BLOCK * BLOCK + 1


def wait_or_inf(queues: InstanceQueues, counts: Counts) -> Floats:
    """The mean wait in seconds; inf where unstable, 0 where nothing arrives."""
    stable = queues.is_stable(counts)
    waits = np.where(stable, 0.0, inf)
    at = np.flatnonzero(stable & (queues.high >= LEAST_LOAD))
    waits[at] = queues.select(at).wait_in_services(counts[at]) / queues.service_rate[at]
    return waits
