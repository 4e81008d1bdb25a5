"""The factor by which variable arrivals and services stretch the wait of M/M/k, one function per model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp, sqrt

from planner.values import Model


@dataclass(frozen=True, slots=True)
class Weights:
    """v = constant + on_phi1·φ1 + on_phi3·φ3 + on_psi·φ4^exponent: any model's factor at given SCVs."""

    constant: float
    on_phi1: float = 0.0
    on_phi3: float = 0.0
    on_psi: float = 0.0
    exponent: float = 0.0

    @property
    def is_constant(self) -> bool:
        """Whether v is the same at every k, so that λE[T] is convex for certain."""
        return not (self.on_phi1 or self.on_phi3 or self.on_psi)


def weigh_mmk(_arrival_scv: float, _service_scv: float) -> Weights:
    """v = 1: Poisson arrivals, exponential services."""
    return Weights(1.0)


def weigh_ggk(arrival_scv: float, service_scv: float) -> Weights:
    """v = (a + s)/2 (Allen and Cunneen; DRS eq. 5)."""
    return Weights((arrival_scv + service_scv) / 2.0)


def weigh_ggk_whitt(a: float, s: float) -> Weights:
    """v = φ·(a + s)/2, φ a mixture of φ1, φ3 and ψ by a and s (Whitt 1993, eqs. 2.16–2.25)."""
    mean = (a + s) / 2.0
    if mean == 0.0:
        return Weights(0.0)
    if a >= s:
        on_phi1, on_phi3, on_psi = (
            mean * (4.0 * (a - s)) / (4.0 * a - 3.0 * s),
            0.0,
            mean * s / (4.0 * a - 3.0 * s),
        )
    else:
        on_phi1, on_phi3, on_psi = 0.0, (s - a) / 4.0, (s + 3.0 * a) / 4.0
    if mean >= 1.0:  # ψ = 1
        return Weights(on_psi, on_phi1, on_phi3)
    return Weights(0.0, on_phi1, on_phi3, on_psi, 2.0 - a - s)


WEIGHTS: Mapping[Model, Callable[[float, float], Weights]] = {
    "mmk": weigh_mmk,
    "ggk": weigh_ggk,
    "ggk-whitt": weigh_ggk_whitt,
}


def evaluate_variability(weights: Weights, spare: float, processors: int) -> float:
    """v at k processors, spare = (1 − ρ)/ρ = c/A.

    γ = min(0.24, spare·(k−1)(√(4+5k)−2)/(16k)); φ1 = 1 + γ; φ3 = (1−4γ)exp(−2·spare/3); φ4 = (φ1 + φ3)/2 ≤ 1.
    """
    if weights.is_constant:
        return weights.constant
    k = processors
    gamma = min(0.24, spare * (k - 1) * (sqrt(4.0 + 5.0 * k) - 2.0) / (16.0 * k))
    phi3 = (1.0 - 4.0 * gamma) * exp(-2.0 / 3.0 * spare)
    v = weights.constant + weights.on_phi1 * (1.0 + gamma) + weights.on_phi3 * phi3
    if weights.on_psi:
        v += weights.on_psi * min(1.0, (1.0 + gamma + phi3) / 2.0) ** weights.exponent
    return v
