"""Which ARMA model fits a series best?

fit_arma                 the exact likelihood, by innovations; starts from the fit of the last window if there is one
fit_arma_by_squares      the conditional sum of squares: quicker, and less exact near a unit root
fit_arma_by_statsmodels  the Kalman filter of statsmodels: slow, the reference
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.arrays import Floats
from planner.workloads.arma.models import ORDERS, ArmaModel, ArmaOrder, innovate, past_errors

MOST_ITERATIONS = 30
MOST_DAMPING = 1e9
CLOSE_ENOUGH = 1e-5
DIFFERENCE = 1e-6
LONGEST_STEP = 0.5
ROWS_PER_PARAMETER = 3
# With a root on the unit circle the process has no stationary variance.
LARGEST_PARTIAL = 1.0 - 1e-8

Residuals = Callable[[Floats], Floats]
Fit = Callable[[Floats, ArmaOrder, ArmaModel | None], ArmaModel]


class ArmaFitFailed(ArithmeticError):
    """No ARMA model could be fitted to the rates; planner.workloads.workload_forecast then
    forecasts without a model.
    """


@dataclass(frozen=True, slots=True)
class Minimum:
    """The parameters at which a sum of squares is smallest, and the value of this sum (`total`)."""

    parameters: Floats
    total: float


def fit_arma(rates: Floats, order: ArmaOrder, start: ArmaModel | None = None) -> ArmaModel:
    """Returns the ARMA model of the given order with the highest likelihood; without a `start`, least squares give
    starts.

    An innovation u_t, of variance σ² v_t, is the part of a rate that earlier rates do not explain. Of n rates the
    likelihood is highest where Σ u_t²/v_t · (Π v_t)^(1/n) is least (Box and Jenkins, A7.3): a sum of squares, which the
    method of Levenberg and Marquardt minimises.
    """
    values = _check_values(rates, order)
    known = start is not None and start.order == order
    starts = [start] if start is not None and known else _cold_starts(values, order)
    minima = [
        minimise_squares(lambda p: _whiten(values, _model_at(p, order)), _parameters_of(first))
        for first in starts
    ]
    minimum = min(minima, key=lambda found: found.total)
    if not np.isfinite(minimum.total):
        raise ArmaFitFailed("the likelihood has no finite maximum")
    model = _model_at(minimum.parameters, order)
    innovations, variances = innovate(model.ar, model.ma, values - model.mean)
    variance = float(np.mean(innovations**2 / variances))
    misfit = len(values) * (np.log(2.0 * np.pi * max(variance, 1e-300)) + 1.0) + np.log(variances).sum()
    # Parameters are counted as statsmodels does: the variance is one of them.
    aic = float(misfit) + 2.0 * (order.parameters + 1)
    return _checked(replace(model, innovation_variance=variance, aic=aic))


def fit_arma_by_squares(rates: Floats, order: ArmaOrder, start: ArmaModel | None = None) -> ArmaModel:
    """Returns the ARMA model of the given order with the smallest sum of squared errors on the rates.

    Errors before the p-th rate count as 0, where p is the number of past rates that the model uses.
    """
    values = _check_values(rates, order)
    first = start if start is not None and start.order == order else _guess(values, order)
    minimum = minimise_squares(lambda p: past_errors(_model_at(p, order), values), _parameters_of(first))
    variance = minimum.total / max(len(values) - order.ar, 1)
    return _checked(replace(_model_at(minimum.parameters, order), innovation_variance=variance))


def fit_arma_by_statsmodels(rates: Floats, order: ArmaOrder, start: ArmaModel | None = None) -> ArmaModel:
    """Returns the ARMA model of the given order with the highest likelihood, as statsmodels' Kalman filter finds it.

    `start` is not used: this function has the same arguments as the other fits.
    """
    from statsmodels.tsa.arima.model import ARIMA

    del start
    values = _check_values(rates, order)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # It warns of poor starting values; the numbers of the fit show whether it is usable.
        warnings.simplefilter("ignore")
        try:
            fit = ARIMA(values, order=(order.ar, 0, order.ma), trend="c" if order.with_mean else "n").fit()
        except np.linalg.LinAlgError as error:
            raise ArmaFitFailed(str(error)) from error
    mean = float(fit.params[0]) if order.with_mean else 0.0
    ar, ma = tuple(map(float, fit.arparams)), tuple(map(float, fit.maparams))
    return _checked(ArmaModel(order, mean, ar, ma, float(fit.params[-1]), float(fit.aic)))


def rank_orders(
    rates: Floats, orders: tuple[ArmaOrder, ...] = ORDERS, fit: Fit = fit_arma
) -> tuple[ArmaModel, ...]:
    """Returns a fitted ARMA model for each order that can be fitted; the model of lowest AIC is first (Imai et al.,
    IV-C).

    AIC, Akaike's criterion, weighs likelihood against the number of parameters. If no order can be fitted, raises the
    first failure.
    """
    models, failures = [], []
    for order in orders:
        try:
            models.append(fit(rates, order, None))
        except ArmaFitFailed as failure:
            failures.append(failure)
    if not models:
        raise failures[0]
    return tuple(sorted(models, key=lambda model: np.inf if model.aic is None else model.aic))


def minimise_squares(residuals: Residuals, start: Floats) -> Minimum:
    """Returns the smallest sum of squared residuals near `start`, by Levenberg–Marquardt with numerical derivatives."""
    parameters = start
    errors = residuals(parameters)
    total, damping = float(errors @ errors), 1e-3
    for _ in range(MOST_ITERATIONS if np.isfinite(total) else 0):
        jacobian = _differences(residuals, parameters, errors)
        if not np.isfinite(jacobian).all():
            break
        gram, slope = jacobian.T @ jacobian, jacobian.T @ errors
        scale = np.diag(np.diag(gram) + 1e-12 * max(float(np.trace(gram)), 1e-300))
        before, improved = total, False
        while not improved and damping < MOST_DAMPING:
            step = np.linalg.solve(gram + damping * scale, slope)
            # Large parameters all give nearly the same unit root: after a long step the search would stay there.
            reach = LONGEST_STEP * np.maximum(np.abs(parameters), 1.0)
            candidate = parameters - np.clip(step, -reach, reach)
            candidate_errors = residuals(candidate)
            improved = float(candidate_errors @ candidate_errors) < total
            damping *= 0.3 if improved else 10.0
        if not improved:
            break
        parameters, errors = candidate, candidate_errors
        total = float(errors @ errors)
        if before - total <= CLOSE_ENOUGH * total:
            break
    return Minimum(parameters, total)


def coefficients_of(free: Floats) -> list[float]:
    """Turns parameters without bounds (`free`) into the factors c of a stationary model.

    All roots of 1 − Σ c_i z^i then lie outside the unit circle. For each parameter x, x/√(1 + x²) is a partial
    autocorrelation. Levinson's recursion turns the partial autocorrelations into the factors (Monahan 1984).
    """
    coefficients: list[float] = []
    for value in free:
        partial = float(value / np.hypot(1.0, value)) * LARGEST_PARTIAL
        coefficients = [c - partial * r for c, r in zip(coefficients, coefficients[::-1], strict=True)]
        coefficients.append(partial)
    return coefficients


def free_of(coefficients: Sequence[float]) -> list[float]:
    """Returns the parameters that `coefficients_of` turns into these coefficients.

    Roots of 1 − Σ c_i z^i on the unit circle or inside it are moved out first.
    """
    rest, free = list(coefficients), []
    while rest:
        partial = min(max(rest.pop(), -(LARGEST_PARTIAL**2)), LARGEST_PARTIAL**2)
        scale = 1.0 - partial**2
        rest = [(c + partial * r) / scale for c, r in zip(rest, rest[::-1], strict=True)]
        share = partial / LARGEST_PARTIAL
        free.append(share / float(np.sqrt(1.0 - share**2)))
    return free[::-1]


def _differences(residuals: Residuals, parameters: Floats, errors: Floats) -> Floats:
    jacobian = np.empty((len(errors), len(parameters)))
    for column in range(len(parameters)):
        step = DIFFERENCE * max(abs(float(parameters[column])), 1.0)
        moved = parameters.copy()
        moved[column] += step
        jacobian[:, column] = (residuals(moved) - errors) / step
    return jacobian


def _whiten(values: Floats, model: ArmaModel) -> Floats:
    try:
        innovations, variances = innovate(model.ar, model.ma, values - model.mean)
    except ValueError:
        # Rounding puts a root on the unit circle: such a candidate is never the best.
        return np.full(len(values), np.inf)
    return np.asarray(innovations / np.sqrt(variances) * np.exp(np.log(variances).mean() / 2.0), dtype=float)


def _check_values(rates: Floats, order: ArmaOrder) -> Floats:
    values = np.asarray(rates, dtype=float)
    if len(values) <= ROWS_PER_PARAMETER * (order.parameters + 1):
        raise ArmaFitFailed(
            f"{len(values)} steps are too few for an ARMA model of {order.parameters} parameters"
        )
    if np.ptp(values) == 0.0:
        raise ArmaFitFailed(f"the last {len(values)} steps are all the same")
    return values


def _cold_starts(values: Floats, order: ArmaOrder) -> list[ArmaModel]:
    """Returns several models to start the first fit of an order from, because the likelihood has several peaks."""
    from statsmodels.tsa.arima.estimators.hannan_rissanen import hannan_rissanen

    centre = float(values.mean()) if order.with_mean else 0.0
    with warnings.catch_warnings():
        # On a straight line its regression has no unique answer; any answer is good enough for a start.
        warnings.simplefilter("ignore")
        guess = hannan_rissanen(values - centre, order.ar, order.ma, demean=False)[0]
    ar, ma = tuple(map(float, guess.ar_params)), tuple(map(float, guess.ma_params))
    return [fit_arma_by_squares(values, order), ArmaModel(order, centre, ar, ma, 1.0), _guess(values, order)]


def _guess(values: Floats, order: ArmaOrder) -> ArmaModel:
    """A model near a random walk to start a fit from: a workload resembles its last value more than its mean."""
    ar = (0.95, *([0.0] * order.ar))[: order.ar]
    return ArmaModel(order, float(values.mean()) if order.with_mean else 0.0, ar, (0.0,) * order.ma, 1.0)


def _parameters_of(model: ArmaModel) -> Floats:
    mean = [model.mean] if model.order.with_mean else []
    return np.array([*free_of(model.ar), *free_of([-theta for theta in model.ma]), *mean])


def _model_at(parameters: Floats, order: ArmaOrder) -> ArmaModel:
    ar = coefficients_of(parameters[: order.ar])
    ma = [-c for c in coefficients_of(parameters[order.ar : order.ar + order.ma])]
    mean = float(parameters[-1]) if order.with_mean else 0.0
    return ArmaModel(order, mean, tuple(ar), tuple(ma), innovation_variance=1.0)


def _checked(model: ArmaModel) -> ArmaModel:
    if not np.isfinite([model.mean, model.innovation_variance, *model.ar, *model.ma]).all():
        raise ArmaFitFailed("the likelihood has no finite maximum")
    return model
