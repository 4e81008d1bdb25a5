"""Errors of schedules of VMs: each says with its numbers what to change, in another process too."""

import pytest

from planner.vms.timing import InvalidMstSamples, InvalidQosTarget, TooFewMstSamples, UnknownVmPolicy
from planner.workloads.series import ForecastError
from tests.planner.pickled import send_across


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (InvalidMstSamples("A sample at 0 VMs.", "/mst_samples/3/vms"), ["A sample at 0 VMs."]),
        (TooFewMstSamples(3, 5, 1, 2), ["3 samples at 1", "at least 5 samples at 2", "measure more"]),
        (InvalidQosTarget(1.5), ["1.5", "at least 0.5 and below 1"]),
        (UnknownVmPolicy("headgat", ("mst", "headgate")), ["'headgat'", "mst, headgate", "'headgate'?"]),
    ],
)
def test_it_says_what_to_change_and_crosses_processes(error: ForecastError, said: list[str]):
    assert all(part in str(error) for part in said)
    received = send_across(error)
    assert (type(received), received.args, str(received)) == (type(error), error.args, str(error))
