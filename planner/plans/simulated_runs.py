"""An allocation simulated several times, and the time below which a further run stays nine times in ten.

    bound = mean + t·s·√(1/n + 1/4),   t the 90% quantile of Student's t, s the scatter of n runs; the further one is
                                       four times as long as each of them

Runs differ even where they are long: instances that deal tuples in turn begin at other places, and keep in step.
"""

from collections.abc import Sequence
from math import fsum, inf, sqrt
from statistics import fmean, stdev
from typing import NamedTuple

from scipy.special import stdtrit

from planner.plans.assumed_arrivals import assume_arrivals
from planner.plans.estimation import Situation
from planner.plans.time_target import TimeTarget
from planner.simulation.simulate import simulate
from planner.topology.flow import order_acyclic
from planner.topology.network import index_topology

RUNS = 8
MOST_ROOTS, LEAST_ROOTS = 100_000, 5_000
"""Of one run."""
MOST_EVENTS, MOST_RETURNING = 5_000_000, 2_000_000
"""Of all runs together, for a fifth of a second: without loops, and where tuples return."""
LEAST_TUPLES = 200
"""Tuples that each processor serves in a run; fewer would tell of its begin, when queues are empty."""
LEAST_BURSTS = 30
"""In a run: fewer tell little of the time between them."""
SURE = 0.9
LONGER = 4.0
WIDTH = float(stdtrit(RUNS - 1, SURE)) * sqrt(1.0 / RUNS + 1.0 / LONGER)


class Runs(NamedTuple):
    """The mean over the runs of what the target is of, by how much a further run may exceed it, and all roots."""

    mean_seconds: float
    error_seconds: float
    roots: int

    @property
    def bound_seconds(self) -> float:
        """What the target must allow."""
        return self.mean_seconds + self.error_seconds


class Simulator:
    """Simulates allocations of one situation, each once, with the same seeds."""

    def __init__(self, situation: Situation, target: TimeTarget, roots: int, seed: int) -> None:
        self.situation, self.target, self.roots, self.seed = situation, target, roots, seed
        self.law = assume_arrivals(situation.topology, situation.load, situation.flow.arrival_rates)
        self.known: dict[tuple[int, ...], Runs] = {}

    def run(self, counts: Sequence[int]) -> Runs:
        """What the runs of an allocation give."""
        key = tuple(counts)
        if key not in self.known:
            seconds = [self.run_once(counts, number) for number in range(RUNS)]
            mean = fmean(seconds)
            self.known[key] = Runs(mean, WIDTH * stdev(seconds), RUNS * self.roots)
        return self.known[key]

    def run_once(self, counts: Sequence[int], number: int) -> float:
        """The seconds of one run."""
        levels = () if self.target.quantile is None else (self.target.quantile,)
        found = simulate(
            self.situation.topology,
            self.situation.load,
            dict(zip(self.situation.names, counts, strict=True)),
            roots=self.roots,
            seed=self.seed * RUNS + number,
            arrivals=self.law,
            levels=levels,
        )
        time = found.total if self.target.of == "total" else found.completion
        return time.quantiles[0].seconds if levels else time.mean_seconds


def make_simulator(
    situation: Situation, target: TimeTarget, floors: Sequence[int], roots: int, seed: int
) -> Simulator | None:
    """The simulator of a situation; None where it cannot tell, or not soon enough.

    It knows nothing of measured waits, so that a calibrated load is not simulated.
    """
    load, visits = situation.load, situation.flow.visits
    factors = situation.stations.wait_factors
    if not load.external_rate or (factors is not None and any(factor != 1.0 for factor in factors)):
        return None
    network = index_topology(situation.topology)
    returns = bool(order_acyclic(network)[1]) or any(network.loops)
    events = MOST_RETURNING if returns else MOST_EVENTS
    size = min(MOST_ROOTS, roots, int(events / (2.0 * RUNS * max(fsum(visits), 1.0))))
    served = [size * share / floor for share, floor in zip(visits, floors, strict=True) if share]
    if size < LEAST_ROOTS or min(served) < LEAST_TUPLES:
        return None
    simulator = Simulator(situation, target, size, seed)
    law = simulator.law
    bursts = (
        size / load.external_rate * law.burst_share / law.mean_burst_seconds if law.kind == "mmpp" else inf
    )
    return simulator if bursts >= LEAST_BURSTS else None
