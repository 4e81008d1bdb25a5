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
    """The order of an ARMA model: its numbers of past values and of past errors, and whether it has a mean."""

    ar: int
    ma: int
    with_mean: bool = False

    @property
    def parameters(self) -> int:
        """The number of parameters that a fit estimates: the factors of past values and errors, and the mean if there
        is one.
        """
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
    """An ARMA model of a rate λ (eq. 9): past rates and past errors ε, times the factors φ and θ, give the next rate.

    (λ_t − mean) = Σ φ_i (λ_{t−i} − mean) + ε_t + Σ θ_j ε_{t−j},   ε ~ Normal(0, innovation_variance)
    """

    order: ArmaOrder
    mean: float
    ar: tuple[float, ...]
    ma: tuple[float, ...]
    innovation_variance: float
    aic: float | None = None


ONLY_ROUNDING = "the model is not stationary but for rounding"


@dataclass(frozen=True, slots=True)
class ArmaForecast:
    """The expected rate and its standard deviation 1, 2, ... steps after the last known rate."""

    means: Floats
    deviations: Floats


def psi_weights(model: ArmaModel, count: int) -> Floats:
    """The first `count` weights ψ_0 = 1, ψ_1, ...: an error changes the value j steps later by ψ_j times (eq. 12)."""
    impulse = np.zeros(count)
    impulse[:1] = 1.0
    return np.asarray(
        scipy.signal.lfilter([1.0, *model.ma], [1.0, *(-phi for phi in model.ar)], impulse), dtype=float
    )


def innovate(ar: Sequence[float], ma: Sequence[float], centred: Floats) -> tuple[Floats, Floats]:
    """Returns for each value the part that the values before do not explain, and the variance of this part.

    The variance is in units of the model's error variance σ², and above 0; see `find_innovations`.
    """
    innovations, variances = find_innovations(ar, ma, centred)
    # Rounding can take the variance of a root on the unit circle to zero.
    return innovations, np.maximum(variances, 1e-300)


def past_errors(model: ArmaModel, rates: Floats) -> Floats:
    """Returns the errors ε_p, ε_{p+1}, ... of the model on the rates, if all errors before the p-th rate are taken as
    0.

    p is the number of past rates that the model uses.
    """
    centred = np.asarray(rates, dtype=float) - model.mean
    unexplained = centred[model.order.ar :].copy()
    for lag, phi in enumerate(model.ar, 1):
        unexplained -= phi * centred[model.order.ar - lag : len(centred) - lag]
    return np.asarray(scipy.signal.lfilter([1.0], [1.0, *model.ma], unexplained), dtype=float)


def forecast_arma(model: ArmaModel, rates: Floats, steps: int) -> ArmaForecast:
    """Returns the expected next `steps` rates after `rates` by the model (eq. 10), and their standard deviations (eq.
    13).

    Future errors are taken as 0. The sum of eq. 13 ends at k − 1 for the rate k steps ahead.
    """
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
    """Returns for each value of a series with mean 0 the part that the values before do not explain, and its variance.

    The model has factors `ar` of past values and `ma` of past errors. The variances are in units of the error variance
    σ². Raises ValueError if the autoregressive part `ar` is not stationary.
    """
    from statsmodels.tsa.innovations import _arma_innovations as compiled

    if not is_stationary(ar):
        raise ValueError("the model is not stationary")
    covariances = np.array(find_autocovariances(ar, ma, 2 * max(len(ar), len(ma)) + 2))
    lagged, moving = np.array([1.0, *(-phi for phi in ar)]), np.array([1.0, *ma])
    phis, thetas = np.array(ar, np.float64), np.array(ma, np.float64)
    early, late = compiled.darma_transformed_acovf_fast(lagged, moving, covariances)
    try:
        weights, found = compiled.darma_innovations_algo_fast(len(centred), phis, thetas, early, late)
    except ZeroDivisionError as error:
        raise ValueError(ONLY_ROUNDING) from error
    variances = np.array(found)
    if (variances < 0.0).any() or not np.isfinite(variances).all() or not np.isfinite(weights).all():
        raise ValueError(ONLY_ROUNDING)
    values = np.array(centred, np.float64)
    return np.array(compiled.darma_innovations_filter(values, phis, thetas, weights)), variances


def is_stationary(ar: Sequence[float]) -> bool:
    """Returns whether a model with the factors `ar` (φᵢ) of past values is stationary.

    The model is stationary if all roots of 1 − Σ φᵢzⁱ lie outside the unit circle. This is so if all partial
    correlations, which Levinson's recursion finds, lie between −1 and 1.
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
    """Returns the covariances of the model's values 0, 1, ..., count − 1 steps apart, for an error variance of 1.

    `ar` and `ma` are the factors of past values and past errors. The first covariances solve linear equations (3.3.8 in
    Brockwell and Davis), the others follow by a recursion (3.3.9).
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
