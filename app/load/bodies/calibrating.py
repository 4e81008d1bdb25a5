"""Calibrates the load of a request body by its measured waits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from app.load.bodies.answers import CalibrationAnswer, DiagnosticAnswer, EstimateAnswer
from app.load.bodies.load import LoadBody
from app.load.bodies.terms import Described
from planner.calibration.calibrate import (
    WaitCalibration,
    apply_factors,
    calibrate,
    describe_calibration,
    describe_calibrations,
    is_measured,
)
from planner.calibration.modelled_waits import Interval
from planner.topology.loads import take_configured
from planner.values import Diagnostic, Load, Model, Topology

A = TypeVar("A", bound=EstimateAnswer)


@dataclass(frozen=True)
class CalibratedLoad:
    """A load with the factors of its waits, and the calibration's diagnostics, which may be empty."""

    load: Load
    shown: tuple[CalibrationAnswer, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def calibrate_body(body: Described, topology: Topology) -> CalibratedLoad:
    """The load in a request's body, which is one interval, calibrated by its own measured waits if it has any."""
    load = take_configured(topology, body.load.to_values())
    if not body.calibrate or not is_measured(load):
        return CalibratedLoad(load)
    interval = Interval(load, seconds=measure_seconds(body.load))
    return calibrate_load(topology, load, [interval], [body.load.observed_at], body.model)


def measure_seconds(load: LoadBody) -> float:
    """The seconds that a load was measured for."""
    return load.window_seconds if load.covered_seconds is None else load.covered_seconds


def calibrate_load(
    topology: Topology,
    load: Load,
    intervals: Sequence[Interval],
    begun: Sequence[datetime | None],
    model: Model,
) -> CalibratedLoad:
    """The load with the factors from the intervals, oldest first, which began at the times `begun`."""
    found = calibrate(topology, load, intervals, model)
    shown = tuple([show_one(one, begun) for one in found if one.factor is not None])
    return CalibratedLoad(apply_factors(load, found), shown, describe_calibrations(topology, found))


def show_one(one: WaitCalibration, begun: Sequence[datetime | None]) -> CalibrationAnswer:
    """The calibration of one operator as JSON; `begun` are the times at which the intervals began."""
    assert one.factor is not None
    assert one.ratio is not None
    return CalibrationAnswer(
        operator=one.operator,
        factor=one.factor,
        measured_over_modelled=one.ratio,
        intervals=one.intervals,
        first_observed_at=begun[one.first],
        last_observed_at=begun[one.last],
        detail=describe_calibration(one),
    )


def add_calibration(answer: A, calibrated: CalibratedLoad) -> A:
    """The answer with the calibration of its waits, and with the diagnostics of the calibration."""
    if not calibrated.diagnostics:
        return answer
    said = [DiagnosticAnswer.model_validate(one) for one in calibrated.diagnostics]
    changed = {"calibration": list(calibrated.shown) or None, "diagnostics": said + answer.diagnostics}
    return answer.model_copy(update=changed)
