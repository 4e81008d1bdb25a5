"""The verdict: its basis, what binds, and beside the search of any split."""

from dataclasses import replace
from itertools import product

import pytest

from planner.errors import InvalidAllocation
from planner.gates.verdict import judge_capacity
from planner.situations.situation import estimate
from planner.values import Load, Operator
from tests.planner.gate_cases import FPD, RUNNING, measure, names_failed, within


def search_any_split(load: Load, rate: float, t_max_seconds: float, k_max: int) -> bool:
    """Whether any split of k_max at all would pass, by trying each."""
    scaled = replace(load, external_rate=rate)
    for counts in product(range(1, k_max - 1), repeat=3):
        if sum(counts) <= k_max:
            answer = estimate(FPD, scaled, dict(zip(RUNNING, counts, strict=True)))
            if answer.stable and (answer.expected_sojourn_seconds or 0.0) <= t_max_seconds:
                return True
    return False


@pytest.mark.parametrize(
    ("rate", "t_max_seconds"), [(100.0, 0.2), (150.0, 0.055), (250.0, 0.2), (180.0, 0.07)]
)
def test_without_processors_it_passes_where_any_split_of_the_budget_would(rate: float, t_max_seconds: float):
    load = measure(processors={})
    verdict = judge_capacity(FPD, load, external_rate=rate, limit=within(t_max_seconds), k_max=14)
    assert verdict.origin == "planned"
    assert verdict.passed == search_any_split(load, rate, t_max_seconds, 14)
    headroom = verdict.headroom_rate
    assert headroom is not None
    assert search_any_split(load, headroom, t_max_seconds, 14)
    assert not search_any_split(load, 1.001 * headroom, t_max_seconds, 14)


@pytest.mark.parametrize("t_max_seconds", [0.055, 0.07, 0.5])
@pytest.mark.parametrize("running", [RUNNING, {"generator": 9, "detector": 14, "reporter": 2}])
def test_one_more_at_the_binding_operator_helps_most_where_the_target_is_just_met(
    t_max_seconds: float, running: dict[str, int]
):
    verdict = judge_capacity(
        FPD, measure(processors=running), external_rate=100.0, limit=within(t_max_seconds)
    )
    assert verdict.passed
    at_headroom = measure(verdict.headroom_rate or 0.0, running)
    with_one_more = {
        name: estimate(FPD, at_headroom, running | {name: running[name] + 1}).expected_sojourn_seconds or 9.0
        for name in running
    }
    assert min(with_one_more, key=lambda name: with_one_more[name]) == verdict.binding_operator


def test_given_processors_win_over_running_ones_and_running_ones_over_a_plan():
    assert judge_capacity(FPD, measure(), RUNNING | {"reporter": 9}, k_max=40).origin == "given"
    assert judge_capacity(FPD, measure(), k_max=40).origin == "running"
    partly = measure(processors=RUNNING | {"reporter": None})
    verdict = judge_capacity(FPD, partly, k_max=40)
    assert verdict.origin == "planned"
    assert [said.operators for said in verdict.estimate.diagnostics if said.code == "processors-planned"] == [
        ("reporter",)
    ]
    with pytest.raises(InvalidAllocation, match=r"reporter.*for all operators"):
        judge_capacity(FPD, partly, limit=within(1.0))


def test_a_budget_that_does_not_go_round_fails_and_says_what_would():
    verdict = judge_capacity(FPD, measure(processors={}), limit=within(0.07), k_max=15)
    assert not verdict.passed
    budget = next(check for check in verdict.checks if check.name == "budget")
    assert budget.value == 18.0  # the least stable allocation
    assert (verdict.suggestion.processors_total or 0) > 18
    assert "more than allowed" in verdict.suggestion.detail
    never = judge_capacity(FPD, measure(), limit=within(0.01))
    assert never.suggestion.processors is None
    assert "takes at least" in never.suggestion.detail


def test_an_operator_that_its_bound_keeps_short_binds():
    bounded = replace(FPD, operators=(*FPD.operators[:2], Operator("reporter", max_processors=2)))
    verdict = judge_capacity(bounded, measure(processors={}), external_rate=600.0, k_max=100)
    assert names_failed(verdict) == ["stability"]
    assert verdict.binding_operator == "reporter"
    assert verdict.headroom_rate == pytest.approx(2 * 40.0 / (0.05 * 4.0 / 0.9), rel=1e-11)


def test_without_input_everything_holds():
    verdict = judge_capacity(FPD, measure(external_rate=0.0), limit=within(0.5))
    assert verdict.passed
    assert verdict.headroom_rate == judge_capacity(FPD, measure(), limit=within(0.5)).headroom_rate


@pytest.mark.parametrize("k_max", [10**10, 10**12])
@pytest.mark.parametrize("processors", [{}, RUNNING])
def test_a_budget_of_more_than_can_be_planned_is_judged(k_max: int, processors: dict[str, int]):
    verdict = judge_capacity(FPD, measure(processors=processors), limit=within(10.0), k_max=k_max)
    assert verdict.passed
    assert verdict.headroom_rate is not None
    assert verdict.headroom_rate > 0.0


def test_a_model_that_measurements_contradict_is_said_at_any_rate_and_only_of_what_runs():
    load = replace(measure(), measured_sojourn_seconds=3.0)
    for rate in (None, 60.0, 0.5 * load.external_rate):
        found = judge_capacity(FPD, load, external_rate=rate)
        assert [one.code for one in found.estimate.diagnostics].count("sojourn-disagrees") == 1
    for quiet in (
        judge_capacity(FPD, load, RUNNING | {"reporter": RUNNING["reporter"] + 1}),
        judge_capacity(FPD, measure(), external_rate=60.0),
    ):
        assert "sojourn-disagrees" not in [one.code for one in quiet.estimate.diagnostics]
