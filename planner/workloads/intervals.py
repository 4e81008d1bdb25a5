"""Where a workload goes: the ARMA model that fits its newest window best, with an interval for every step."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from planner.arrays import Floats
from planner.values import Diagnostic
from planner.workloads.arma import ORDERS, ArmaModel, forecast_arma
from planner.workloads.arma_fit import ArmaFitFailed, rank_orders
from planner.workloads.errors import InvalidSchedule
from planner.workloads.peak_rate import ARMA_WINDOW, DAY_STEPS, last_day_quantile
from planner.workloads.series import Workload, check_forecastable

FEWEST_WINDOW_STEPS = 20
"""Fewer would not tell the largest of the models, with eight parameters, from chance."""


@dataclass(frozen=True, slots=True)
class WorkloadForecast:
    """The rates of the steps after the last one measured; no model where a fallback had to give them."""

    model: ArmaModel | None
    expected: Floats
    lower: Floats
    upper: Floats
    diagnostics: tuple[Diagnostic, ...]


def forecast_workload(
    workload: Workload, steps: int, level: float, window_steps: int = ARMA_WINDOW
) -> WorkloadForecast:
    """λ̂_{t+k} ± z σ_k, z = Φ⁻¹((1 + level)/2) (Imai et al., eqs. 10 and 13, the order by AIC); no rate below 0.

    Normal errors are an approximation: those of a workload have heavier tails, above all ahead of a flash crowd.
    """
    if not 0.0 < level < 1.0:
        raise InvalidSchedule(f"level = {level:.6g} must lie between 0 and 1: 0.95 is usual.", "/level")
    if window_steps < FEWEST_WINDOW_STEPS:
        raise InvalidSchedule(
            f"window_steps = {window_steps}: the models take at least {FEWEST_WINDOW_STEPS} steps.",
            "/window_steps",
        )
    rates = workload.series
    check_forecastable(rates, window_steps)
    z = float(ndtri(0.5 + level / 2.0))
    try:
        model = rank_orders(rates[-window_steps:], ORDERS)[0]
    except ArmaFitFailed as failure:
        return _fall_back(rates, steps, z, str(failure))
    ahead = forecast_arma(model, rates[-window_steps:], steps)
    return _bound(model, ahead.means, z * ahead.deviations, ())


def _fall_back(rates: Floats, steps: int, z: float, why: str) -> WorkloadForecast:
    stand_in = last_day_quantile(rates[-DAY_STEPS:], why)
    detail = (
        f"No ARMA model could be fitted ({why}): the 95% quantile of the last day stands in for a forecast."
    )
    said = (Diagnostic("forecast-fallback", detail),)
    return _bound(None, np.full(steps, stand_in.rate), np.full(steps, z * stand_in.deviation), said)


def _bound(
    model: ArmaModel | None, means: Floats, margins: Floats, said: tuple[Diagnostic, ...]
) -> WorkloadForecast:
    lower, expected, upper = (np.maximum(rates, 0.0) for rates in (means - margins, means, means + margins))
    return WorkloadForecast(model, expected, lower, upper, said)
