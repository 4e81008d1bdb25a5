"""One fallback for every forecast: a high quantile of the last day."""

from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.arrays import Floats
from planner.vms.vm_schedule import VmQuestion, forecast_vms
from planner.workloads.arma.fit import ArmaFitFailed
from planner.workloads.arma.models import ZERO_MEAN_ORDERS, ArmaModel, ArmaOrder
from planner.workloads.series import Window, Workload
from planner.workloads.workload_forecast import (
    FALLBACK_NAME,
    USUAL_ORDER,
    ArmaPeaks,
    StandIn,
    choose_order,
    describe_quantile,
    fit_or_stand_in,
    forecast_workload,
    stand_in_for_model,
)
from tests.planner.imai import training_samples, worldcup_week

STUCK = np.concatenate((worldcup_week()[:500] / 10.0, np.full(100, 9.0)))
"""It varies, and yet the newest 100 steps do not: no model can be fitted to them."""


@given(st.lists(st.floats(0.0, 1e6), min_size=1, max_size=40))
def test_a_twentieth_of_the_last_day_at_most_lies_above_the_stand_in(day: list[float]):
    found = stand_in_for_model(np.array(day), ArmaFitFailed("none"))
    assert sum(rate > found.rate for rate in day) <= ceil(0.05 * (len(day) - 1))
    assert found.rate >= sorted(day)[int(0.95 * (len(day) - 1))]
    assert found.rate <= max(day)
    mean = sum(day) / len(day)
    assert found.deviation**2 == pytest.approx(sum((rate - mean) ** 2 for rate in day) / len(day), abs=1e-3)
    assert found.why == "none"


def test_an_order_that_cannot_be_ranked_is_the_paper_s():
    assert choose_order(np.full(100, 3.0), ZERO_MEAN_ORDERS) == USUAL_ORDER == ArmaOrder(1, 2)

    def prefers_two(_: Floats, order: ArmaOrder, __: ArmaModel | None) -> ArmaModel:
        return ArmaModel(order, 0.0, (), (), 1.0, aic=abs(order.ar - 2.0) + order.ma)

    assert choose_order(np.arange(9.0), ZERO_MEAN_ORDERS, prefers_two) == ArmaOrder(2, 0)


def test_every_forecast_falls_back_to_the_same_rate_and_gives_the_same_reason():
    """Two-minute steps: a day has 720 of them, of which 600 are known."""
    workload = Workload(0.0, 120.0, tuple(map(float, STUCK)), (), (), ())
    found = fit_or_stand_in(STUCK[-100:], STUCK)
    assert isinstance(found, StandIn)
    assert found.why == "the last 100 steps are all the same"
    peak = ArmaPeaks(ArmaOrder(1, 2), day_steps=720)(STUCK, Window(2, 11))
    interval = forecast_workload(workload, 3, 0.95)
    schedule = forecast_vms(VmQuestion(workload, training_samples("grep"), "mst+ua;arma"))
    assert (peak.rate, peak.deviation, peak.fallback) == (found.rate, found.deviation, found.why)
    assert interval.expected.tolist() == [found.rate] * 3
    assert schedule.intervals[0].expected_rate == found.rate
    assert [one.code for one in interval.diagnostics] == ["forecast-fallback"]
    assert [one.code for one in schedule.diagnostics] == ["forecast-not-fitted", "forecast-fallback"]
    assert schedule.diagnostics[1] == describe_quantile(found.why)


def test_the_last_day_is_a_day_of_the_workload_s_own_steps():
    """At 20 minutes a step a day has 72 of them: what came before does not count."""
    rates = np.concatenate((np.full(400, 90.0), np.full(20, 5.0), np.full(80, 9.0)))
    workload = Workload(0.0, 1200.0, tuple(map(float, rates)), (), (), ())
    assert forecast_workload(workload, 1, 0.95, 80).expected.tolist() == [9.0]
    assert "day" in FALLBACK_NAME
