"""Timing: what intervals and start-ups can be, and how many steps a day has."""

import numpy as np
import pytest

from planner.vms.timing import (
    InvalidQosTarget,
    RecordedStep,
    Timing,
    check_max_vms,
    check_qos_target,
    check_timing,
    is_judgeable,
    observe_rates,
    observe_record,
)
from planner.workloads.series import InvalidSchedule


@pytest.mark.parametrize(
    ("timing", "pointer"),
    [
        (Timing(0, 0), "/interval_steps"),
        (Timing(5, -1), "/startup_steps"),
        (Timing(5, 1, 0.0), "/step_seconds"),
        (Timing(5, 1, float("nan")), "/step_seconds"),
    ],
)
def test_a_timing_that_cannot_be_is_pointed_at(timing: Timing, pointer: str):
    with pytest.raises(InvalidSchedule) as refused:
        check_timing(timing)
    assert refused.value.pointer == pointer


@pytest.mark.parametrize(
    ("timing", "lead"), [(Timing(), 2), (Timing(1, 0), 1), (Timing(10, 9), 9), (Timing(5, 30), 30)]
)
def test_a_start_takes_as_long_as_it_takes(timing: Timing, lead: int):
    check_timing(timing)
    assert timing.lead_steps == lead


def test_there_is_a_vm_at_least_and_a_target_of_one_half_at_least():
    check_max_vms(1)
    with pytest.raises(InvalidSchedule):
        check_max_vms(0)
    check_qos_target(0.5)
    for target in (0.4999, 1.0, float("nan")):
        with pytest.raises(InvalidQosTarget):
            check_qos_target(target)


@pytest.mark.parametrize(
    ("seconds", "steps"), [(60.0, 1440), (300.0, 288), (86400.0, 1), (1e6, 1), (7.0, 12343)]
)
def test_a_day_has_at_least_one_step(seconds: float, steps: int):
    assert Timing(step_seconds=seconds).day_steps == steps


def test_rates_alone_are_no_record_of_vms():
    observed = observe_rates(np.array([1.0, 2.0]))
    assert observed.rates.tolist() == [1.0, 2.0]
    assert [len(one) for one in (observed.vms, observed.served_rates, observed.saturated)] == [0, 0, 0]


@pytest.mark.parametrize(
    ("billing", "steps"), [(None, 1), (60.0, 1), (61.0, 2), (3600.0, 60), (1.0, 1), (31 * 86_400.0, 44_640)]
)
def test_a_vm_is_paid_for_whole_steps(billing: float | None, steps: int):
    timing = Timing(billing_seconds=billing)
    check_timing(timing)
    assert timing.billing_steps == steps


@pytest.mark.parametrize("billing", [0.0, -1.0, float("nan"), 32 * 86_400.0])
def test_a_period_that_cannot_be_paid_for_is_pointed_at(billing: float):
    with pytest.raises(InvalidSchedule) as refused:
        check_timing(Timing(billing_seconds=billing))
    assert refused.value.pointer == "/billing_seconds"


def test_a_record_says_for_how_long_its_vms_are_paid():
    record = [RecordedStep(vms, saturated=False) for vms in (2, 2, 2, 3, 3)]
    hourly = Timing(step_seconds=900.0, billing_seconds=3600.0)
    observed = observe_record(np.ones(9), record, hourly)
    # Two VMs are paid for again from the fifth step on, one since the fourth.
    assert sorted(observed.paid.tolist()) == [2.0, 3.0, 3.0]


@pytest.mark.parametrize(
    ("steps", "step_seconds", "target", "judgeable"),
    [
        *((10_080, 60.0, 0.9875, True), (10_079, 60.0, 0.9875, False), (167, 3600.0, None, False)),
        *((215, 86_400.0, 0.9875, False), (800, 3600.0, 0.9875, True), (168, 3600.0, None, True)),
    ],
)
def test_a_run_of_a_week_whose_target_allows_ten_missed_steps_can_be_judged(
    steps: int, step_seconds: float, target: float | None, *, judgeable: bool
):
    assert is_judgeable(steps, step_seconds, target) is judgeable
