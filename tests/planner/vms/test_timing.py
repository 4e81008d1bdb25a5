"""Timing: what intervals and start-ups can be, and how many steps a day has."""

import numpy as np
import pytest

from planner.vms.timing import (
    InvalidQosTarget,
    Timing,
    check_max_vms,
    check_qos_target,
    check_timing,
    observe_rates,
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
