"""The highest rate to expect in a coming interval: by an ARMA model, or the rate of the last step."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from planner.arrays import Floats
from planner.workloads.arma import ArmaModel, ArmaOrder, forecast_arma
from planner.workloads.arma_fallback import StandIn, stand_in_for_model
from planner.workloads.arma_fit import ArmaFitFailed, Fit, fit_arma
from planner.workloads.window import Window

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
