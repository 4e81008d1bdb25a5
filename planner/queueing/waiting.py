"""One operator as a queue: stability, Erlang's formulas and the mean wait of M/M/k and GI/G/k."""

from math import inf

import numpy as np

from planner.arrays import Floats
from planner.queueing.erlang import (
    LEAST_LOAD,
    STABILITY_MARGIN,
    anchored_erlang_b,
    find_least_stable,
    split_offered_load,
)
from planner.queueing.waiting_models import FLOATS, evaluate_variability, weigh_operator
from planner.values import Model


def least_stable_processors(arrival_rate: float, service_rate: float) -> int:
    """The fewest processors that keep up: least k with λ < kμ(1 − 1e-12); 1 where nothing arrives."""
    return find_least_stable(*split_offered_load(arrival_rate, service_rate))


def is_stable(arrival_rate: float, service_rate: float, processors: int) -> bool:
    """Whether λ < kμ(1 − 1e-12): a utilisation closer to 1 cannot be told from 1 by rounded rates."""
    high, low = split_offered_load(arrival_rate, service_rate)
    return (processors - high) - low > processors * STABILITY_MARGIN


def erlang_b(offered_load: float, k: int) -> float:
    """Erlang B, the part of arrivals that would be lost without a queue at k processors; A = offered_load."""
    return anchored_erlang_b(k, *split_offered_load(offered_load, 1.0))


def waiting_probability(arrival_rate: float, service_rate: float, processors: int) -> float:
    """Erlang C, the part of arrivals that wait: C = B/(1 − ρ(1 − B)) = kB/(k − A + AB); 1 where unstable."""
    high, low = split_offered_load(arrival_rate, service_rate)
    slack = (processors - high) - low
    if slack <= processors * STABILITY_MARGIN:
        return 1.0
    b = anchored_erlang_b(processors, high, low)
    return processors * b / (slack + high * b)


def mmk_wait_seconds(arrival_rate: float, service_rate: float, processors: int) -> float:
    """Mean wait in M/M/k: Wq = C/(kμ − λ) (DRS eqs. 1–3); inf where unstable."""
    return wait_seconds(arrival_rate, service_rate, processors, 1.0, 1.0, "mmk")


def variability(
    model: Model, arrival_scv: float, service_scv: float, utilisation: float, processors: int
) -> float:
    """v, by which the wait of M/M/k is multiplied under `model`."""
    weights = weigh_operator(model, arrival_scv, service_scv)
    spare = (1.0 - utilisation) / utilisation if utilisation > 0.0 else 1e300
    v: float = evaluate_variability(weights, spare, processors, FLOATS)
    return v


def wait_seconds(  # noqa: PLR0917 - one argument per symbol of the formula
    arrival_rate: float,
    service_rate: float,
    processors: int,
    arrival_scv: float,
    service_scv: float,
    model: Model,
) -> float:
    """Mean wait v·Wq, with μWq = kB/(c(c + AB)), c = k − A; 0 where nothing arrives, inf where unstable."""
    high, low = split_offered_load(arrival_rate, service_rate)
    slack = (processors - high) - low
    if slack <= processors * STABILITY_MARGIN:
        return inf
    if high < LEAST_LOAD:
        return 0.0
    b = anchored_erlang_b(processors, high, low)
    wait = processors * b / (slack * (slack + high * b)) / service_rate
    weights = weigh_operator(model, arrival_scv, service_scv)
    v: float = evaluate_variability(weights, slack / high, processors, FLOATS)
    return wait * v


def wait_at_all(a: Floats, s: Floats, rho: Floats) -> Floats:
    """The probability that a tuple waits in GI/G/1: ρ + (a − 1)ρ(1 − ρ)·h (Krämer and Langenbach-Belz 1976).

    h = (1 + a + ρs)/(1 + ρ(s − 1) + ρ²(4a + s)) for a ≤ 1, else 4ρ/(a + ρ²(4a + s)).
    """
    square = rho * rho * (4.0 * a + s)
    smooth = (1.0 + a + rho * s) / np.maximum(1.0 + rho * (s - 1.0) + square, 1e-12)
    rough = 4.0 * rho / np.maximum(a + square, 1e-300)
    h = np.where(a <= 1.0, smooth, rough)
    return np.clip(rho + (a - 1.0) * rho * (1.0 - rho) * h, 0.0, 1.0)
