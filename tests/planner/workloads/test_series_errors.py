"""Errors of workloads: each says with its numbers what to change, in another process too."""

import pytest

from planner.workloads.series import (
    ConstantWorkload,
    ForecastError,
    InvalidForecastArgument,
    InvalidSchedule,
    InvalidWorkload,
    WorkloadTooShort,
    WorkloadTooSparse,
)
from tests.planner.pickled import send_across


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (InvalidWorkload("Times must rise.", "/workload/1/at"), ["Times must rise."]),
        (InvalidSchedule("max_vms = 0 must be at least 1.", pointer="/max_vms"), ["max_vms = 0"]),
        (WorkloadTooShort(steps=12, needed=100), ["12", "100", "send more"]),
        (
            WorkloadTooSparse(missing_steps=60, steps=99, allowed_share=0.5),
            ["60", "99", "50%", "send a fuller"],
        ),
        (ConstantWorkload(rate=3.5, steps=40), ["40", "3.5", "send a measured series"]),
    ],
)
def test_it_says_what_to_change_and_crosses_processes(error: ForecastError, said: list[str]):
    assert all(part in str(error) for part in said)
    received = send_across(error)
    assert (type(received), received.args, str(received)) == (type(error), error.args, str(error))


def test_pointers_arrive_too():
    received = send_across(InvalidWorkload("Times must rise.", "/workload/1/at"))
    assert isinstance(received, InvalidForecastArgument)
    assert received.pointer == "/workload/1/at"
