"""Nine queues in line, simulated by Lindley's recursion: eight are used 60%, the last 90%; and streams of six kinds."""

from dataclasses import replace

import numpy as np

from planner.arrays import Floats
from planner.queueing.bursts.counted_bursts import Run, Span
from planner.situations.situation import estimate
from planner.values import Edge, IdcPoint, Load, Operator, OperatorLoad, Topology

RATE = 100.0
BUSY = (*[0.6] * 8, 0.9)
NAMES = [f"q{place}" for place in range(len(BUSY))]
RATES_OF_TWO = {0.1: (1.8, 0.2), 1.0: (1.5, 0.5), 10.0: (1.2, 0.8)}
"""By the mean seconds that a stream keeps each of its two rates: the two rates, as parts of the mean rate."""
STREAMS = ("hyperexponential", "deterministic", "poisson", "0.1", "1.0", "10.0")
CALM = ("deterministic", "poisson")


def draw_arrivals(kind: str, count: int, rng: np.random.Generator) -> Floats:
    """The times at which so many tuples arrive; a kind that is a number changes between two rates."""
    if kind in {"deterministic", "poisson"}:
        gaps = np.full(count, 1.0) if kind == "deterministic" else rng.exponential(1.0, count)
        return np.cumsum(gaps / RATE)
    if kind == "hyperexponential":  # an SCV of 8, balanced means
        part = (1.0 + np.sqrt(7.0 / 9.0)) / 2.0
        parts = np.where(rng.random(count) < part, part, 1.0 - part)
        return np.cumsum(rng.exponential(0.5 / parts / RATE))
    mean = float(kind)
    stays = rng.exponential(mean, int(1.5 * count / RATE / mean) + 100)
    rates = RATE * np.resize(np.array(RATES_OF_TWO[mean]), stays.size)
    numbers = rng.poisson(rates * stays)
    begins = np.repeat(np.cumsum(stays) - stays, numbers)
    return np.sort(begins + rng.random(begins.size) * np.repeat(stays, numbers))[:count]


def simulate(arrivals: Floats, rng: np.random.Generator) -> float:
    """The mean total time in the nine queues, without the first twentieth of the tuples."""
    at, cut = arrivals, arrivals.size // 20
    for busy in BUSY:
        worked = np.cumsum(rng.exponential(busy / RATE, arrivals.size))
        at = worked + np.maximum.accumulate(at - np.concatenate([[0.0], worked[:-1]]))
    return float((at - arrivals)[cut:].mean())


def count(arrivals: Floats, begin: float, spans: int, seconds: float) -> Run:
    """How many tuples came in successive spans from a time on."""
    borders = begin + seconds * np.arange(spans + 1)
    return [Span(seconds, float(one)) for one in np.histogram(arrivals, borders)[0]]


def estimate_line(points: tuple[IdcPoint, ...] = (), arrival_scv: float | None = None) -> float:
    """The estimated E[T] of the nine queues under a stream of these bursts, or of this SCV."""
    operators = tuple([Operator(name, queueing="shared") for name in NAMES])
    edges = tuple(map(Edge, NAMES[:-1], NAMES[1:]))
    measured = {
        name: OperatorLoad(RATE / busy, service_scv=1.0, processors=1)
        for name, busy in zip(NAMES, BUSY, strict=True)
    }
    measured[NAMES[0]] = measured[NAMES[0]]._replace(arrival_scv=arrival_scv)
    answer = estimate(Topology(operators, edges), replace(Load(RATE, measured), external_idc=points))
    assert answer.expected_sojourn_seconds is not None
    return answer.expected_sojourn_seconds
