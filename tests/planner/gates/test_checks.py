"""Checks: each fails alone."""

from dataclasses import replace
from math import nextafter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.gates.checks import Limits, check_bounds, find_margin, list_outside, run_checks
from planner.gates.verdict import judge_capacity
from planner.situations.situation import assess_counts, survey_load
from planner.targets.target import SojournTarget
from planner.values import Load, Operator, OperatorLoad, Topology
from tests.planner.gate_cases import FPD, cases, measure, names_failed, within


def test_each_check_fails_alone():
    assert names_failed(judge_capacity(FPD, measure(), external_rate=400.0)) == ["stability"]
    assert names_failed(judge_capacity(FPD, measure(), k_max=21)) == ["budget"]
    assert names_failed(judge_capacity(FPD, measure(), limit=within(0.05))) == ["latency"]
    bounded = replace(FPD, operators=(*FPD.operators[:2], Operator("reporter", max_processors=2)))
    verdict = judge_capacity(bounded, measure())
    assert names_failed(verdict) == ["bounds"]
    assert verdict.headroom_rate is None
    (why,) = [said.detail for said in verdict.estimate.diagnostics if said.code == "no-headroom"]
    assert why == f"No rate passes, not even a rate of 0. {verdict.checks[1].detail}"


@given(cases(), st.none() | st.floats(0.01, 5.0), st.none() | st.integers(1, 40))
@settings(max_examples=60)
def test_the_quick_answer_is_that_of_the_checks(
    case: tuple[Topology, Load], t_max_seconds: float | None, k_max: int | None
):
    topology, load = case
    target = None if t_max_seconds is None else SojournTarget(t_max_seconds)
    situation, limits = survey_load(topology, load, "ggk-whitt"), Limits(target, k_max)
    counts = [one.processors or 1 for one in load.operators.values()]
    checks = run_checks(situation, counts, assess_counts(situation, counts), limits)
    assert (find_margin(situation, counts, limits) >= 0.0) == all(check.passed for check in checks)
    names = [check.name for check in checks]
    assert ("budget" in names, "latency" in names) == (k_max is not None, t_max_seconds is not None)
    for check in checks:
        if check.name != "bounds" and check.value is not None:
            # a utilisation within 1e-12 of 1 counts as unstable
            limit = check.limit - 1e-12 if check.name == "stability" else check.limit
            assert check.passed == (check.value <= limit) or abs(check.value - limit) < 1e-15


def test_operators_outside_their_bounds_are_listed_and_counted():
    topology = Topology((Operator("a", min_processors=2), Operator("b", max_processors=3), Operator("c")))
    load = Load(1.0, {name: OperatorLoad(9.0) for name in "abc"})
    situation = survey_load(topology, load, "mmk")
    assert list_outside(situation, [1, 4, 9]) == ["a", "b"]
    check = check_bounds(situation, [1, 4, 9])
    assert (check.passed, check.value) == (False, 2.0)
    assert "a, b" in check.detail
    assert check_bounds(situation, [2, 3, 1]).passed


def test_without_processors_enough_the_latency_is_infinite_and_its_value_is_none():
    situation = survey_load(FPD, measure(), "mmk")
    counts = [1, 1, 1]
    checks = {
        one.name: one
        for one in run_checks(
            situation, counts, assess_counts(situation, counts), Limits(SojournTarget(9.0), None)
        )
    }
    assert (checks["latency"].value, checks["latency"].passed) == (None, False)
    assert "grows without limit" in checks["latency"].detail
    assert checks["stability"].value == pytest.approx(320.0 * 4.0 / 0.9 / 130.0)


def test_a_latency_limit_of_the_sojourn_itself_is_met_and_the_next_number_below_is_not():
    situation, counts = survey_load(FPD, measure(), "mmk"), [6, 14, 3]
    exact = assess_counts(situation, counts).expected_sojourn_seconds
    assert exact is not None
    assert find_margin(situation, counts, Limits(SojournTarget(exact), None)) >= 0.0
    assert find_margin(situation, counts, Limits(SojournTarget(nextafter(exact, 0.0)), None)) < 0.0
