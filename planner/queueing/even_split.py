"""Operators with a queue for each processor and an even split of the arrivals, as in Storm, Flink and Heron.

Where tuples are distributed evenly to k instances, each instance is a queue with one server:

    W(k) = V·A/(μ(k − A)),   A = λ/μ,   V = (1 + s)/2, or 1 where the model has no SCVs

With service SCV s this is the M/G/1 queue (Pollaczek and Khinchine). The wait falls like 1/(k − A), far slower than the
wait of one shared queue. λW = VA²/(k − A) is convex in k, so adding the processor of the largest gain
VA²/((k − A)(k + 1 − A)) first is exactly optimal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log

import numpy as np

from planner.arrays import Counts, Floats
from planner.queueing.erlang import find_least_stable_counts, split_offered_loads
from planner.queueing.stations import Stations
from planner.queueing.waiting_models import WAITING_MODELS

HALVINGS = 80  # of ln θ: brackets then are adjacent doubles


@dataclass(frozen=True, slots=True)
class EvenSplit:
    """Offered loads, V·A² and the bounds of all operators, in topology order."""

    offered: Floats
    weight: Floats
    floor: Counts
    ceiling: Counts

    @classmethod
    def prepare(cls, stations: Stations) -> "EvenSplit":
        """The operators of `stations`, each processor with its own queue."""
        arrival = np.asarray(stations.arrival_rate, np.float64)
        high, low = split_offered_loads(arrival, np.asarray(stations.service_rate, np.float64))
        scv = np.asarray(stations.service_scv, np.float64)
        uses_scvs = WAITING_MODELS[stations.model].uses_scvs
        spread = (1.0 + scv) / 2.0 if uses_scvs else np.ones_like(scv)
        least = np.asarray(stations.min_processors, np.int64)
        floor = np.maximum(find_least_stable_counts(high, low), least)
        ceiling = np.maximum(np.asarray(stations.max_processors, np.int64), floor)
        return cls(high, spread * high * high, floor, ceiling)

    def waiting(self, counts: Sequence[int] | Counts) -> float:
        """Σ λW(k), the mean number of tuples that wait; inf where an operator cannot keep up."""
        slack = np.asarray(counts, np.float64) - self.offered
        if np.any((slack <= 0.0) & (self.offered > 0.0)):
            return inf
        return float(np.sum(self.weight / np.where(slack > 0.0, slack, 1.0)))

    def fill(self, price: float) -> Counts:
        """The first k of each operator whose next processor gains no more than `price`, within the bounds."""
        with np.errstate(over="ignore"):
            slack = (np.sqrt(1.0 + 4.0 * (self.weight / price)) - 1.0) / 2.0
        wanted = np.ceil(self.offered + slack)
        return np.clip(wanted, self.floor.astype(float), self.ceiling.astype(float)).astype(np.int64)

    def allocate(self, waiting: float, most: int) -> Counts:
        """The fewest processors with Σ λW ≤ `waiting`, at most `most` in total, and at least the least stable ones."""

        def is_enough(counts: Counts) -> bool:
            return int(counts.sum()) >= most or self.waiting(counts) <= waiting

        counts = self.floor.copy()
        if is_enough(counts):
            return counts
        low, high = -690.0, log(max(float(np.max(self.weight)), 1e-300)) + 60.0
        if not is_enough(self.fill(float(np.exp(low)))):
            return self.fill(float(np.exp(low)))  # max_processors allow no more
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if is_enough(self.fill(float(np.exp(middle)))):
                low = middle
            else:
                high = middle
        counts, enough = self.fill(float(np.exp(high))), self.fill(float(np.exp(low)))
        for operator in np.flatnonzero(enough > counts):
            while counts[operator] < enough[operator] and not is_enough(counts):
                counts[operator] += 1
        return counts
