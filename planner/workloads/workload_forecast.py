"""Between which bounds will the next rates lie, and which peak has a coming interval? (by ARMA models, or by lines)

The peak of an interval is its step h with the highest λ̂ + 2σ (Imai et al., eq. 14), where λ̂ is the forecast rate and
σ its standard deviation. If an ARMA model cannot be found, its forecasts are replaced:

    no model can be fitted      the 95% quantile of the last day's rates, with their standard deviation
    no order can be ranked      ARMA(1, 2) without a mean, the order of Imai et al. (Table I)

A series that is too short is not replaced: WorkloadTooShort is raised.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from planner.arrays import Floats
from planner.values import Diagnostic
from planner.workloads.arma.fit import ArmaFitFailed, Fit, fit_arma, rank_orders
from planner.workloads.arma.models import ArmaModel, ArmaOrder, forecast_arma
from planner.workloads.line_forecasts import HISTORY, take_known
from planner.workloads.rates_ahead import KnownHistory, forecast_each_band
from planner.workloads.series import InvalidSchedule, Window, Workload, check_forecastable

FALLBACK_QUANTILE = 0.95
FALLBACK_NAME = "the last day's 95% quantile"
USUAL_ORDER = ArmaOrder(1, 2)
FEWEST_WINDOW_STEPS = 20
"""On fewer steps the largest model, with eight parameters, would fit chance."""

MOST_KNOWN_MODELS = 256

OF_LINES = ("constant-rate", "shorter-look-ahead")


@dataclass(frozen=True, slots=True)
class StandIn:
    """The rate and its standard deviation that replace a forecast if no model could be fitted; `why` is the reason."""

    rate: float
    deviation: float
    why: str


def fit_or_stand_in(recent: Floats, day: Floats) -> ArmaModel | StandIn:
    """The ARMA model of lowest AIC on the `recent` rates; if none can be fitted, a stand-in from the last `day`."""
    found = find_model(tuple(recent.tolist()))
    return stand_in_for_model(day, found) if isinstance(found, ArmaFitFailed) else found


@lru_cache(MOST_KNOWN_MODELS)
def find_model(rates: tuple[float, ...]) -> ArmaModel | ArmaFitFailed:
    """The ARMA model of lowest AIC, or why there is none; kept, since pages ask often before a new rate comes."""
    try:
        return rank_orders(np.array(rates))[0]
    except ArmaFitFailed as failure:
        return failure


def stand_in_for_model(day: Floats, failure: ArmaFitFailed) -> StandIn:
    """The rate that replaces a forecast after the `failure` of a fit; it comes from the rates of the last `day`."""
    return StandIn(float(np.quantile(day, FALLBACK_QUANTILE)), float(np.std(day)), str(failure))


def choose_order(rates: Floats, orders: tuple[ArmaOrder, ...], fit: Fit = fit_arma) -> ArmaOrder:
    """The order of the ARMA model with the lowest AIC on these rates, or USUAL_ORDER if no order can be fitted."""
    try:
        return rank_orders(rates, orders, fit)[0].order
    except ArmaFitFailed:
        return USUAL_ORDER


def describe_quantile(why: str) -> Diagnostic:
    """Returns the diagnostic that the 95% quantile of the last day replaces a forecast; `why` is the reason."""
    return Diagnostic(
        "forecast-fallback", f"{why}: the 95% quantile of the last day is used instead of a forecast."
    )


ARMA_WINDOW = 100
DAY_STEPS = 1440


class PeakLoad(NamedTuple):
    """The highest rate of an interval, and its standard deviation.

    `fallback` is the reason why this rate was not forecast by a model; None if it was.
    """

    rate: float
    deviation: float
    fallback: str | None = None


PeakForecast = Callable[[Floats, Window], PeakLoad]


def expect_last_rate(rates: Floats, window: Window) -> PeakLoad:  # noqa: ARG001  (one of the PeakForecasts)
    """Returns the last known rate as the highest rate of any window, for policies without a forecast."""
    return PeakLoad(float(rates[-1]), 0.0)


class ArmaPeaks:
    """The highest rates of windows as an ARMA model forecasts them, at the step with the highest λ̂ + 2σ (eq. 14).

    λ̂ is the forecast rate of a step and σ its standard deviation. For each moment the model is refitted to the newest
    `window_steps` rates, starting from its last parameters. One object serves one workload and keeps its answers, for
    which the policies and seeds of a backtest ask again.
    """

    def __init__(
        self,
        order: ArmaOrder,
        fit: Fit = fit_arma,
        window_steps: int = ARMA_WINDOW,
        day_steps: int = DAY_STEPS,
    ) -> None:
        self.order = order
        self.fit = fit
        self.window_steps = window_steps
        self.day_steps = day_steps
        self._last: ArmaModel | None = None
        self._known: dict[tuple[int, Window], PeakLoad] = {}

    def __call__(self, rates: Floats, window: Window) -> PeakLoad:
        """Returns the highest rate of the window as the model forecasts it after the last of `rates`."""
        key = (len(rates), window)
        if key not in self._known:
            self._known[key] = self._forecast(rates, window)
        return self._known[key]

    def _forecast(self, rates: Floats, window: Window) -> PeakLoad:
        recent = rates[-self.window_steps :]
        try:
            self._last = self.fit(recent, self.order, self._last)
        except ArmaFitFailed as failure:
            self._last = None
            return as_peak(stand_in_for_model(rates[-self.day_steps :], failure))
        forecast = forecast_arma(self._last, recent, window.last)
        means, deviations = forecast.means[window.first - 1 :], forecast.deviations[window.first - 1 :]
        peak = int(np.argmax(means + 2.0 * deviations))
        return PeakLoad(float(means[peak]), float(deviations[peak]))


def as_peak(stand_in: StandIn) -> PeakLoad:
    """Returns the rate that replaces a failed forecast as the highest rate of a window."""
    return PeakLoad(stand_in.rate, stand_in.deviation, stand_in.why)


@dataclass(frozen=True, slots=True)
class WorkloadForecast:
    """The forecast rates of the steps after the last measured step; `model` is None if no ARMA model made them.

    `kind` is `arma`, `lines`, `seasons`, `lines+seasons` or `counts`. `losses` has the mean pinball loss of such bounds
    on past rates by the steps ahead, where it is known.
    """

    model: ArmaModel | None
    expected: Floats
    lower: Floats
    upper: Floats
    diagnostics: tuple[Diagnostic, ...]
    kind: str = "arma"
    losses: Mapping[int, float] = field(default_factory=dict)


def forecast_workload(
    workload: Workload, steps: int, level: float, window_steps: int = ARMA_WINDOW
) -> WorkloadForecast:
    """Returns the next `steps` rates by the ARMA model of lowest AIC, each with bounds; no bound is below 0.

    The bounds are λ̂ ± z σ: the forecast rate, and its standard deviation times the normal quantile z of the
    probability `level`. Normal errors are an approximation: workloads have heavier tails, above all before a flash
    crowd.
    """
    check_level(level)
    if window_steps < FEWEST_WINDOW_STEPS:
        raise InvalidSchedule(
            f"window_steps is {window_steps}: give at least {FEWEST_WINDOW_STEPS} steps, which the models need.",
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


def check_level(level: float) -> None:
    """Raises InvalidSchedule unless the probability of a band lies between 0 and 1."""
    if not 0.0 < level < 1.0:
        raise InvalidSchedule(
            f"The level is {level:.6g}: it must lie between 0 and 1, such as 0.95.", "/level"
        )


def forecast_by_lines(workload: Workload, steps: int, level: float) -> WorkloadForecast:
    """Returns the bands of the next `steps` rates by lines, as far ahead as the known rates allow.

    `level` is the probability of a band.
    """
    found = forecast_each_band(KnownHistory(take_known(workload, HISTORY)), steps, level)
    expected, lower, upper = (
        np.array(rates)
        for rates in zip(*((one.expected, one.lower, one.upper) for one in found.bands), strict=True)
    )
    # Only diagnostics of the forecast: those of the workload are already with the workload.
    said = tuple(one for one in found.diagnostics if one.code in OF_LINES)
    return WorkloadForecast(None, expected, lower, upper, said, "lines", found.losses)


def _bound(
    model: ArmaModel | None, means: Floats, margins: Floats, said: tuple[Diagnostic, ...]
) -> WorkloadForecast:
    lower, expected, upper = (np.maximum(rates, 0.0) for rates in (means - margins, means, means + margins))
    return WorkloadForecast(model, expected, lower, upper, said)
