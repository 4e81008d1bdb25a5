"""VM schedules: what the policies decide for the coming intervals, with reasons that add up."""

from dataclasses import replace

import numpy as np
import pytest

from planner.vms.price_policy import DEFAULT_QOS_TARGET, HeadgatePolicy
from planner.vms.throughput import MstSample
from planner.vms.timing import RecordedStep, Timing, observe_rates
from planner.vms.vm_schedule import VmQuestion, forecast_vms, windows_ahead
from planner.workloads.likely_mixtures import LikelyMixtures
from planner.workloads.series import (
    ConstantWorkload,
    InvalidSchedule,
    Measurement,
    Window,
    WorkloadTooShort,
    regularise_workload,
)
from tests.planner.imai import training_samples, worldcup_week


def ask(policy: str, **fields: object) -> VmQuestion:
    rates = worldcup_week()[500:1100] / 10.0
    measurements = [Measurement(60.0 * i, float(rate)) for i, rate in enumerate(rates)]
    return VmQuestion(regularise_workload(measurements), training_samples("grep"), policy, **fields)  # type: ignore[arg-type]


def scale(question: VmQuestion, factor: float) -> VmQuestion:
    rates = tuple(rate * factor for rate in question.workload.rates)
    return replace(question, workload=replace(question.workload, rates=rates))


@pytest.mark.parametrize("policy", ["headgate", "mst", "mst+ua", "mst+ua;arma", "5"])
def test_every_reason_adds_up(policy: str) -> None:
    forecast = forecast_vms(ask(policy, intervals=4))
    for interval in forecast.intervals:
        reason = interval.reason
        assert reason.vms == reason.vms_for_mean + reason.vms_for_model + reason.vms_for_forecast
        assert min(reason.vms_for_mean, reason.vms_for_model, reason.vms_for_forecast) >= 0
        assert reason.meets_target
    assert forecast.intervals[0].from_seconds == 60.0 * 601
    assert forecast.intervals[3].to_seconds == 60.0 * 641


def test_a_headgate_schedule_is_what_its_policy_decides_after_recalling_the_rates() -> None:
    for question in (ask("headgate"), ask("headgate", intervals=4, qos_target=0.95)):
        target = question.qos_target or DEFAULT_QOS_TARGET
        policy = HeadgatePolicy(question.samples, LikelyMixtures(), question.max_vms, target)
        observed, windows = observe_rates(question.workload.series), windows_ahead(question)
        policy.recall(observed.rates, windows[0], 60)
        chosen = policy.decide_intervals(observed, windows)
        assert [one.reason.vms for one in forecast_vms(question).intervals] == chosen.counts.tolist()


@pytest.mark.parametrize("qos_target", [0.6, 0.9, 0.99])
def test_no_schedule_serves_less_than_its_target_unless_no_vms_could(qos_target: float) -> None:
    forecast = forecast_vms(ask("headgate", intervals=3, qos_target=qos_target))
    served = [one.reason.probability for one in forecast.intervals]
    assert np.mean(served) >= qos_target
    assert all(one.reason.meets_target for one in forecast.intervals)
    starved = forecast_vms(scale(ask("headgate", intervals=3, qos_target=qos_target, max_vms=1), 9.0))
    assert not any(one.reason.meets_target for one in starved.intervals)
    assert "target-not-met" in {one.code for one in starved.diagnostics}


def test_samples_that_held_more_than_was_believed_spare_vms() -> None:
    needed = forecast_vms(ask("headgate")).intervals[0].reason.vms
    held = forecast_vms(ask("headgate", bounds=(MstSample(needed - 1, 60.0), MstSample(9_999, 1.0))))
    assert held.intervals[0].reason.vms < needed


def test_doubt_costs_more_the_further_ahead_it_looks() -> None:
    one = forecast_vms(ask("mst;arma", intervals=6)).intervals
    widths = [interval.reason.vms_for_forecast for interval in one]
    assert widths[0] <= widths[-1]
    assert one[0].reason.vms_for_model == 0


def test_the_first_interval_begins_when_vms_asked_for_now_are_ready() -> None:
    question = ask("mst", timing=Timing(5, 3), intervals=2)
    assert windows_ahead(question) == [Window(3, 7), Window(8, 12)]
    assert windows_ahead(ask("mst", timing=Timing(5, 0)))[0] == Window(1, 5)


@pytest.mark.parametrize("timing", [Timing(1, 0), Timing(2, 1), Timing(8, 1), Timing(5, 30)])
def test_an_interval_may_be_shorter_than_ten_steps_and_than_a_start(timing: Timing) -> None:
    forecast = forecast_vms(ask("headgate", timing=timing, intervals=2))
    assert all(one.reason.meets_target for one in forecast.intervals)
    assert forecast.intervals[1].from_seconds == 60.0 * (
        600 + max(timing.startup_steps, 1) - 1 + timing.interval_steps
    )


def test_extrapolation_is_said() -> None:
    forecast = forecast_vms(scale(ask("mst+ua;arma", qos_target=0.999, intervals=1), 1.5))
    assert forecast.intervals[0].reason.vms > 24
    assert "mst-extrapolated" in {one.code for one in forecast.diagnostics}


@pytest.mark.parametrize("policy", ["headgate", "mst;arma"])
def test_policies_that_forecast_need_a_series_that_varies(policy: str) -> None:
    short = regularise_workload([Measurement(60.0 * i, float(i)) for i in range(99)])
    constant = regularise_workload([Measurement(60.0 * i, 3.0) for i in range(200)])
    with pytest.raises(WorkloadTooShort):
        forecast_vms(VmQuestion(short, training_samples("grep"), policy))
    with pytest.raises(ConstantWorkload):
        forecast_vms(VmQuestion(constant, training_samples("grep"), policy))
    assert forecast_vms(VmQuestion(constant, training_samples("grep"), "mst")).intervals[0].reason.vms == 4


@pytest.mark.parametrize("intervals", [0, 25])
def test_more_intervals_than_a_day_has_hours_are_refused(intervals: int) -> None:
    with pytest.raises(InvalidSchedule, match="1 to 24"):
        forecast_vms(ask("mst", intervals=intervals))


def test_a_record_of_misses_raises_the_price_and_is_told_how_it_stands() -> None:
    served, owed = (
        forecast_vms(ask("headgate", record=(RecordedStep(9, saturated=missed),) * 200))
        for missed in (False, True)
    )
    assert served.promise is not None
    assert owed.promise is not None
    assert (served.promise.kept_so_far, owed.promise.kept_so_far) == (1.0, 0.0)
    assert served.promise.least_kept < 1.0  # type: ignore[operator]
    assert owed.promise.debt_steps == pytest.approx(200 * 0.9875)
    assert owed.promise.price > served.promise.price
    assert owed.promise.price <= owed.promise.price_cap * (1.0 + 1e-12)
    assert owed.intervals[0].reason.vms > served.intervals[0].reason.vms
    assert not served.promise.judgeable
    assert "no-record" not in {one.code for one in served.diagnostics}


def test_without_a_record_it_is_said_that_nothing_is_promised() -> None:
    forecast = forecast_vms(ask("headgate"))
    assert forecast.promise is not None
    assert (forecast.promise.kept_so_far, forecast.promise.debt_steps) == (None, None)
    assert forecast.promise.binding == "target"
    assert "no-record" in {one.code for one in forecast.diagnostics}
    starved = forecast_vms(scale(ask("headgate", max_vms=1), 9.0))
    assert starved.promise is not None
    assert starved.promise.binding == "max-vms"


def test_a_record_longer_than_the_workload_is_refused() -> None:
    with pytest.raises(InvalidSchedule, match="601 steps and the workload 600"):
        forecast_vms(ask("headgate", record=(RecordedStep(3, saturated=False),) * 601))
