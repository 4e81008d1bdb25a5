"""Simulations of one situation: what a target limits, in several runs of the same seeds, for any allocation.

An allocation is simulated several times, and must leave room for the time below which a further run stays nine times
in ten:

    bound = mean + t·s·√(1/n + 1/4),   t the 90% quantile of Student's t, s the scatter of n runs; the further one is
                                       four times as long as each of them

Runs differ even where they are long: instances that deal tuples in turn begin at other places, and keep in step.

The simulated external stream follows what was measured. Without bursts gaps are independent, with the measured SCV;
where nothing was measured, arrivals are Poisson. Bursts are those of a Markov-modulated Poisson process whose index of
dispersion is nearest to the measured one,

    I(t) = 1 + c·(1 − (1 − e^(−t/τ))/(t/τ)),   c = 2λτ·p(b − 1)²/(1 − p)      (rate bλ during the part p of the time)

I(t) does not tell p. p = USUAL_PART is taken, or less where the rate varies more than such bursts can.
"""

from collections.abc import Iterable, Sequence
from math import fsum, inf, sqrt
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
import scipy  # as a whole: scipy.special is loaded at its first use

from planner.allocation.allocate import set_board
from planner.arrays import Floats
from planner.queueing.carried_bursts import Source, find_source
from planner.queueing.inflows import find_stations
from planner.queueing.queueings import Station
from planner.simulation.arrivals import ArrivalLaw
from planner.simulation.simulate import simulate
from planner.situations.situation import Situation
from planner.topology.flow import order_acyclic
from planner.values import TimeTarget

RUNS = 8
MOST_ROOTS, LEAST_ROOTS = 100_000, 5_000
"""Of one run."""
MOST_EVENTS, MOST_RETURNING = 5_000_000, 2_000_000
"""Of all runs together, for a fifth of a second: without loops, and where tuples return."""
LEAST_TUPLES = 200
"""Tuples that each of the least processors serves in a run; fewer would tell of the empty queues at its begin."""
LEAST_BURSTS = 30
"""In a run: fewer tell little of the time between them."""
SURE = 0.9
LONGER = 4.0
LEAST_BURSTY = 1.5
"""An index of dispersion below says nothing of bursts: it is measured with an error of some tenths."""
USUAL_PART = 0.2
TRIED = 60
REGULAR, POISSON_LIKE = 0.02, 0.1


def find_width() -> float:
    """By how many deviations of the runs their mean may lie below the mean of a run that is LONGER times as long."""
    return float(scipy.special.stdtrit(RUNS - 1, SURE)) * sqrt(1.0 / RUNS + 1.0 / LONGER)


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
        self.law = assume_arrivals(situation)
        self.known: dict[tuple[int, ...], list[float]] = {}

    def run(self, counts: Sequence[int]) -> Runs:
        """What all runs of an allocation give."""
        seconds = self.simulate(counts, RUNS)
        return Runs(fmean(seconds), find_width() * stdev(seconds), RUNS * self.roots)

    def look(self, counts: Sequence[int], runs: int) -> float:
        """The mean of the first runs of an allocation."""
        return fmean(self.simulate(counts, runs)[:runs])

    def count_runs(self, counts: Sequence[int]) -> int:
        """How many runs of an allocation were made."""
        return len(self.known.get(tuple(counts), ()))

    def simulate(self, counts: Sequence[int], runs: int) -> list[float]:
        """The seconds of the runs of an allocation so far, at least `runs` of them."""
        seconds = self.known.setdefault(tuple(counts), [])
        seconds += [self.run_once(counts, number) for number in range(len(seconds), runs)]
        return seconds

    def run_once(self, counts: Sequence[int], number: int) -> float:
        """The seconds of one run."""
        levels = () if self.target.quantile is None else (self.target.quantile,)
        found = simulate(
            self.situation.topology,
            self.situation.load,
            self.situation.name_counts(counts),
            roots=self.roots,
            seed=self.seed * RUNS + number,
            arrivals=self.law,
            levels=levels,
        )
        time = found.total if self.target.of == "total" else found.completion
        return time.quantiles[0].seconds if levels else time.mean_seconds


def make_simulator(situation: Situation, target: TimeTarget, roots: int, seed: int) -> Simulator | None:
    """The simulator of a situation; None where it cannot tell, or not soon enough.

    It knows nothing of measured waits, so that a calibrated load is not simulated.
    """
    load, visits = situation.load, situation.flow.visits
    factors = situation.stations.wait_factors
    if not load.external_rate or factors is not None:
        return None
    network = situation.flow.network
    returns = bool(order_acyclic(network)[1]) or any(network.loops)
    events = MOST_RETURNING if returns else MOST_EVENTS
    size = min(MOST_ROOTS, roots, int(events / (2.0 * RUNS * max(fsum(visits), 1.0))))
    floors = set_board(situation.stations).floors
    served = [size * share / floor for share, floor in zip(visits, floors, strict=True) if share]
    if size < LEAST_ROOTS or min(served) < LEAST_TUPLES:
        return None
    simulator = Simulator(situation, target, size, seed)
    law = simulator.law
    bursts = (
        size / load.external_rate * law.burst_share / law.mean_burst_seconds if law.kind == "mmpp" else inf
    )
    return simulator if bursts >= LEAST_BURSTS else None


def assume_arrivals(situation: Situation) -> ArrivalLaw:
    """The law of the external stream, of which the operators that it enters measure the arrivals."""
    load, network = situation.load, situation.flow.network
    stations = find_stations(situation.topology, load, situation.flow.arrival_rates)
    shares = dict(zip(network.names, network.shares, strict=True))
    source = find_source(load, stations, shares, [])
    if source is None:
        return assume_renewals(find_alone(stations.values(), shares))
    if float(source.idc.max()) >= LEAST_BURSTY:
        return fit_bursts(source)
    return assume_renewals(float(np.median(source.idc)))


def find_alone(stations: Iterable[Station], shares: dict[str, float]) -> float | None:
    """The SCV at the operator that receives the whole external stream and nothing else; None where none does."""
    for one in stations:
        if shares[one.operator.name] == 1.0 and all(stream.source is None for stream in one.streams):
            return one.measured.arrival_scv
    return None


def assume_renewals(scv: float | None) -> ArrivalLaw:
    """Independent gaps with this SCV; None: Poisson."""
    if scv is None or abs(scv - 1.0) < POISSON_LIKE:
        return ArrivalLaw("poisson")
    return ArrivalLaw("deterministic") if scv < REGULAR else ArrivalLaw("gamma", scv=scv)


def fit_bursts(source: Source) -> ArrivalLaw:
    """The MMPP whose I(t) is nearest to the measured one by relative squares."""
    fits = [
        fit_height(source, float(tau)) for tau in np.geomspace(source.seconds[0], source.seconds[-1], TRIED)
    ]
    _, height, tau = min(fits)
    spread = max(height, 0.0) / (2.0 * source.rate * tau)  # of the rate: its variance over its mean squared
    part = min(USUAL_PART, 1.0 / (1.0 + spread))
    ratio = min(1.0 + sqrt(spread * (1.0 - part) / part), 1.0 / part)
    return ArrivalLaw("mmpp", ratio, part, tau / (1.0 - part))


def fit_height(source: Source, tau: float) -> tuple[float, float, float]:
    """The error of the best c at this τ, with both."""
    x: Floats = source.seconds / tau
    shape = (1.0 + np.expm1(-x) / x) / np.maximum(source.idc, 1.0)
    wanted = (source.idc - 1.0) / np.maximum(source.idc, 1.0)
    height = float(shape @ wanted / (shape @ shape))
    return float(np.sum((height * shape - wanted) ** 2)), height, tau
