"""The gain of each further processor at an operator with bursts or with a queue for each processor.

The gain is the difference of two waits. Waits fall like 1/(k − A) or slower here, so the difference keeps all but the
digits of k − A. Where the wait would rise with one processor more it stays; greedy then looks ahead to where it falls.
"""

from math import inf

import numpy as np

from planner.queueing.erlang import LEAST_LOAD
from planner.queueing.gain_curve import LEAST_GAIN, Curve
from planner.queueing.instance_queues import InstanceQueues
from planner.queueing.waiting_models import VariabilityWeights

AHEAD = 16
"""Waits are computed for so many numbers of processors at once: an array of 16 takes hardly longer than one of 2."""
FAR = 2**53
FARTHEST = 2**30


class InstanceCurve(Curve):
    """The gains of one operator, as gain_curve.Curve has them for a shared queue."""

    __slots__ = ("queues",)

    def __init__(self, queues: InstanceQueues, arrival_rate: float, min_processors: int) -> None:
        super().__init__(arrival_rate, float(queues.service_rate[0]), VariabilityWeights(1.0), min_processors)
        self.queues = queues
        shares = queues.shares[0]
        if shares is not None and queues.has_shares:
            self.floor = max(self.floor, shares.find_least_stable(self.high))
        self.is_busy = self.high >= LEAST_LOAD and self.floor < FAR and self.wait_seconds(self.floor) > 0.0

    def wait_seconds(self, k: int) -> float:
        """The mean wait; inf where an instance cannot keep up."""
        wait = self._waits.get(k)
        if wait is None:
            self.look_around(k)
            wait = self._waits[k]
        return wait

    def look_around(self, k: int) -> None:
        """Compute the waits of the AHEAD counts among which k is; which ones does not depend on earlier questions."""
        first = (k - 1) // AHEAD * AHEAD + 1
        counts = np.arange(first, first + AHEAD, dtype=np.int64)
        several = self.queues.select(np.zeros(AHEAD, np.intp))
        stable = several.is_stable(counts)
        waits = np.full(AHEAD, inf)
        if self.high < LEAST_LOAD:
            waits[stable] = 0.0
        elif stable.any():
            at = np.flatnonzero(stable)
            waits[at] = several.select(at).wait_in_services(counts[at]) / self.service_rate
        self._waits.update(zip(counts.tolist(), waits.tolist(), strict=True))

    def __missing__(self, k: int) -> float:
        """λ(W(k) − W(k+1)); where that is 0 and the wait falls later, the gain per processor until there."""
        gain = self.find_gain(k)
        self[k] = gain = gain if gain > LEAST_GAIN else self.look_ahead(k)
        return gain

    def find_gain(self, k: int) -> float:
        """λ(W(k) − W(k+1)), at least 0."""
        return max(self.high * self.service_rate * (self.wait_seconds(k) - self.wait_seconds(k + 1)), 0.0)

    def look_ahead(self, k: int) -> float:
        """The gain per processor up to the nearest power of two at which the wait is shorter, 0 where there is none."""
        here, ahead = self.wait_seconds(k), 2
        while here > 0.0 and ahead <= FARTHEST:
            gain = self.high * self.service_rate * (here - self.wait_seconds(k + ahead)) / ahead
            if gain > LEAST_GAIN:
                return gain
            ahead *= 2
        return 0.0

    def find_vanishing(self) -> int:
        """Gains of a queue for each processor fall like 1/k² and never vanish; those of a shared queue may."""
        return super().find_vanishing() if not self.queues.code[0] else FAR
