"""Simulations of one situation: the time that a target limits, in several runs of the same seeds, for any allocation.

An allocation is simulated RUNS times. It must leave room for the mean of the LONGEST longest of these times: a further
run, four times as long as each of them, exceeds it in about one case of ten. If each time gets longer, so does this
mean; so it is never shorter for a higher quantile.

Runs differ even where they are long: instances that deal tuples in turn begin at other places, and keep in step.

The simulated external stream has the measured variability. Without bursts gaps are independent, with the measured SCV;
where nothing was measured, arrivals are Poisson. Bursts are those of a Markov-modulated Poisson process whose index of
dispersion is nearest to the measured index,

    I(t) = 1 + c·(1 − (1 − e^(−t/τ))/(t/τ)),   c = 2λτ·p(b − 1)²/(1 − p)      (rate bλ during the part p of the time)

with τ the length of time over which bursts fade. I(t) does not tell p: USUAL_PART is taken, or less where the rate
varies more than such bursts can.
"""

from collections.abc import Iterable, Sequence
from math import fsum, inf, sqrt
from statistics import fmean
from typing import NamedTuple

import numpy as np

from planner.allocation.allocate import set_board
from planner.arrays import Floats
from planner.queueing.bursts.carried_bursts import Source, find_source
from planner.queueing.instances.inflows import find_stations
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
LONGEST = 3
LEAST_BURSTY = 1.5
"""An index of dispersion below says nothing of bursts: it is measured with an error of some tenths."""
USUAL_PART = 0.2
TRIED = 60
REGULAR, POISSON_LIKE = 0.02, 0.1


class Runs(NamedTuple):
    """The runs of an allocation: the mean of the limited time, the time that a target must allow, and all roots."""

    mean_seconds: float
    bound_seconds: float
    roots: int

    @property
    def error_seconds(self) -> float:
        """How far a further run may exceed the mean of these."""
        return self.bound_seconds - self.mean_seconds


class Simulator:
    """Simulates allocations of one situation with the same seeds, and keeps the results of each allocation."""

    def __init__(self, situation: Situation, target: TimeTarget, roots: int, seed: int) -> None:
        self.situation, self.target, self.roots, self.seed = situation, target, roots, seed
        self.law = assume_arrivals(situation)
        self.known: dict[tuple[tuple[int, ...], int], tuple[float, list[float]]] = {}

    def run(self, counts: Sequence[int]) -> Runs:
        """The results of the runs of an allocation."""
        seconds = [self.find(counts, number)[0] for number in range(RUNS)]
        return Runs(fmean(seconds), average_longest(seconds, LONGEST), RUNS * self.roots)

    def holds(self, counts: Sequence[int], limit_seconds: float) -> bool:
        """Whether a target of `limit_seconds` allows for the runs of an allocation; it ends at the first run that it
        does not allow for.
        """
        seconds: list[float] = []
        for number in range(RUNS):
            seconds.append(self.find(counts, number)[0])
            if len(seconds) >= LONGEST and average_longest(seconds, LONGEST) > limit_seconds:
                return False
        return True

    def look(self, counts: Sequence[int], runs: int) -> float:
        """The mean time of the first `runs` runs of an allocation, in seconds."""
        return fmean([self.find(counts, number)[0] for number in range(runs)])

    def look_at_waits(self, counts: Sequence[int], runs: int) -> list[float]:
        """The mean wait at each operator in seconds, over the first `runs` runs of an allocation."""
        found = [self.find(counts, number)[1] for number in range(runs)]
        return [fmean(waits) for waits in zip(*found, strict=True)]

    def find(self, counts: Sequence[int], number: int) -> tuple[float, list[float]]:
        """The limited time and the mean waits in run `number` of an allocation, which is made once."""
        key = tuple(counts), number
        if key not in self.known:
            self.known[key] = self.run_once(counts, number)
        return self.known[key]

    def run_once(self, counts: Sequence[int], number: int) -> tuple[float, list[float]]:
        """The limited time and the mean wait at each operator in run `number` of an allocation, in seconds."""
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
        seconds = time.quantiles[0].seconds if levels else time.mean_seconds
        return seconds, [one.wait_seconds for one in found.operators]


def average_longest(seconds: Sequence[float], number: int) -> float:
    """The mean of the `number` longest times, which never falls if a time rises."""
    return fmean(sorted(seconds)[-number:])


def make_simulator(situation: Situation, target: TimeTarget, roots: int, seed: int) -> Simulator | None:
    """The simulator of a situation; None where simulations cannot show the limited time, or would take too long.

    A simulator knows no measured waits; so a load with calibrated waits is not simulated.
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
    if size < LEAST_ROOTS or min(served, default=0.0) < LEAST_TUPLES:
        return None
    simulator = Simulator(situation, target, size, seed)
    law = simulator.law
    bursts = (
        size / load.external_rate * law.burst_share / law.mean_burst_seconds if law.kind == "mmpp" else inf
    )
    return simulator if bursts >= LEAST_BURSTS else None


def assume_arrivals(situation: Situation) -> ArrivalLaw:
    """The law of the external stream's arrivals, from the arrivals measured at the operators that the stream enters."""
    load, network = situation.load, situation.flow.network
    stations = find_stations(situation.topology, load, situation.flow.arrival_rates)
    shares = dict(zip(network.names, network.shares, strict=True))
    source = find_source(load, stations, shares, [])
    if source is None or source.is_stated:
        return assume_renewals(find_alone(stations.values(), shares))
    if float(source.idc.max()) >= LEAST_BURSTY:
        return fit_bursts(source)
    return assume_renewals(float(np.median(source.idc)))


def find_alone(stations: Iterable[Station], shares: dict[str, float]) -> float | None:
    """The SCV of arrivals at the operator that receives the whole external stream and nothing else; None
    without one.
    """
    for one in stations:
        if shares[one.operator.name] == 1.0 and all(stream.source is None for stream in one.streams):
            return one.measured.arrival_scv
    return None


def assume_renewals(scv: float | None) -> ArrivalLaw:
    """An arrival law of independent gaps with the SCV `scv`; Poisson arrivals if `scv` is None."""
    if scv is None or abs(scv - 1.0) < POISSON_LIKE:
        return ArrivalLaw("poisson")
    return ArrivalLaw("deterministic") if scv < REGULAR else ArrivalLaw("gamma", scv=scv)


def fit_bursts(source: Source) -> ArrivalLaw:
    """The Markov-modulated Poisson process whose I(t) is nearest to the measured I(t), by squares of
    relative errors.
    """
    fits = [
        fit_height(source, float(tau)) for tau in np.geomspace(source.seconds[0], source.seconds[-1], TRIED)
    ]
    _, height, tau = min(fits)
    spread = max(height, 0.0) / (2.0 * source.rate * tau)  # of the rate: its variance over its mean squared
    part = min(USUAL_PART, 1.0 / (1.0 + spread))
    ratio = min(1.0 + sqrt(spread * (1.0 - part) / part), 1.0 / part)
    return ArrivalLaw("mmpp", ratio, part, tau / (1.0 - part))


def fit_height(source: Source, tau: float) -> tuple[float, float, float]:
    """The least error of I(t) for bursts of time constant `tau`, with the height c of I(t) that gives it, and tau."""
    x: Floats = source.seconds / tau
    shape = (1.0 + np.expm1(-x) / x) / np.maximum(source.idc, 1.0)
    wanted = (source.idc - 1.0) / np.maximum(source.idc, 1.0)
    height = float(shape @ wanted / (shape @ shape))
    return float(np.sum((height * shape - wanted) ** 2)), height, tau
