"""Decisions for a quantile: more, fewer or as many processors, and what limits them."""

from dataclasses import replace
from functools import cache

from planner.decisions.case import DecisionQuestion
from planner.decisions.compose import Decision, compose_decision
from planner.decisions.policy import Policy
from planner.plans.quantile import min_processors_within
from planner.situations.situation import survey_load
from planner.targets import target
from planner.targets.drawn_target import draw_target
from planner.values import Load, Operator, TimeTarget
from tests.planner.decisions.asked import decide
from tests.planner.gate_cases import FPD, measure

P99 = TimeTarget("completion", 0.2, 0.99)
POLICY = Policy(target=P99)


@cache
def find_enough() -> list[int]:
    """The fewest processors that meet the target."""
    return list(min_processors_within(FPD, measure(), P99).processors.values())


def codes(decision: Decision) -> list[str]:
    return [one.code for one in decision.reasons]


def counts(decision: Decision) -> list[int]:
    return [one.processors for one in decision.recommended.operators]


def is_met(load: Load, found: list[int]) -> bool:
    situation = survey_load(FPD, load, "ggk-whitt")
    return target.is_met(draw_target(situation, P99), situation, found)


def test_a_missed_quantile_gets_the_fewest_processors_that_meet_it():
    decision = decide(FPD, measure(), [5, 11, 2], POLICY)
    assert decision.action == "scale_up"
    assert decision.goal == "latency-target"
    assert decision.urgent
    assert counts(decision) == find_enough()
    assert codes(decision) == ["target-missed", "target-on-a-draw"]


def test_a_wrong_split_keeps_its_number_of_processors_and_meets_the_target():
    first, _, last = find_enough()
    running = [first + 9, 11, last]
    decision = decide(FPD, measure(), running, POLICY)
    assert decision.action == "rebalance"
    assert sum(counts(decision)) == sum(running)
    assert is_met(measure(), counts(decision))


def test_a_target_that_is_met_holds_and_below_t_min_gives_processors_up():
    running = [count + 4 for count in find_enough()]
    assert decide(FPD, measure(), running, POLICY).action == "hold"
    decision = decide(FPD, measure(), running, replace(POLICY, t_min_seconds=0.19))
    assert decision.action == "scale_down"
    assert counts(decision) == find_enough()
    assert codes(decision)[0] == "below-t-min"
    least = decide(FPD, measure(), find_enough(), replace(POLICY, t_min_seconds=0.1999999))
    assert least.action == "hold"
    assert "no-fewer" in codes(least)


def test_the_rate_to_be_ready_for_counts():
    decision = decide(FPD, measure(), find_enough(), POLICY, rate_ahead=400.0)
    assert decision.action == "scale_up"
    assert codes(decision)[:2] == ["within-target", "ahead-of-load"]
    assert is_met(measure(400.0), counts(decision))


def test_bounds_give_what_they_allow_and_are_named():
    within = decide(FPD, measure(), [5, 11, 2], replace(POLICY, k_max=19))
    assert sum(counts(within)) == 19
    assert [one.code for one in within.constraints] == ["k_max"]
    tight = replace(FPD, operators=(Operator("generator", max_processors=5), *FPD.operators[1:]))
    bounded = decide(tight, measure(), [5, 11, 2], replace(POLICY, target=replace(P99, seconds=0.13)))
    assert [one.code for one in bounded.constraints] == ["target"]
    never = decide(FPD, measure(), [6, 13, 3], replace(POLICY, target=replace(P99, seconds=0.01)))
    assert never.action == "hold"
    assert [one.code for one in never.constraints] == ["target"]


def test_measured_completion_stands_for_its_mean():
    target = TimeTarget("completion", 0.2)
    slow = replace(measure(), measured_completion_seconds=0.3)
    assert codes(decide(FPD, slow, find_enough(), Policy(target=target)))[0] == "target-missed"
    assert codes(decide(FPD, measure(), find_enough(), Policy(target=target)))[0] == "within-target"


def test_what_cannot_keep_up_is_more_than_any_target():
    decision = decide(FPD, measure(), [3, 8, 1], POLICY)
    assert decision.reasons[0].detail.startswith(
        "By the estimate an operator cannot keep up, so the p99 of the time to completion grows "
        "without limit. The target"
    )
    assert counts(decision) == find_enough()


def test_counterfactuals_are_of_the_quantile():
    found = compose_decision(DecisionQuestion(FPD, measure(), [5, 11, 2], POLICY)).counterfactuals
    assert "The p99 of the time to completion is " in found.one_fewer_detail
    assert found.holds_up_to_rate is not None
    assert 320.0 <= found.holds_up_to_rate < 350.0
    assert found.one_fewer_up_to_rate is not None
    assert found.one_fewer_up_to_rate <= found.holds_up_to_rate


def test_a_higher_load_never_takes_fewer_processors():
    policy = Policy(target=replace(P99, quantile=0.9))
    totals = [sum(counts(decide(FPD, measure(rate), [3, 8, 1], policy))) for rate in (250.0, 320.0, 400.0)]
    assert totals == sorted(totals)
