"""The peak of a window: where λ̂ + 2σ of the ARMA forecast is highest."""

import numpy as np
import pytest

from planner.arrays import Floats
from planner.workloads.arma.fit import fit_arma
from planner.workloads.arma.models import ArmaModel, ArmaOrder, forecast_arma
from planner.workloads.series import Window
from planner.workloads.workload_forecast import ArmaPeaks, PeakLoad, expect_last_rate
from tests.planner.imai import worldcup_week


def test_a_forecast_that_cannot_be_fitted_falls_back_to_the_last_day_and_says_so() -> None:
    peaks = ArmaPeaks(ArmaOrder(1, 2))
    rates = np.concatenate((np.linspace(1.0, 9.0, 500), np.full(100, 5.0)))
    load = peaks(rates, Window(2, 11))
    assert load.rate == pytest.approx(np.quantile(rates, 0.95))
    assert load.fallback is not None
    assert "all the same" in load.fallback
    assert peaks(rates[:500], Window(2, 11)).fallback is None


def test_the_peak_is_where_mean_and_two_deviations_are_highest() -> None:
    rates, window = worldcup_week()[:100], Window(2, 11)
    found = ArmaPeaks(ArmaOrder(1, 2))(rates, window)
    ahead = forecast_arma(fit_arma(rates, ArmaOrder(1, 2)), rates, 11)
    pairs = list(zip(ahead.means[1:], ahead.deviations[1:], strict=True))
    highest = max(pairs, key=lambda pair: pair[0] + 2.0 * pair[1])
    assert (found.rate, found.deviation) == pytest.approx(highest)


def test_each_moment_is_forecast_once_from_its_own_window_alone() -> None:
    rates, window = worldcup_week()[:130], Window(2, 11)
    fitted: list[int] = []

    def count(recent: Floats, order: ArmaOrder, start: ArmaModel | None) -> ArmaModel:
        fitted.append(len(recent))
        return fit_arma(recent, order, start)

    peaks = ArmaPeaks(ArmaOrder(1, 0), count, window_steps=50)
    first = peaks(rates[:120], window)
    peaks(rates, window)
    assert peaks(rates[:120], window) is first
    assert fitted == [50, 50]


def test_without_a_forecast_the_next_interval_is_as_the_last_step() -> None:
    assert expect_last_rate(np.array([3.0, 8.0]), Window(1, 9)) == PeakLoad(8.0, 0.0)
