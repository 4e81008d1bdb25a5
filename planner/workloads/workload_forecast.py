"""Interval forecasts of a workload: by the ARMA model of lowest AIC on its newest window, or by lines."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from planner.arrays import Floats
from planner.values import Diagnostic
from planner.workloads.arma import ArmaModel, forecast_arma
from planner.workloads.arma_forecasts import ARMA_WINDOW, StandIn, describe_quantile, fit_or_stand_in
from planner.workloads.errors import InvalidSchedule
from planner.workloads.line_forecasts import KnownRates
from planner.workloads.rates_ahead import forecast_each_band
from planner.workloads.series import Workload, check_forecastable

FEWEST_WINDOW_STEPS = 20
"""On fewer steps the largest model, with eight parameters, would fit chance."""

OF_LINES = ("constant-rate", "shorter-look-ahead")


@dataclass(frozen=True, slots=True)
class WorkloadForecast:
    """The rates of the steps after the last measured one; `model` is None by lines, or where a fallback stands in."""

    model: ArmaModel | None
    expected: Floats
    lower: Floats
    upper: Floats
    diagnostics: tuple[Diagnostic, ...]
    by_lines: bool = False


def forecast_workload(
    workload: Workload, steps: int, level: float, window_steps: int = ARMA_WINDOW
) -> WorkloadForecast:
    """λ̂_{t+k} ± z σ_k, z = Φ⁻¹((1 + level)/2) (Imai et al., eqs. 10 and 13, the order by AIC); no rate below 0.

    Normal errors are an approximation: errors of workloads have heavier tails, above all before a flash crowd.
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
    recent, z = rates[-window_steps:], float(ndtri(0.5 + level / 2.0))
    fitted = fit_or_stand_in(recent, rates[-workload.day_steps :])
    if isinstance(fitted, StandIn):
        said = (describe_quantile(f"No ARMA model could be fitted ({fitted.why})"),)
        return _bound(None, np.full(steps, fitted.rate), np.full(steps, z * fitted.deviation), said)
    ahead = forecast_arma(fitted, recent, steps)
    return _bound(fitted, ahead.means, z * ahead.deviations, ())


def forecast_by_lines(workload: Workload, steps: int, level: float) -> WorkloadForecast:
    """The bands of planner.workloads.rates_ahead, as far ahead as the known rates tell."""
    known = KnownRates(workload).known_at(len(workload.rates))
    found = forecast_each_band(known, workload.step_seconds, steps, level)
    expected, lower, upper = (
        np.array(rates)
        for rates in zip(*((one.expected, one.lower, one.upper) for one in found.bands), strict=True)
    )
    # What the whole workload lacks is said of it; these are the diagnostics of the forecast alone.
    said = tuple(one for one in found.diagnostics if one.code in OF_LINES)
    return WorkloadForecast(None, expected, lower, upper, said, by_lines=True)


def _bound(
    model: ArmaModel | None, means: Floats, margins: Floats, said: tuple[Diagnostic, ...]
) -> WorkloadForecast:
    lower, expected, upper = (np.maximum(rates, 0.0) for rates in (means - margins, means, means + margins))
    return WorkloadForecast(model, expected, lower, upper, said)
