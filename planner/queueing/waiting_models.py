"""Waiting models: each has the factor v by which variable arrivals and services stretch the wait of M/M/k.

A model is one function from the SCVs of an operator to the weights of v. To add a model, write its function and its
line in WAITING_MODELS; estimates, plans, gates, decisions and the service read it from that table. The function works
on floats and on arrays: it takes sqrt, maximum and the like from `at`, which is FLOATS or planner.arrays.ARRAYS. For k
processors at a utilisation ρ:

    v = constant + on_phi1·φ1 + on_phi3·φ3 + on_psi·φ4^exponent

    γ = min(0.24, spare·(k−1)(√(4+5k)−2)/(16k)),   spare = (1 − ρ)/ρ
    φ1 = 1 + γ,   φ3 = (1 − 4γ)exp(−2·spare/3),   φ4 = min(1, (φ1 + φ3)/2)                     (Whitt 1993)
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from math import exp, expm1, log1p, sqrt
from types import SimpleNamespace
from typing import Any, NamedTuple

from planner.values import Model

FLOATS = SimpleNamespace(
    sqrt=sqrt,
    exp=exp,
    expm1=expm1,
    log1p=log1p,
    minimum=min,
    maximum=max,
    where=lambda condition, true, false: true if condition else false,
)
Real = Any  # a float or an array of floats
SMALLEST = 5e-324  # the smallest double above 0
LEAST_SCV = 1e-100
MOST_VARIABLE = 1.25  # Whitt's factor of (a + s)/2 stays below this value


class VariabilityWeights(NamedTuple):
    """The weights from which the factor of waits v is computed: floats of one operator, or arrays of several."""

    constant: Real = 0.0
    on_phi1: Real = 0.0
    on_phi3: Real = 0.0
    on_psi: Real = 0.0
    exponent: Real = 0.0
    is_constant: bool = False
    """v is `constant` at every k; set by weigh_operator and by queue_arrays.weigh_operators."""

    @property
    def level(self) -> Real:
        """The factor of waits v where φ1, φ3 and φ4 are all 1: the sum of the weights."""
        return self.constant + self.on_phi1 + self.on_phi3 + self.on_psi

    def scale(self, factor: Real) -> "VariabilityWeights":
        """The weights of the factor of waits v multiplied by `factor`."""
        constant, on_phi1, on_phi3, on_psi, exponent, is_constant = self
        parts = constant * factor, on_phi1 * factor, on_phi3 * factor, on_psi * factor
        return VariabilityWeights(*parts, exponent, is_constant)


def weigh_mmk(arrival_scv: Real, _service_scv: Real, _at: SimpleNamespace) -> VariabilityWeights:
    """The weights of v = 1, the factor of waits for Poisson arrivals and exponential services."""
    return VariabilityWeights(1.0 + 0.0 * arrival_scv)


def weigh_ggk(arrival_scv: Real, service_scv: Real, _at: SimpleNamespace) -> VariabilityWeights:
    """The weights of v = (a + s)/2, the mean of the SCVs of arrivals and services (Allen and Cunneen; DRS eq. 5)."""
    return VariabilityWeights((arrival_scv + service_scv) / 2.0)


def weigh_ggk_whitt(a: Real, s: Real, at: SimpleNamespace) -> VariabilityWeights:
    """The weights of v = φ·(a + s)/2, where φ mixes φ1 or φ3 with ψ (Whitt 1993, eqs. 2.16 to 2.25).

    a and s are the SCVs of arrivals and services. a ≥ s: weight (a + s)/2·4(a − s)/(4a − 3s) on φ1; a < s: (s − a)/4 on
    φ3; the rest of (a + s)/2 on ψ = φ4^max(0, 2 − a − s).
    """
    mean = (a + s) / 2.0
    on_phi1 = mean * 4.0 * at.maximum(a - s, 0.0) / at.maximum(4.0 * a - 3.0 * s, SMALLEST)
    on_phi3 = at.maximum(s - a, 0.0) / 4.0
    on_psi = mean - on_phi1 - on_phi3
    return VariabilityWeights(0.0 * mean, on_phi1, on_phi3, on_psi, at.maximum(2.0 - a - s, 0.0))


def average_scvs(a: Real, s: Real, _spare: Real, _at: SimpleNamespace) -> Real:
    """The factor of waits at one server (a + s)/2, the mean of the SCVs of arrivals and services.

    The factor is exact for Poisson arrivals (Pollaczek and Khinchine).
    """
    return (a + s) / 2.0


def stretch_alone(a: Real, s: Real, spare: Real, at: SimpleNamespace) -> Real:
    """The factor of waits at one server, from SCVs a of arrivals and s of services (Krämer and Langenbach-Belz 1976).

    (a + s)/2·exp(−2·spare/3·(1 − a)²/(a + s)) for a < 1, else (a + s)/2, with spare = (1 − ρ)/ρ at a utilisation ρ. For
    one server it errs less than Whitt's formula, which is made for several.
    """
    regular = at.maximum(1.0 - a, 0.0)
    return (a + s) / 2.0 * at.exp(-2.0 / 3.0 * spare * regular * regular / at.maximum(a + s, LEAST_SCV))


class WaitingModel(NamedTuple):
    """A waiting model: its function, a sentence with its source and error, and whether it uses SCVs.

    `alone(a, s, spare)` gives the factor of waits at a queue with one server, for an operator with several such queues.
    """

    weigh: Callable[[Real, Real, SimpleNamespace], VariabilityWeights]
    known: str
    uses_scvs: bool = True
    alone: Callable[[Real, Real, Real, SimpleNamespace], Real] = average_scvs


WAITING_MODELS: Mapping[Model, WaitingModel] = {
    "mmk": WaitingModel(weigh_mmk, "M/M/k.", uses_scvs=False),
    "ggk": WaitingModel(weigh_ggk, "Allen-Cunneen (DRS eq. 5); waits err by 15% on average."),
    "ggk-whitt": WaitingModel(
        weigh_ggk_whitt,
        "Whitt 1993; waits err by 9.5% on average, by 2.7% at utilisations from 0.9.",
        alone=stretch_alone,
    ),
}
"""The waiting models by name."""


@lru_cache(maxsize=4096)  # the operators of one load, and of the loads after it, often have the same SCVs
def weigh_operator(model: Model, arrival_scv: float, service_scv: float) -> VariabilityWeights:
    """The weights of one operator's factor of waits, from its SCVs; `constant` holds the part that does not depend on
    k.
    """
    weights = WAITING_MODELS[model].weigh(arrival_scv, service_scv, FLOATS)
    constant, on_phi1, on_phi3, on_psi, exponent, _ = weights
    if not exponent:
        constant, on_psi = constant + on_psi, 0.0
    is_constant = not (on_phi1 or on_phi3 or on_psi)
    return VariabilityWeights(constant, on_phi1, on_phi3, on_psi, exponent, is_constant)


def evaluate_variability(weights: VariabilityWeights, spare: Real, k: Real, at: SimpleNamespace) -> Real:
    """The factor of waits v at k processors; spare = (1 − ρ)/ρ at a utilisation ρ."""
    if weights.is_constant:
        return weights.constant
    h = (k - 1) * (at.sqrt(4.0 + 5.0 * k) - 2.0) / k
    gamma = at.minimum(0.24, spare * (h / 16.0))
    phi3 = (1.0 - 4.0 * gamma) * at.exp(-2.0 / 3.0 * spare)
    psi = at.minimum(1.0, (1.0 + gamma + phi3) / 2.0) ** weights.exponent
    return weights.constant + weights.on_phi1 * (1.0 + gamma) + weights.on_phi3 * phi3 + weights.on_psi * psi


def evaluate_variability_drop(
    weights: VariabilityWeights, spare: Real, step: Real, k: Real, at: SimpleNamespace
) -> tuple[Real, Real]:
    """The factor of waits v(k) and its fall v(k) − v(k+1) by one processor more, each difference in closed form.

    step is 1/A and spare = (k − A)/A, with A the offered load. W(k)/W(k+1) − 1 shrinks like 1/√k for the wait W. If
    v(k) and v(k+1), each with an error of 1e-16, were subtracted, the gain would lose 1e-16·√k, which is 1e-11 at k =
    1e9. Below the cap of γ, γ = spare·h/16, h(k) = (k−1)(√(4+5k)−2)/k, and γ(k+1) − γ(k) = (h(k+1)/A + spare·(h(k+1) −
    h(k)))/16, h(k+1) − h(k) = (5k/(√(9+5k)+√(4+5k)) + (√(4+5k)−2)/k)/(k+1); the exponential shrinks by the factor
    exp(−2/3A). So the changes of φ1 and φ3 are sums of positive terms, exact to 1e-15 of the change. Two differences
    remain: φ3's drop − γ's rise, and the one k at the cap. Both are exact to 1e-16 of their terms, which are no larger
    than W's own relative change: the gain keeps 1e-13.
    """
    root, next_root = at.sqrt(4.0 + 5.0 * k), at.sqrt(9.0 + 5.0 * k)
    h = (k - 1) * (root - 2.0) / k
    h_rise = (5.0 * k / (root + next_root) + (root - 2.0) / k) / (k + 1.0)
    gamma = at.minimum(0.24, spare * (h / 16.0))
    rise = at.minimum(0.24 - gamma, ((h + h_rise) * step + spare * h_rise) / 16.0)
    decay, lost = at.exp(-2.0 / 3.0 * spare), -at.expm1(-2.0 / 3.0 * step)
    phi3 = (1.0 - 4.0 * gamma) * decay
    phi3_drop = decay * ((1.0 - 4.0 * gamma) * lost + 4.0 * rise * (1.0 - lost))
    phi4 = at.minimum(1.0, (1.0 + gamma + phi3) / 2.0)
    psi = phi4**weights.exponent
    psi_drop = -psi * at.expm1(weights.exponent * at.log1p((rise - phi3_drop) / (2.0 * phi4)))
    value = weights.constant + weights.on_phi1 * (1.0 + gamma) + weights.on_phi3 * phi3 + weights.on_psi * psi
    drop = weights.on_phi3 * phi3_drop + weights.on_psi * psi_drop - weights.on_phi1 * rise
    return value, drop


def drop_variability(weights: VariabilityWeights, spare: float, step: float, k: float) -> tuple[float, float]:
    """The factor of waits v(k) and its fall v(k) − v(k+1), as by evaluate_variability_drop, for floats alone.

    This takes a third of the time, because parts of weight 0 are left out.
    """
    constant, on_phi1, on_phi3, on_psi, exponent, _ = weights
    root = sqrt(4.0 + 5.0 * k)
    h = (k - 1.0) * (root - 2.0) / k
    gamma, rise = spare * (h / 16.0), 0.0
    if gamma >= 0.24:
        gamma = 0.24
    else:
        h_rise = (5.0 * k / (root + sqrt(9.0 + 5.0 * k)) + (root - 2.0) / k) / (k + 1.0)
        rise = ((h + h_rise) * step + spare * h_rise) / 16.0
        if gamma + rise > 0.24:
            rise = 0.24 - gamma
    value = constant + on_phi1 * (1.0 + gamma)
    drop = -on_phi1 * rise
    if not (on_phi3 or on_psi):
        return value, drop
    decay, lost = exp(-2.0 / 3.0 * spare), -expm1(-2.0 / 3.0 * step)
    phi3 = (1.0 - 4.0 * gamma) * decay
    phi3_drop = decay * ((1.0 - 4.0 * gamma) * lost + 4.0 * rise * (1.0 - lost))
    value += on_phi3 * phi3
    drop += on_phi3 * phi3_drop
    if on_psi:
        phi4 = (1.0 + gamma + phi3) / 2.0
        psi = on_psi * phi4**exponent
        value += psi
        drop -= psi * expm1(exponent * log1p((rise - phi3_drop) / (2.0 * phi4)))
    return value, drop
