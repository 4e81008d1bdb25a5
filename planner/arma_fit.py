"""Fitting ARMA models: exact likelihood by innovations and warm starts; statsmodels' own fit as the reference."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from statsmodels.tsa.arima.model import ARIMA
from statsmodels.tsa.innovations.arma_innovations import arma_innovations

from planner.arma import ORDERS, ArmaModel, ArmaOrder, Floats, past_errors

MOST_ITERATIONS = 30
MOST_DAMPING = 1e9
CLOSE_ENOUGH = 1e-5
DIFFERENCE = 1e-6
# A root on the unit circle has no stationary variance to start from.
LARGEST_REFLECTION = 1.0 - 1e-7

Residuals = Callable[[Floats], Floats]


class ArmaFitFailed(ArithmeticError):
    """The fit did not end in a model; the caller falls back and says so."""


@dataclass(frozen=True, slots=True)
class Minimum:
    """Where a sum of squares is least, and how large it is there."""

    parameters: Floats
    total: float


def fit_arma(rates: Floats, order: ArmaOrder, start: ArmaModel | None = None) -> ArmaModel:
    """Maximum likelihood, from `start` when the last window's fit is given, else from least squares.

    With innovations u_t of variance σ² v_t, the likelihood is highest where Σ u_t²/v_t · (Π v_t)^(1/n) is least
    (Box and Jenkins, A7.3): a sum of squares, minimised by Levenberg–Marquardt.
    """
    values = _check_values(rates, order)
    first = start if start is not None and start.order == order else fit_arma_by_squares(values, order)
    minimum = minimise_squares(lambda p: _whitened(values, order, p), _parameters_of(first), order)
    innovations, variances = _innovations(values, order, minimum.parameters)
    variance = float(np.mean(innovations**2 / variances))
    count = len(values)
    fit = count * (np.log(2.0 * np.pi * max(variance, 1e-300)) + 1.0) + float(np.log(variances).sum())
    # As many parameters as statsmodels counts: the variance is one of them.
    return _model_of(minimum.parameters, order, variance, fit + 2.0 * (order.parameters + 1))


def fit_arma_by_squares(rates: Floats, order: ArmaOrder, start: ArmaModel | None = None) -> ArmaModel:
    """Least conditional sum of squares: errors before the window's p-th value are 0."""
    values = _check_values(rates, order)
    parameters = (
        _parameters_of(start) if start is not None and start.order == order else _guess(values, order)
    )

    def errors_at(candidate: Floats) -> Floats:
        return past_errors(_model_of(candidate, order, 1.0, None), values)

    minimum = minimise_squares(errors_at, parameters, order)
    return _model_of(minimum.parameters, order, minimum.total / max(len(values) - order.ar, 1), None)


def fit_arma_by_statsmodels(rates: Floats, order: ArmaOrder, start: ArmaModel | None = None) -> ArmaModel:
    """Maximum likelihood by statsmodels' Kalman filter, always from its own start: the reference, and slow."""
    del start
    values = _check_values(rates, order)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # Poor starting values are its own affair; whether the fit is one is judged by its numbers.
        warnings.simplefilter("ignore")
        try:
            fit = ARIMA(values, order=(order.ar, 0, order.ma), trend="c" if order.with_mean else "n").fit()
        except np.linalg.LinAlgError as error:
            raise ArmaFitFailed(str(error)) from error
    mean = [float(fit.params[0])] if order.with_mean else []
    parameters = np.array([*fit.arparams, *fit.maparams, *mean])
    return _model_of(parameters, order, float(fit.params[-1]), float(fit.aic))


def rank_orders(rates: Floats, orders: tuple[ArmaOrder, ...] = ORDERS) -> tuple[ArmaModel, ...]:
    """The models of all orders that can be fitted, lowest AIC first (section IV-C)."""
    models = []
    for order in orders:
        try:
            models.append(fit_arma(rates, order))
        except ArmaFitFailed:
            continue
    if not models:
        raise ArmaFitFailed("no order of ARMA model could be fitted")
    return tuple(sorted(models, key=lambda model: np.inf if model.aic is None else model.aic))


def minimise_squares(residuals: Residuals, start: Floats, order: ArmaOrder) -> Minimum:
    """Levenberg–Marquardt with differences for derivatives, kept stationary and invertible."""
    parameters = start
    errors = residuals(parameters)
    total, damping = float(errors @ errors), 1e-3
    for _ in range(MOST_ITERATIONS):
        jacobian = _differences(residuals, parameters, errors, order)
        gram, slope = jacobian.T @ jacobian, jacobian.T @ errors
        scale = np.diag(np.diag(gram) + 1e-12 * max(float(np.trace(gram)), 1e-300))
        before, improved = total, False
        while not improved and damping < MOST_DAMPING:
            candidate = parameters - np.linalg.solve(gram + damping * scale, slope)
            if is_stable(candidate, order):
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


def is_stable(parameters: Floats, order: ArmaOrder) -> bool:
    """Whether the model is stationary and invertible."""
    ar, ma = parameters[: order.ar], parameters[order.ar : order.ar + order.ma]
    return _roots_outside([-float(phi) for phi in ar]) and _roots_outside([float(theta) for theta in ma])


def _roots_outside(coefficients: list[float]) -> bool:
    """Whether 1 + c1 z + c2 z² + ... has all roots outside the unit circle: all reflections below 1 (Schur)."""
    while coefficients:
        reflection = coefficients[-1]
        if not abs(reflection) < LARGEST_REFLECTION:
            return False
        rest, scale = coefficients[:-1], 1.0 - reflection**2
        coefficients = [(c - reflection * r) / scale for c, r in zip(rest, reversed(rest), strict=True)]
    return True


def _differences(residuals: Residuals, parameters: Floats, errors: Floats, order: ArmaOrder) -> Floats:
    jacobian = np.empty((len(errors), len(parameters)))
    for column in range(len(parameters)):
        step = DIFFERENCE * max(abs(float(parameters[column])), 1.0)
        moved = parameters.copy()
        moved[column] += step
        if not is_stable(moved, order):
            step = -step
            moved[column] = parameters[column] + step
        jacobian[:, column] = (residuals(moved) - errors) / step
    return jacobian


def _whitened(values: Floats, order: ArmaOrder, parameters: Floats) -> Floats:
    innovations, variances = _innovations(values, order, parameters)
    with np.errstate(over="ignore"):
        # A poor candidate may overflow: then its sum of squares is infinite, and the step is refused.
        return np.asarray(
            innovations / np.sqrt(variances) * np.exp(np.log(variances).mean() / 2.0), dtype=float
        )


def _innovations(values: Floats, order: ArmaOrder, parameters: Floats) -> tuple[Floats, Floats]:
    mean = float(parameters[-1]) if order.with_mean else 0.0
    ar, ma = parameters[: order.ar], parameters[order.ar : order.ar + order.ma]
    innovations, variances = arma_innovations(values - mean, ar_params=ar, ma_params=ma)
    return np.asarray(innovations, dtype=float), np.maximum(np.asarray(variances, dtype=float), 1e-300)


def _check_values(rates: Floats, order: ArmaOrder) -> Floats:
    values = np.asarray(rates, dtype=float)
    if len(values) <= 2 * order.parameters + 1:
        raise ArmaFitFailed(f"{len(values)} steps are too few for {order.parameters} parameters")
    if np.ptp(values) == 0.0:
        raise ArmaFitFailed(f"all {len(values)} steps are the same")
    return values


def _guess(values: Floats, order: ArmaOrder) -> Floats:
    """Near a random walk: a workload is more like its last value than like its mean."""
    ar = (0.95, *([0.0] * order.ar))[: order.ar]
    return np.array([*ar, *([0.0] * order.ma), *([float(values.mean())] if order.with_mean else [])])


def _parameters_of(model: ArmaModel) -> Floats:
    parameters = np.array([*model.ar, *model.ma, *([model.mean] if model.order.with_mean else [])])
    if not is_stable(parameters, model.order):
        # Rounding may have put a root of the last fit on the circle.
        parameters[: model.order.ar + model.order.ma] *= 0.999
    return parameters


def _model_of(parameters: Floats, order: ArmaOrder, variance: float, aic: float | None) -> ArmaModel:
    if not (np.isfinite(parameters).all() and np.isfinite(variance)):
        raise ArmaFitFailed("the likelihood has no finite maximum")
    values = [float(value) for value in parameters]
    ar, ma = tuple(values[: order.ar]), tuple(values[order.ar : order.ar + order.ma])
    return replace(ArmaModel(order, 0.0, ar, ma, variance, aic), mean=values[-1] if order.with_mean else 0.0)
