"""Which rates does an ARMA(p, q) model expect, and with what variance? (Imai et al., section III-D)

Equations 11 to 13 of the paper are corrected: the innovation variance σ² is that of the residuals, ψ_j = Σ φ_i ψ_{j−i}
+ θ_j, and the variance k steps ahead is σ²(1 + Σ_{j=1}^{k−1} ψ_j²).

An innovation is the part of a value that the values before it do not explain. The innovations algorithm (Brockwell and
Davis 2009, sections 3.3 and 5.2.7) computes innovations. Its compiled steps are those of statsmodels, called directly:
the preparations of statsmodels took four fifths of the time of a fit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import scipy  # as a whole: scipy loads scipy.signal at its first use, which takes as long as the rest of a start

from planner.arrays import Floats


@dataclass(frozen=True, slots=True)
class ArmaOrder:
    """The numbers of past values and past errors that enter a model, and whether it has a mean."""

    ar: int
    ma: int
    with_mean: bool = False

    @property
    def parameters(self) -> int:
        """The number of estimated parameters: φ, θ, and the mean if there is one."""
        return self.ar + self.ma + self.with_mean


ORDERS = tuple(
    ArmaOrder(ar, ma, with_mean)
    for ar, ma, with_mean in product(range(4), range(4), (False, True))
    if (ar, ma) != (0, 0)
)
# The authors ran their models without a mean, which forecasts better on their week.
ZERO_MEAN_ORDERS = tuple(order for order in ORDERS if not order.with_mean)


@dataclass(frozen=True, slots=True)
class ArmaModel:
    """(λ_t − mean) = Σ φ_i (λ_{t−i} − mean) + ε_t + Σ θ_j ε_{t−j}, ε ~ Normal(0, innovation_variance) (eq. 9)."""

    order: ArmaOrder
    mean: float
    ar: tuple[float, ...]
    ma: tuple[float, ...]
    innovation_variance: float
    aic: float | None = None


@dataclass(frozen=True, slots=True)
class ArmaForecast:
    """The expected rate and its standard deviation 1, 2, ... steps after the last known rate."""

    means: Floats
    deviations: Floats


def psi_weights(model: ArmaModel, count: int) -> Floats:
    """The first `count` weights ψ_0 = 1, ψ_1, ...: ψ_j is the part of an error that is left j steps later (eq. 12)."""
    impulse = np.zeros(count)
    impulse[:1] = 1.0
    return np.asarray(
        scipy.signal.lfilter([1.0, *model.ma], [1.0, *(-phi for phi in model.ar)], impulse), dtype=float
    )


def innovate(ar: Sequence[float], ma: Sequence[float], centred: Floats) -> tuple[Floats, Floats]:
    """The innovation of each value, and its variance in units of σ², which is above 0; see `find_innovations`."""
    innovations, variances = find_innovations(ar, ma, centred)
    # Rounding can take the variance of a root on the unit circle to zero.
    return innovations, np.maximum(variances, 1e-300)


def past_errors(model: ArmaModel, rates: Floats) -> Floats:
    """The errors ε_p, ε_{p+1}, ... of the model on these rates, if all errors before the p-th rate are 0."""
    centred = np.asarray(rates, dtype=float) - model.mean
    unexplained = centred[model.order.ar :].copy()
    for lag, phi in enumerate(model.ar, 1):
        unexplained -= phi * centred[model.order.ar - lag : len(centred) - lag]
    return np.asarray(scipy.signal.lfilter([1.0], [1.0, *model.ma], unexplained), dtype=float)


def forecast_arma(model: ArmaModel, rates: Floats, steps: int) -> ArmaForecast:
    """The forecast of the next `steps` rates: eq. 10 with future errors of 0, and eq. 13 summed up to k − 1."""
    errors, _ = innovate(model.ar, model.ma, np.asarray(rates, dtype=float) - model.mean)
    values = [float(rate) - model.mean for rate in rates[len(rates) - model.order.ar :]]
    late = [float(error) for error in errors[len(errors) - model.order.ma :]]
    known = len(values)
    for step in range(steps):
        value = sum(phi * values[-lag] for lag, phi in enumerate(model.ar, 1))
        value += sum(theta * late[step - lag] for lag, theta in enumerate(model.ma, 1) if lag > step)
        values.append(value)
    variances = model.innovation_variance * np.cumsum(np.square(psi_weights(model, steps)))
    return ArmaForecast(np.array(values[known:]) + model.mean, np.sqrt(variances))


def find_innovations(ar: Sequence[float], ma: Sequence[float], centred: Floats) -> tuple[Floats, Floats]:
    """The innovation of each value of a series with mean 0, and the variance of each innovation in units of σ².

    Raises ValueError if the autoregressive part `ar` is not stationary.
    """
    from statsmodels.tsa.innovations import _arma_innovations as compiled

    if not is_stationary(ar):
        raise ValueError("the model is not stationary")
    covariances = np.array(find_autocovariances(ar, ma, 2 * max(len(ar), len(ma)) + 2))
    lagged, moving = np.array([1.0, *(-phi for phi in ar)]), np.array([1.0, *ma])
    phis, thetas = np.array(ar, np.float64), np.array(ma, np.float64)
    early, late = compiled.darma_transformed_acovf_fast(lagged, moving, covariances)
    weights, found = compiled.darma_innovations_algo_fast(len(centred), phis, thetas, early, late)
    variances = np.array(found)
    if (variances < 0.0).any() or not np.isfinite(variances).all() or not np.isfinite(weights).all():
        raise ValueError("the model is not stationary but for rounding")
    values = np.array(centred, np.float64)
    return np.array(compiled.darma_innovations_filter(values, phis, thetas, weights)), variances


def is_stationary(ar: Sequence[float]) -> bool:
    """Whether all roots of 1 − Σ φᵢzⁱ lie outside the unit circle.

    This is so if all partial correlations, which Levinson's recursion finds, are below 1.
    """
    rest = list(ar)
    while rest:
        partial = rest.pop()
        if not abs(partial) < 1.0:
            return False
        scale = 1.0 - partial * partial
        rest = [(one + partial * other) / scale for one, other in zip(rest, rest[::-1], strict=True)]
    return True


def find_autocovariances(ar: Sequence[float], ma: Sequence[float], count: int) -> list[float]:
    """The first `count` autocovariances γ(0), γ(1), ... of the model with σ² = 1.

    The first come from linear equations (3.3.8 in Brockwell and Davis), the others from a recursion (3.3.9).
    """
    p, q = len(ar), len(ma)
    size = max(p, q) + 1
    phis, thetas = [1.0, *(-phi for phi in ar), *[0.0] * (size - 1 - p)], [1.0, *ma]
    psis: list[float] = []
    for lag in range(size):
        own = thetas[lag] if lag <= q else 0.0
        psis.append(own + sum([ar[i] * psis[lag - 1 - i] for i in range(min(p, lag))]))
    equations, right = np.zeros((size, size)), np.zeros(size)
    for lag in range(size):
        equations[lag, : lag + 1] = phis[lag::-1]
        equations[lag, 1 : size - lag] += phis[lag + 1 :]
        right[lag] = sum([thetas[lag + i] * psis[i] for i in range(q + 1 - lag)])
    try:
        found: list[float] = np.linalg.solve(equations, right).tolist()
    except np.linalg.LinAlgError as error:
        raise ValueError("the model is not stationary") from error
    while len(found) < count:
        found.append(sum([phi * found[-1 - i] for i, phi in enumerate(ar)]))
    return found[:count]
