"""All operators of a topology as queues side by side: arrays in, arrays out, one gammaincc per operator and look."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfc, gammaincc, gammaln

from planner.arrays import Counts, Floats
from planner.errors import InvalidLoad
from planner.queueing.erlang import LARGEST_SERIES, LEAST_LOAD, MAX_OFFERED_LOAD, STABILITY_MARGIN, temme_sum
from planner.queueing.gain_curve import Curve
from planner.queueing.waiting_models import (
    ARRAYS,
    WEIGHTS,
    VariabilityWeights,
    evaluate_variability,
    evaluate_variability_drop,
)
from planner.values import DEFAULT_MODEL, Model

NO_BOUND = 2**53
"""max_processors of an operator without such a bound: the integers up to here are exact as doubles."""
FEW_OPERATORS = 48
"""Up to here plain floats are faster than arrays. Which of the two decides depends on the operators alone."""
BLOCK = 8192
"""Operators per evaluation: the forty intermediate arrays of a formula then stay in the cache."""
_SPLITTER = 134217729.0


@dataclass(frozen=True)
class Stations:
    """The operators of a topology in their order, one entry each; lists or arrays."""

    arrival_rate: Sequence[float] | Floats
    service_rate: Sequence[float] | Floats
    arrival_scv: Sequence[float] | Floats
    service_scv: Sequence[float] | Floats
    min_processors: Sequence[int] | Counts
    max_processors: Sequence[int] | Counts
    model: Model = DEFAULT_MODEL

    def __len__(self) -> int:
        return len(self.arrival_rate)

    @cached_property
    def curves(self) -> list[Curve]:
        """Every operator by itself, in plain floats; kept, for the curves remember what was asked of them."""
        weigh = WEIGHTS[self.model]
        columns = (
            column.tolist() if isinstance(column, np.ndarray) else column
            for column in (
                self.arrival_rate,
                self.service_rate,
                self.arrival_scv,
                self.service_scv,
                self.min_processors,
            )
        )
        return [Curve(rate, mu, weigh(a, s), least) for rate, mu, a, s, least in zip(*columns, strict=True)]


@dataclass(frozen=True)
class Queues:
    """Offered loads and weights of several operators, ready for Erlang's closed form; all loads above zero."""

    high: Floats
    low: Floats
    weights: VariabilityWeights

    @classmethod
    def prepare(cls, stations: Stations) -> "Queues":
        """The queues of all stations, in their order."""
        rates = np.asarray(stations.arrival_rate, np.float64), np.asarray(stations.service_rate, np.float64)
        high, low = split_offered_loads(*rates)
        scvs = np.asarray(stations.arrival_scv, np.float64), np.asarray(stations.service_scv, np.float64)
        return cls(high, low, WEIGHTS[stations.model](*scvs).spread(high.shape))

    def select(self, chosen: NDArray[np.intp] | slice) -> "Queues":
        """Some of the operators, in the order asked for."""
        return Queues(self.high[chosen], self.low[chosen], self.weights.select(chosen))


@dataclass(frozen=True)
class Look:
    """What one evaluation at k tells: ln gain of the processor before (k − 1 → k) and of the next (k → k + 1)."""

    log_last: Floats
    log_next: Floats
    slope: Floats
    wait_in_services: Floats
    log_b: Floats


def split_offered_loads(arrival_rate: Floats, service_rate: Floats) -> tuple[Floats, Floats]:
    """planner.queueing.erlang.split_offered_load, to the same bits, on arrays."""
    fraction, exponent = np.frexp(service_rate)
    scaled = np.ldexp(arrival_rate, -exponent)
    high = scaled / fraction
    if not (np.all(arrival_rate >= 0.0) and np.all(service_rate > 0.0) and np.all(np.isfinite(service_rate))):
        raise ValueError("rates must be finite and positive")
    if not np.all(high <= MAX_OFFERED_LOAD):
        i = int(np.argmax(~(high <= MAX_OFFERED_LOAD)))
        raise InvalidLoad(
            f"an arrival_rate of {arrival_rate[i]:.6g}/s at a service_rate of {service_rate[i]:.6g}/s keeps more "
            f"than {MAX_OFFERED_LOAD:.0g} processors busy, more than can be planned: check the units of both"
        )
    product = high * fraction
    x = _SPLITTER * high
    x_high = x - (x - high)
    x_low = high - x_high
    y = _SPLITTER * fraction
    y_high = y - (y - fraction)
    y_low = fraction - y_high
    lost = ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low
    return high, ((scaled - product) - lost) / fraction


def find_least_stable_counts(high: Floats, low: Floats) -> Counts:
    """erlang.find_least_stable on arrays: two steps of correction reach it, for rounding moves ⌊A⌋ by one."""
    k = np.floor(high) + 1.0
    for _ in range(3):
        k += (k - high) - low <= k * STABILITY_MARGIN
    below = np.maximum(k - 1.0, 1.0)
    k = np.where((k > 1.0) & ((below - high) - low > below * STABILITY_MARGIN), below, k)
    return k.astype(np.int64)


_SMALL = np.arange(1.0, 16.0)
_STIRLING = np.concatenate(
    ([0.0], gammaln(_SMALL + 1.0) - (_SMALL + 0.5) * np.log(_SMALL) + _SMALL - 0.5 * np.log(2.0 * np.pi))
)


def log_erlang_b(k: Floats, load: Floats, slack: Floats) -> Floats:
    """ln B = −stirlerr(k) − bd0 − ½ln(2πk) − ln Q(k + 1, A): the closed form, without underflow."""
    u = 1.0 / (k * k)
    stirling = (1 / 12 - u * (1 / 360 - u * (1 / 1260 - u * (1 / 1680 - u / 1188)))) / k
    few = k < 16.0
    if few.any():
        stirling[few] = _STIRLING[k[few].astype(np.intp)]
    v = slack / (k + load)
    w = v * v
    tail = np.full_like(w, 1 / 21)
    for odd in range(19, 1, -2):
        tail *= w
        tail += 1 / odd
    deviance = slack * v + 2.0 * k * v * w * tail
    far = np.abs(v) >= 0.2
    if far.any():
        deviance[far] = k[far] * np.log(k[far] / load[far]) - slack[far]
    below = np.empty_like(k)
    many = k > LARGEST_SERIES
    few = ~many
    below[few] = gammaincc(k[few] + 1.0, load[few])
    if many.any():
        below[many] = _sum_of_many(k[many], deviance[many], stirling[many], slack[many])
    return -(stirling + deviance + 0.5 * np.log(2.0 * np.pi * k) + np.log(below))


def _sum_of_many(k: Floats, deviance: Floats, stirling: Floats, slack: Floats) -> Floats:
    """Q(k + 1, A) as in planner.queueing.erlang.closed_erlang_b."""
    density = np.exp(-deviance) / np.sqrt(2.0 * np.pi * k)
    root = np.copysign(np.sqrt(np.maximum(deviance, 0.0)), slack)
    eta = np.maximum(-root * np.sqrt(2.0 / k), -0.2)  # further out the density is 0
    tail: Floats = 0.5 * erfc(root) - density * temme_sum(eta, k)
    return 1.0 - tail + density * np.exp(-stirling)


def log_gain(queues: Queues, k: Floats, log_b: Floats) -> tuple[Floats, Floats]:
    """ln of Curve.gain, and v·k/(c(c + AB))·B, the wait in services: the same formula, over B."""
    load, b = queues.high, np.exp(log_b)
    c = (k - load) - queues.low
    busy = load * b
    n = k + 1.0
    share = load * n / (n + busy)
    d = c + 1.0
    below = d * (d + load * busy / (n + busy))
    squared = c * c
    fall = share * ((squared + k) * busy + c * (squared + 2.0 * k) + k) / (c * (c + busy) * below)
    if queues.weights.is_constant:
        v = queues.weights.constant
        relative = v * fall
    else:
        v, drop = evaluate_variability_drop(queues.weights, c / load, 1.0 / load, k)
        relative = v * fall + drop * (share * load / below)
    with np.errstate(divide="ignore"):
        return log_b + np.log(np.maximum(relative, 0.0)), v * (k * b) / (c * (c + busy))


def look_at(queues: Queues, counts: Counts, floor: Counts) -> Look:
    """The gain at k and, from the same B(k), the one before; at the floor, where none is before, the one after.

    B(k − 1) = kB/(A(1 − B)), B(k + 1) = AB/(k + 1 + AB).
    """
    size = len(counts)
    if size <= BLOCK:
        return _look_at_block(queues, counts, floor)
    parts = [slice(start, start + BLOCK) for start in range(0, size, BLOCK)]
    looks = [_look_at_block(queues.select(part), counts[part], floor[part]) for part in parts]
    names = ("log_last", "log_next", "slope", "wait_in_services", "log_b")
    return Look(*(np.concatenate([getattr(look, name) for look in looks]) for name in names))


def _look_at_block(queues: Queues, counts: Counts, floor: Counts) -> Look:
    k, load = counts.astype(np.float64), queues.high
    log_b = log_erlang_b(k, load, (k - load) - queues.low)
    b = np.exp(log_b)
    log_next, wait = log_gain(queues, k, log_b)
    has_last = counts > floor
    back, forth = k / (load * (1.0 - b)), load / (k + 1.0 + load * b)
    beside = np.where(has_last, k - 1.0, k + 1.0)
    log_beside, _ = log_gain(queues, beside, log_b + np.log(np.where(has_last, back, forth)))
    slope = np.where(has_last, log_next - log_beside, log_beside - log_next)
    return Look(np.where(has_last, log_beside, np.inf), log_next, np.minimum(slope, -1e-12), wait, log_b)


def wait_seconds_each(stations: Stations, counts: Sequence[int] | Counts) -> list[float] | Floats:
    """Mean wait at every operator as planner.queueing.waiting.wait_seconds has it; inf where unstable."""
    if len(stations) <= FEW_OPERATORS:
        plain = counts.tolist() if isinstance(counts, np.ndarray) else counts
        return [curve.wait_seconds(k) for curve, k in zip(stations.curves, plain, strict=True)]
    queues = Queues.prepare(stations)
    k = np.asarray(counts, np.float64)
    is_stable = (k - queues.high) - queues.low > k * STABILITY_MARGIN
    waits = np.where(is_stable, 0.0, np.inf)
    at = np.flatnonzero(is_stable & (queues.high >= LEAST_LOAD))
    waits[at] = wait_in_services(queues.select(at), k[at]) / np.asarray(stations.service_rate, np.float64)[at]
    return waits


def wait_in_services(queues: Queues, k: Floats) -> Floats:
    """μW = v·kB/(c(c + AB)), with the bits that `look_at` has."""
    parts = [slice(start, start + BLOCK) for start in range(0, len(k), BLOCK)]
    waits = np.empty_like(k)
    for part in parts:
        waits[part] = _wait_in_services_block(queues.select(part), k[part])
    return waits


def _wait_in_services_block(queues: Queues, k: Floats) -> Floats:
    c = (k - queues.high) - queues.low
    b = np.exp(log_erlang_b(k, queues.high, c))
    v = evaluate_variability(queues.weights, c / queues.high, k, ARRAYS)
    wait: Floats = v * (k * b) / (c * (c + queues.high * b))
    return wait
