"""Workloads and throughputs in a body become the planner's values."""

import pytest
from pydantic import TypeAdapter, ValidationError

from app.load.bodies.series import (
    MstSampleBody,
    WorkloadPoint,
    WorkloadPoints,
    take_bounds,
    take_saturated,
    to_workload,
)
from planner.vms.throughput import MstSample

POINTS = TypeAdapter(WorkloadPoints)


def read_points(*rates: float | None) -> list[WorkloadPoint]:
    text = ", ".join(
        f'{{"at": "2026-11-18T00:{minute:02}:00Z", "rate": {"null" if rate is None else rate}}}'
        for minute, rate in enumerate(rates)
    )
    return POINTS.validate_json(f"[{text}]")


def test_a_missing_rate_is_filled_in_and_its_step_is_named():
    workload = to_workload(read_points(4.0, None, 6.0), None)
    assert list(workload.rates) == [4.0, 5.0, 6.0]
    assert (workload.step_seconds, tuple(workload.filled_steps)) == (60.0, (1,))


def test_steps_of_another_length_can_be_asked_for():
    workload = to_workload(read_points(4.0, 5.0, 6.0), 30.0)
    assert (workload.step_seconds, list(workload.rates)) == (30.0, [4.0, 4.5, 5.0, 5.5, 6.0])


def test_samples_are_maxima_or_bounds_never_both():
    bodies = [
        MstSampleBody(vms=vms, throughput=10.0 * vms, saturated=saturated)
        for vms, saturated in ((1, True), (2, False), (3, True))
    ]
    assert take_saturated(bodies) == (MstSample(1, 10.0), MstSample(3, 30.0))
    assert take_bounds(bodies) == (MstSample(2, 20.0),)


def test_a_time_without_a_zone_is_refused():
    with pytest.raises(ValidationError):
        POINTS.validate_json('[{"at": "2026-11-18T00:00:00", "rate": 1.0}]')
