"""The factor by which variable arrivals and services stretch the wait of M/M/k, one function per model."""

from collections.abc import Callable, Mapping
from math import exp, expm1, log1p, sqrt
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from planner.values import Model

FLOATS = SimpleNamespace(sqrt=sqrt, exp=exp, expm1=expm1, log1p=log1p, minimum=min)
ARRAYS = SimpleNamespace(sqrt=np.sqrt, exp=np.exp, expm1=np.expm1, log1p=np.log1p, minimum=np.minimum)
Real = Any  # a float or an array of floats: the formulas below are written once for both


class VariabilityWeights(NamedTuple):
    """v = constant + on_phi1·φ1 + on_phi3·φ3 + on_psi·φ4^exponent: any model's factor at given SCVs."""

    constant: Real
    on_phi1: Real = 0.0
    on_phi3: Real = 0.0
    on_psi: Real = 0.0
    exponent: Real = 0.0
    is_constant: bool = True

    def select(self, chosen: Any) -> "VariabilityWeights":
        """Weights of some operators, where there are arrays of them."""
        parts = (self.constant, self.on_phi1, self.on_phi3, self.on_psi, self.exponent)
        constant, on_phi1, on_phi3, on_psi, exponent = (part[chosen] for part in parts)
        return VariabilityWeights(constant, on_phi1, on_phi3, on_psi, exponent, self.is_constant)

    def spread(self, shape: tuple[int, ...]) -> "VariabilityWeights":
        """The same as arrays of one length, whichever model they come from."""
        parts = (self.constant, self.on_phi1, self.on_phi3, self.on_psi, self.exponent)
        constant, on_phi1, on_phi3, on_psi, exponent = (np.broadcast_to(part, shape) for part in parts)
        return VariabilityWeights(constant, on_phi1, on_phi3, on_psi, exponent, self.is_constant)

    @property
    def level(self) -> Real:
        """About v: the sum of the weights, v where every φ is 1."""
        return self.constant + self.on_phi1 + self.on_phi3 + self.on_psi


def weigh_mmk(arrival_scv: Real, _service_scv: Real) -> VariabilityWeights:
    """v = 1: Poisson arrivals, exponential services."""
    return VariabilityWeights(1.0 + 0.0 * arrival_scv)


def weigh_ggk(arrival_scv: Real, service_scv: Real) -> VariabilityWeights:
    """v = (a + s)/2 (Allen and Cunneen; DRS eq. 5)."""
    return VariabilityWeights((arrival_scv + service_scv) / 2.0)


def weigh_ggk_whitt(a: Real, s: Real) -> VariabilityWeights:
    """v = φ·(a + s)/2, φ a mixture of φ1 or φ3 with ψ (Whitt 1993); its weights sum to (a + s)/2.

    a ≥ s: (a + s)/2·4(a − s)/(4a − 3s) on φ1; a < s: (s − a)/4 on φ3; ψ = φ4^(2 − a − s), 1 from a + s = 2 up.
    """
    if isinstance(a, np.ndarray):
        return _weigh_arrays(a, s)
    mean = (a + s) / 2.0
    if a == s and mean >= 1.0:
        return VariabilityWeights(mean)
    on_phi1 = mean * 4.0 * (a - s) / (4.0 * a - 3.0 * s) if a > s else 0.0
    on_phi3 = (s - a) / 4.0 if a < s else 0.0
    on_psi = mean - on_phi1 - on_phi3
    if mean >= 1.0:
        return VariabilityWeights(on_psi, on_phi1, on_phi3, is_constant=False)
    return VariabilityWeights(0.0, on_phi1, on_phi3, on_psi, 2.0 - a - s, is_constant=mean == 0.0)


def _weigh_arrays(a: Real, s: Real) -> VariabilityWeights:
    mean = (a + s) / 2.0
    more = a > s
    on_phi1 = np.where(more, mean * 4.0 * (a - s) / np.where(more, 4.0 * a - 3.0 * s, 1.0), 0.0)
    on_phi3 = np.where(a < s, (s - a) / 4.0, 0.0)
    on_psi = mean - on_phi1 - on_phi3
    high = mean >= 1.0
    plain = bool(np.all((high & (a == s)) | (mean == 0.0)))
    return VariabilityWeights(
        np.where(high, on_psi, 0.0),
        on_phi1,
        on_phi3,
        np.where(high, 0.0, on_psi),
        np.where(high, 0.0, 2.0 - a - s),
        is_constant=plain,
    )


WEIGHTS: Mapping[Model, Callable[[Real, Real], VariabilityWeights]] = {
    "mmk": weigh_mmk,
    "ggk": weigh_ggk,
    "ggk-whitt": weigh_ggk_whitt,
}


def evaluate_variability(
    weights: VariabilityWeights, spare: Real, k: Real, at: SimpleNamespace = FLOATS
) -> Real:
    """v at k processors, spare = (1 − ρ)/ρ = c/A.

    γ = min(0.24, spare·(k−1)(√(4+5k)−2)/(16k)); φ1 = 1 + γ; φ3 = (1−4γ)exp(−2·spare/3); φ4 = (φ1 + φ3)/2 ≤ 1.
    """
    if weights.is_constant:
        return weights.constant
    h = (k - 1) * (at.sqrt(4.0 + 5.0 * k) - 2.0) / k
    gamma = at.minimum(0.24, spare * (h / 16.0))
    phi3 = (1.0 - 4.0 * gamma) * at.exp(-2.0 / 3.0 * spare)
    psi = at.minimum(1.0, (1.0 + gamma + phi3) / 2.0) ** weights.exponent
    return weights.constant + weights.on_phi1 * (1.0 + gamma) + weights.on_phi3 * phi3 + weights.on_psi * psi


def evaluate_variability_drop(
    weights: VariabilityWeights, spare: Real, step: Real, k: Real
) -> tuple[Real, Real]:
    """v(k) and v(k) − v(k+1), step = 1/A, each difference in closed form.

    W(k)/W(k+1) − 1 shrinks like 1/√k, so v(k) and v(k+1), each off by some 1e-16 and then subtracted, would
    cost the gain some 1e-16·√k, 1e-11 at k = 1e9. Below its cap γ = spare·h/16, h(k) = (k−1)(√(4+5k)−2)/k, and
    γ(k+1) − γ(k) = (h(k+1)/A + spare·(h(k+1) − h(k)))/16,
    h(k+1) − h(k) = (5k/(√(9+5k)+√(4+5k)) + (√(4+5k)−2)/k)/(k+1);
    the exponential shrinks by the factor exp(−2/3A). φ1 and φ3 so change by sums of positive terms, to 1e-15 of
    the change; the only differences left, φ3's drop − γ's rise and the one k at the cap, are exact to 1e-16 of
    their terms, which are no larger than W's own relative change: the gain keeps 1e-13.
    """
    root, next_root = np.sqrt(4.0 + 5.0 * k), np.sqrt(9.0 + 5.0 * k)
    h = (k - 1) * (root - 2.0) / k
    h_rise = (5.0 * k / (root + next_root) + (root - 2.0) / k) / (k + 1.0)
    gamma = np.minimum(0.24, spare * (h / 16.0))
    rise = np.minimum(0.24 - gamma, ((h + h_rise) * step + spare * h_rise) / 16.0)
    decay, lost = np.exp(-2.0 / 3.0 * spare), -np.expm1(-2.0 / 3.0 * step)
    phi3 = (1.0 - 4.0 * gamma) * decay
    phi3_drop = decay * ((1.0 - 4.0 * gamma) * lost + 4.0 * rise * (1.0 - lost))
    phi4 = np.minimum(1.0, (1.0 + gamma + phi3) / 2.0)
    psi = phi4**weights.exponent
    psi_drop = -psi * np.expm1(weights.exponent * np.log1p((rise - phi3_drop) / (2.0 * phi4)))
    value = weights.constant + weights.on_phi1 * (1.0 + gamma) + weights.on_phi3 * phi3 + weights.on_psi * psi
    drop = weights.on_phi3 * phi3_drop + weights.on_psi * psi_drop - weights.on_phi1 * rise
    return value, drop


def drop_variability(weights: VariabilityWeights, spare: float, step: float, k: float) -> tuple[float, float]:
    """evaluate_variability_drop on plain floats, without the parts whose weight is 0: a third of its time."""
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
