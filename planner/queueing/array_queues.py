"""All operators as queues side by side: each function takes and returns arrays with one entry per operator.

The incomplete gamma function behind Erlang's B is called once per operator and evaluation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from math import inf, lgamma
from typing import cast

import numpy as np
from numpy.typing import NDArray

from planner.arrays import ARRAYS, Counts, Floats
from planner.queueing.erlang import (
    LARGEST_SERIES,
    LEAST_LOAD,
    STABILITY_MARGIN,
    deviance_series,
    find_least_stable_counts,
    gammaincc,
    mmk_wait,
    solve_halfin_whitt,
    split_offered_loads,
    stirling_error,
    temme_sum,
)
from planner.queueing.waiting_models import (
    WAITING_MODELS,
    VariabilityWeights,
    evaluate_variability,
    evaluate_variability_drop,
)
from planner.special import erfc
from planner.values import Model

MOST_ROOTS = 36.0
BLOCK = 8192
"""Operators per evaluation: the forty intermediate arrays of a formula then stay in the cache."""


@dataclass(frozen=True)
class ArrayQueues:
    """The queues of several operators: offered loads A = high + low, service rates, and weights of waits."""

    high: Floats
    low: Floats
    service_rate: Floats
    weights: VariabilityWeights

    @classmethod
    def prepare(  # noqa: PLR0917 - one argument per symbol of the formula
        cls,
        arrival_rate: Floats,
        service_rate: Floats,
        arrival_scv: Floats,
        service_scv: Floats,
        model: Model,
        factor: Floats | None = None,
    ) -> "ArrayQueues":
        """The queues of all operators in topology order from rates and SCVs; `factor` multiplies each wait."""
        high, low = split_offered_loads(arrival_rate, service_rate)
        weights = weigh_operators(model, arrival_scv, service_scv)
        return cls(high, low, service_rate, weights if factor is None else weights.scale(factor))

    def __len__(self) -> int:
        return len(self.high)

    def select(self, chosen: NDArray[np.intp] | slice) -> "ArrayQueues":
        """The queues of the operators `chosen`, in the order of `chosen`."""
        weights = VariabilityWeights._make(
            [*(part[chosen] for part in self.weights[:5]), self.is_always_falling]
        )
        return ArrayQueues(self.high[chosen], self.low[chosen], self.service_rate[chosen], weights)

    @property
    def is_busy(self) -> NDArray[np.bool_]:
        """Flags of the operators where more processors could help: tuples arrive there, and some of them wait."""
        return cast("NDArray[np.bool_]", (self.high >= LEAST_LOAD) & (self.weights.level > 0.0))

    def guess_for_total(self, total: int) -> Floats:
        """A first guess of each operator's processors, `total` in sum: k = A + x√A, with A the operator's offered load.

        Unless waits are rare or nearly sure, an equal x gives nearly equal gains (Halfin and Whitt 1981).
        """
        root = np.sqrt(self.high)
        return self.guess((total - float(np.sum(self.high))) / float(np.sum(root)))

    def guess_for_waiting(self, limit: float) -> Floats:
        """A first guess of each operator's processors, so that about `limit` tuples wait at all operators."""
        return self.guess(solve_halfin_whitt(limit / float(np.sum(np.sqrt(self.high) * self.weights.level))))

    def guess(self, x: float) -> Floats:
        """The processors k = A + x√A of each operator, A its offered load; x is limited, since gains then vanish."""
        return np.asarray(self.high + min(x, MOST_ROOTS) * np.sqrt(self.high))

    def find_floors(self) -> Counts:
        """The fewest processors of each operator that keep up with its arrivals."""
        return find_least_stable_counts(self.high, self.low)

    def look_at(self, counts: Counts, floor: Counts) -> "Look":
        """The logarithms of the gains of each operator's last and next processor at `counts`, from one Erlang B.

        Where `counts` is at `floor` there is no last processor; the gain of the next but one takes its place. With A
        the offered load, B(k − 1) = kB/(A(1 − B)) and B(k + 1) = AB/(k + 1 + AB).
        """
        if len(counts) <= BLOCK:
            return _look_at_block(self, counts, floor)
        parts = [slice(start, start + BLOCK) for start in range(0, len(counts), BLOCK)]
        looks = [_look_at_block(self.select(part), counts[part], floor[part]) for part in parts]
        return Look(*(np.concatenate([getattr(look, one.name) for look in looks]) for one in fields(Look)))

    @property
    def is_always_falling(self) -> bool:
        """Whether each further processor gains less than the last at any count, as where the factor of waits is
        constant.
        """
        return self.weights.is_constant

    def is_resolved(self, counts: Counts) -> NDArray[np.bool_]:
        """True of all operators: their gains are computed without differences of waits."""
        return np.ones(len(counts), dtype=bool)

    def find_log_after(self, counts: Counts, log_b: Floats) -> Floats:
        """The logarithm of the gain of each operator's processor after the next; `log_b` is the logarithm of Erlang's
        B.
        """
        k = counts.astype(np.float64) + 1.0
        return log_gain(self, k, log_b + np.log(self.high / (k + self.high * np.exp(log_b))))[0]

    def is_stable(self, counts: Sequence[int] | Counts) -> NDArray[np.bool_]:
        """Flags of the operators that keep up with `counts` processors."""
        k = np.asarray(counts, np.float64)
        return (k - self.high) - self.low > k * STABILITY_MARGIN

    def wait_seconds(self, counts: Sequence[int] | Counts) -> Floats:
        """The mean wait at each operator as planner.queueing.erlang.wait_seconds gives it; inf where unstable."""
        stable = self.is_stable(counts)
        waits = np.where(stable, 0.0, inf)
        at = np.flatnonzero(stable & (self.high >= LEAST_LOAD))
        k = np.asarray(counts, np.float64)[at]
        waits[at] = wait_in_services(self.select(at), k) / self.service_rate[at]
        return waits

    def find_gains(self, counts: Sequence[int] | Counts) -> tuple[list[float], list[float], list[float]]:
        """The mean wait at each operator, the gain of one processor more, and the gain that the last processor brought.

        A gain is the number of waiting tuples that the processor saves, λ(W(k) − W(k+1)) or λ(W(k−1) − W(k)).
        """
        k = np.asarray(counts, np.int64)
        least, stable = find_least_stable_counts(self.high, self.low), self.is_stable(counts)
        waits, following, previous = (
            np.where(stable, 0.0, inf),
            np.zeros(len(k)),
            np.where(k > least, 0.0, inf),
        )
        at = np.flatnonzero(self.is_busy & stable)
        seen = self.select(at).look_at(k[at], least[at])
        waits[at] = seen.wait_in_services / self.service_rate[at]
        following[at], previous[at] = (
            np.exp(seen.log_next),
            np.exp(seen.log_last),
        )  # inf at the least stable k
        return waits.tolist(), following.tolist(), previous.tolist()


def weigh_operators(model: Model, arrival_scv: Floats, service_scv: Floats) -> VariabilityWeights:
    """The weights of the factor of waits for all operators, from arrays of their SCVs under a waiting model."""
    parts = WAITING_MODELS[model].weigh(arrival_scv, service_scv, ARRAYS)[:5]
    constant, on_phi1, on_phi3, on_psi, exponent = (
        np.broadcast_to(part, arrival_scv.shape) for part in parts
    )
    varies = exponent > 0.0
    constant, on_psi = np.where(varies, constant, constant + on_psi), np.where(varies, on_psi, 0.0)
    is_constant = not (on_phi1.any() or on_phi3.any() or on_psi.any())
    return VariabilityWeights(constant, on_phi1, on_phi3, on_psi, exponent, is_constant)


@dataclass(frozen=True)
class Look:
    """The gains of several operators at given counts: logarithms of the gains of the last and of the next processor."""

    log_last: Floats
    log_next: Floats
    slope: Floats
    wait_in_services: Floats
    log_b: Floats


@cache
def find_small_errors() -> Floats:
    """The errors of Stirling's formula for ln k! at k = 0 to 15, in an array; the error at 0 counts as 0."""
    k = np.arange(1.0, 16.0)
    errors = (
        np.array([lgamma(one + 1.0) for one in k]) - (k + 0.5) * np.log(k) + k - 0.5 * np.log(2.0 * np.pi)
    )
    return np.concatenate(([0.0], errors))


def log_erlang_b(k: Floats, load: Floats, slack: Floats) -> Floats:
    """The logarithm of Erlang's B of each operator in closed form, which never underflows; `slack` is k − load.

    ln B = −stirlerr(k) − bd0 − ½ln(2πk) − ln Q(k + 1, A): Loader's Poisson mass over the incomplete gamma function Q.
    """
    stirling: Floats = stirling_error(k)
    few = k < 16.0
    if few.any():
        stirling[few] = find_small_errors()[k[few].astype(np.intp)]
    v = slack / (k + load)
    deviance: Floats = deviance_series(k, slack, v)
    far = np.abs(v) >= 0.2
    if far.any():
        deviance[far] = k[far] * np.log(k[far] / load[far]) - slack[far]
    below = np.empty_like(k)
    many = k > LARGEST_SERIES
    few = ~many
    if few.any():
        mass = np.exp(-deviance[few] - stirling[few]) / np.sqrt(2.0 * np.pi * k[few])
        below[few] = gammaincc(k[few], load[few], mass)
    if many.any():
        below[many] = _sum_of_many(k[many], deviance[many], stirling[many], slack[many])
    return -(stirling + deviance + 0.5 * np.log(2.0 * np.pi * k) + np.log(below))


def _sum_of_many(k: Floats, deviance: Floats, stirling: Floats, slack: Floats) -> Floats:
    """The incomplete gamma function Q(k + 1, A) for large k, by Temme's expansion as in closed_erlang_b."""
    density = np.exp(-deviance) / np.sqrt(2.0 * np.pi * k)
    root = np.copysign(np.sqrt(np.maximum(deviance, 0.0)), slack)
    eta = np.maximum(-root * np.sqrt(2.0 / k), -0.2)  # further out the density is 0
    tail: Floats = 0.5 * erfc(root) - density * temme_sum(eta, k)
    return 1.0 - tail + density * np.exp(-stirling)


def log_gain(queues: ArrayQueues, k: Floats, log_b: Floats) -> tuple[Floats, Floats]:
    """The logarithm of the gain of each operator's next processor, and the mean wait there in units of one service.

    The formula is that of `Curve.__missing__`; the wait is v·kB/(c(c + AB)), with c = k − A and v the variability
    factor.
    """
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
        v, drop = evaluate_variability_drop(queues.weights, c / load, 1.0 / load, k, ARRAYS)
        relative = v * fall + drop * (share * load / below)
    with np.errstate(divide="ignore"):
        return log_b + np.log(np.maximum(relative, 0.0)), v * mmk_wait(k, b, load, c)


def _look_at_block(queues: ArrayQueues, counts: Counts, floor: Counts) -> Look:
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


def wait_in_services(queues: ArrayQueues, k: Floats) -> Floats:
    """The mean wait at each operator in units of one service: v·kB/(c(c + AB)), c = k − A, v the variability factor.

    The result has exactly the bits of `ArrayQueues.look_at`.
    """
    parts = [slice(start, start + BLOCK) for start in range(0, len(k), BLOCK)]
    waits = np.empty_like(k)
    for part in parts:
        waits[part] = _wait_in_services_block(queues.select(part), k[part])
    return waits


def _wait_in_services_block(queues: ArrayQueues, k: Floats) -> Floats:
    c = (k - queues.high) - queues.low
    b = np.exp(log_erlang_b(k, queues.high, c))
    v = evaluate_variability(queues.weights, c / queues.high, k, ARRAYS)
    wait: Floats = v * mmk_wait(k, b, queues.high, c)
    return wait
