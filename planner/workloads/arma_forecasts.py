"""Forecasts by ARMA models: the peak of a window, and what stands in for a model.

    h = argmax (λ̂ + 2σ)           (Imai et al., eq. 14)

Every forecast takes its stand-in from here:

    no model can be fitted      the 95% quantile of the last day's rates, with their standard deviation
    no order can be ranked      ARMA(1, 2) without a mean, the order of Imai et al. (Table I)

A series that is too short has no stand-in: WorkloadTooShort is raised.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from planner.arrays import Floats
from planner.values import Diagnostic
from planner.workloads.arma import ArmaModel, ArmaOrder, forecast_arma
from planner.workloads.arma_fit import ArmaFitFailed, Fit, fit_arma, rank_orders
from planner.workloads.series import Window

FALLBACK_QUANTILE = 0.95
FALLBACK_NAME = "the last day's 95% quantile"
USUAL_ORDER = ArmaOrder(1, 2)


@dataclass(frozen=True, slots=True)
class StandIn:
    """The rate and deviation of every step ahead, and why no model gives them."""

    rate: float
    deviation: float
    why: str


def fit_or_stand_in(recent: Floats, day: Floats) -> ArmaModel | StandIn:
    """The ARMA model of lowest AIC on `recent`, else the quantile of `day`, the rates of the last day."""
    try:
        return rank_orders(recent)[0]
    except ArmaFitFailed as failure:
        return stand_in_for_model(day, failure)


def stand_in_for_model(day: Floats, failure: ArmaFitFailed) -> StandIn:
    """The quantile of the last day's rates, for a model that could not be fitted."""
    return StandIn(float(np.quantile(day, FALLBACK_QUANTILE)), float(np.std(day)), str(failure))


def choose_order(rates: Floats, orders: tuple[ArmaOrder, ...], fit: Fit = fit_arma) -> ArmaOrder:
    """The order of lowest AIC, else USUAL_ORDER."""
    try:
        return rank_orders(rates, orders, fit)[0].order
    except ArmaFitFailed:
        return USUAL_ORDER


def describe_quantile(why: str) -> Diagnostic:
    """The diagnostic of a forecast that the quantile stands in for."""
    return Diagnostic(
        "forecast-fallback", f"{why}: the 95% quantile of the last day stands in for a forecast."
    )


ARMA_WINDOW = 100
DAY_STEPS = 1440


class PeakLoad(NamedTuple):
    """A rate, its standard deviation, and why no model gave them (None: a model did, or none was asked for)."""

    rate: float
    deviation: float
    fallback: str | None = None


PeakForecast = Callable[[Floats, Window], PeakLoad]


def expect_last_rate(rates: Floats, window: Window) -> PeakLoad:  # noqa: ARG001  (one of the PeakForecasts)
    """The rate of the last step, for policies that forecast without a model."""
    return PeakLoad(float(rates[-1]), 0.0)


class ArmaPeaks:
    """h = argmax(λ̂ + 2σ) over the window (eq. 14), refitted on a sliding window from the parameters of the last fit.

    One object per workload: it keeps the answer of each moment, which the policies and seeds of a backtest ask for
    again.
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
        """The peak of the window, forecast from these rates."""
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
    """The stand-in as the peak of a window."""
    return PeakLoad(stand_in.rate, stand_in.deviation, stand_in.why)


def name_model(model: ArmaModel) -> str:
    """The name of the model: `ARMA(1, 2), with mean`."""
    order = model.order
    return f"ARMA({order.ar}, {order.ma}), {'with mean' if order.with_mean else 'zero mean'}"
