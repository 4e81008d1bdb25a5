"""Loads of bodies that calibrate themselves, and calibrations as JSON."""

from typing import Any

import pytest

from app.load.bodies.answers import to_estimate_answer
from app.load.bodies.calibrating import CalibratedLoad, add_calibration, calibrate_body, measure_seconds
from app.load.bodies.load import FPD_LOAD, FPD_MEASURED, LoadBody
from app.load.bodies.terms import Described
from app.load.bodies.topology import FPD
from app.planning.plans.answers import to_plan_answer, write_calibrated_plan, write_plan
from planner.plans.optimal import min_latency
from planner.situations.situation import estimate


def describe(wait: float | None, **terms: Any) -> Described:
    reporter = {"service_rate": 40.0, "processors": 3, "measured_wait_seconds": wait}
    load = FPD_LOAD | {"operators": FPD_MEASURED | {"reporter": reporter}}
    return Described.model_validate({"topology": FPD, "load": load, **terms})


def test_a_load_with_measured_waits_calibrates_itself():
    body = describe(0.02)
    calibrated = calibrate_body(body, body.topology.to_values())
    assert calibrated.load.operators["reporter"].wait_factor == calibrated.shown[0].factor
    # The modelled waits of the other operators are too short to be told from the rest of the measured total.
    (own,) = calibrated.shown
    assert own.operator == "reporter"
    assert (own.intervals, own.first_observed_at) == (1, own.last_observed_at)
    assert str(own.first_observed_at) == "2026-11-18 00:00:00+00:00"
    assert 1.0 < own.factor < own.measured_over_modelled
    assert [said.code for said in calibrated.diagnostics] == ["waits-calibrated"]


@pytest.mark.parametrize("body", [describe(None), describe(0.02, calibrate=False)])
def test_old_bodies_and_those_that_say_so_keep_their_meaning(body: Described):
    assert calibrate_body(body, body.topology.to_values()) == CalibratedLoad(body.load.to_values())


def test_an_answer_shows_what_was_calibrated_and_else_stays_the_same():
    body = describe(0.02)
    topology = body.topology.to_values()
    calibrated = calibrate_body(body, topology)
    plain = to_estimate_answer(estimate(topology, calibrated.load))
    assert add_calibration(plain, CalibratedLoad(calibrated.load)) is plain
    shown = add_calibration(plain, calibrated)
    assert shown.calibration == list(calibrated.shown)
    assert shown.diagnostics[0].code == "waits-calibrated"
    assert shown.diagnostics[1:] == plain.diagnostics


def test_a_plan_shows_it_too():
    body = describe(0.02)
    topology = body.topology.to_values()
    calibrated = calibrate_body(body, topology)
    plan = min_latency(topology, calibrated.load, 22)
    expected = add_calibration(to_plan_answer(plan), calibrated)
    assert write_calibrated_plan(plan, calibrated) == expected.model_dump_json().encode()
    assert b'"calibration":[{"operator":"reporter"' in write_calibrated_plan(plan, calibrated)
    assert write_calibrated_plan(plan, CalibratedLoad(calibrated.load)) == write_plan(plan)


def test_what_was_covered_of_a_window_counts():
    load = LoadBody(external_rate=1.0, operators={}, window_seconds=60.0)
    assert measure_seconds(load) == 60.0
    assert measure_seconds(load.model_copy(update={"covered_seconds": 30.0})) == 30.0
