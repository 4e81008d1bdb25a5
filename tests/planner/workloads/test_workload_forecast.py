"""Forecasts of workloads and their intervals."""

import math

import numpy as np
import pytest

from planner.workloads.arma.fit import rank_orders
from planner.workloads.arma.models import ORDERS, forecast_arma
from planner.workloads.series import ConstantWorkload, InvalidSchedule, Workload, WorkloadTooShort
from planner.workloads.workload_forecast import forecast_workload


def make_workload(rates: list[float]) -> Workload:
    return Workload(0.0, 60.0, tuple(rates), (), (), ())


NOISE = np.random.default_rng(5).standard_normal(200)
WAVES = make_workload([100 + 30 * math.sin(i / 15) + float(noise) for i, noise in enumerate(NOISE)])


def test_it_is_the_arma_model_of_lowest_aic_on_the_newest_window():
    found = forecast_workload(WAVES, 10, 0.95, 60)
    assert found.model == rank_orders(WAVES.series[-60:], ORDERS)[0]
    ahead = forecast_arma(found.model, WAVES.series[-60:], 10)
    assert found.expected == pytest.approx(ahead.means)
    assert found.upper - found.expected == pytest.approx(1.959963984540054 * ahead.deviations)


def test_a_surer_interval_is_wider_and_one_further_ahead_is_no_narrower():
    sure, half = (forecast_workload(WAVES, 20, level, 60) for level in (0.99, 0.5))
    assert (sure.upper > half.upper).all()
    assert (sure.lower < half.lower).all()
    assert (np.diff(sure.upper - sure.expected) >= -1e-9).all()


def test_no_rate_is_below_zero():
    quiet = make_workload([abs(float(noise)) for noise in NOISE])
    found = forecast_workload(quiet, 30, 0.999, 100)
    assert found.lower.min() == 0.0
    assert (found.expected >= 0).all()


def test_a_window_that_stands_still_falls_back_and_says_so():
    stuck = make_workload([*WAVES.rates[:100], *[50.0] * 60])
    found = forecast_workload(stuck, 3, 0.95, 60)
    assert found.model is None
    assert [one.code for one in found.diagnostics] == ["forecast-fallback"]
    assert found.expected == pytest.approx(np.full(3, np.quantile(stuck.series, 0.95)))
    assert (found.upper > found.expected).all()


@pytest.mark.parametrize(
    ("workload", "level", "window", "error"),
    [
        (WAVES, 1.0, 100, InvalidSchedule),
        (WAVES, 0.0, 100, InvalidSchedule),
        (WAVES, 0.95, 19, InvalidSchedule),
        (WAVES, 0.95, 201, WorkloadTooShort),
        (make_workload([5.0] * 120), 0.95, 100, ConstantWorkload),
    ],
)
def test_what_cannot_be_forecast_is_refused(
    workload: Workload, level: float, window: int, error: type[Exception]
):
    with pytest.raises(error):
        forecast_workload(workload, 5, level, window)
