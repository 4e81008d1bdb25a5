"""Gates on a quantile: the check, headroom and suggestion hold on one draw."""

from dataclasses import replace
from math import log

import pytest

from planner.errors import InvalidLoad
from planner.gates.verdict import judge_capacity
from planner.plans.quantile import min_processors_within
from planner.situations.situation import survey_load
from planner.targets.drawn_target import TOLERANCE, make_target
from planner.targets.target import SojournTarget
from planner.values import Edge, Load, Operator, OperatorLoad, TimeTarget, Topology
from tests.planner.gate_cases import FPD, RUNNING, measure, names_failed

P99 = TimeTarget("completion", 0.2, 0.99)
ONE = Topology((Operator("a"),))


def find_value(target: TimeTarget, load: Load, processors: dict[str, int]) -> float:
    [check] = [
        one for one in judge_capacity(FPD, load, processors, limit=target).checks if one.name == "latency"
    ]
    assert check.value is not None
    return check.value


def test_one_server_passes_up_to_the_rate_of_the_exact_quantile():
    """P(T > t) = e^−(μ − λ)t: p99 is ln 100/(μ − λ)."""
    load = Load(5.0, {"a": OperatorLoad(10.0, processors=1)})
    verdict = judge_capacity(ONE, load, limit=TimeTarget("completion", log(100.0) / 2.0, 0.99))
    assert verdict.passed
    assert verdict.headroom_rate == pytest.approx(8.0, rel=0.02)
    (check,) = [one for one in verdict.checks if one.name == "latency"]
    assert check.value == pytest.approx(log(100.0) / 5.0, rel=0.04)
    assert check.detail.startswith("The p99 of the time to completion is ")
    assert verdict.estimate.completion is not None
    assert [one.quantile for one in verdict.estimate.completion.quantiles] == [0.99]


def test_the_verdict_holds_at_its_headroom_and_fails_beyond():
    verdict = judge_capacity(FPD, measure(), external_rate=1.3 * 320.0, limit=P99)
    headroom = verdict.headroom_rate
    assert headroom is not None
    assert headroom < 1.3 * 320.0
    assert not verdict.passed
    assert judge_capacity(FPD, measure(), external_rate=headroom, limit=P99).passed
    beyond = headroom * (1.0 + 2.0 * TOLERANCE)
    assert not judge_capacity(FPD, measure(), external_rate=beyond, limit=P99).passed
    assert "target-on-a-draw" in [said.code for said in verdict.estimate.diagnostics]


def test_the_suggestion_is_the_plan_for_the_quantile():
    verdict = judge_capacity(FPD, measure(processors=RUNNING | {"detector": 12}), limit=P99)
    assert verdict.suggestion.processors == min_processors_within(FPD, measure(), P99).processors


def test_a_plan_passes_its_own_gate_which_shows_the_same_quantile():
    plan = min_processors_within(FPD, measure(), P99)
    assert plan.estimate.completion is not None
    verdict = judge_capacity(FPD, measure(), plan.processors, limit=P99)
    assert verdict.passed
    assert verdict.checks[-1].value == pytest.approx(
        plan.estimate.completion.quantiles[-1].seconds, rel=0.002
    )
    (said,) = [one.detail for one in verdict.estimate.diagnostics if one.code == "target-on-a-draw"]
    assert "with waits that simulations found to be 1.2" in said


def test_a_target_of_the_mean_of_total_is_one_of_expected_sojourn():
    assert make_target(survey_load(FPD, measure(), "mmk"), TimeTarget("total", 0.07)) == SojournTarget(0.07)


def test_what_cannot_keep_up_fails_with_no_number():
    verdict = judge_capacity(FPD, measure(), external_rate=500.0, limit=P99)
    assert names_failed(verdict) == ["stability", "latency"]
    assert verdict.checks[-1].value is None
    assert verdict.estimate.completion is None
    assert verdict.headroom_rate is not None


def test_an_unreachable_quantile_has_no_suggestion():
    verdict = judge_capacity(FPD, measure(), limit=replace(P99, seconds=0.01))
    assert verdict.suggestion.processors is None
    assert "cannot be 10 ms" in verdict.suggestion.detail
    assert verdict.headroom_rate is None


def test_a_stricter_quantile_is_a_longer_time():
    values = [find_value(replace(P99, quantile=q), measure(), RUNNING) for q in (0.9, 0.99)]
    assert values == sorted(values)


def test_what_cannot_be_drawn_cannot_be_judged():
    topology = Topology((Operator("a"), Operator("b")), (Edge("a", "b", 1e7),))
    load = Load(1e-3, {"a": OperatorLoad(1.0, processors=1), "b": OperatorLoad(1e6, processors=1)})
    with pytest.raises(InvalidLoad, match="too few external tuples"):
        judge_capacity(topology, load, limit=P99)


def test_a_level_that_the_draw_does_not_resolve_is_refused_or_told():
    with pytest.raises(InvalidLoad, match="the longest time drawn"):
        judge_capacity(FPD, measure(), limit=replace(P99, quantile=0.999_999_9))
    rare = judge_capacity(FPD, measure(), limit=replace(P99, quantile=0.999_95))
    assert "quantile-not-resolved" in [one.code for one in rare.estimate.diagnostics]
