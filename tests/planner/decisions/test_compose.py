"""A composed decision is its stages one after the other, each asked only where it matters."""

from dataclasses import replace
from typing import Any

import pytest

from planner.decisions.case import DecisionQuestion, survey_case
from planner.decisions.compose import ComposedDecision, compose_decision, conclude, decide, plan_for_rate
from planner.decisions.goals.proposals import propose
from planner.decisions.horizon import RateHistory, RateOutlook
from planner.decisions.policy import LastChange, Policy
from planner.decisions.rules import RULES, apply_rules
from planner.decisions.state_migration import OwnersLeft, State
from planner.gates.headroom import find_counterfactuals
from planner.nodes.usage import MeasuredInstance, Node, Usage
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology
from planner.workloads.rates_ahead import RateAhead
from planner.workloads.series import Measurement

STEP = 60.0
PAIR = Topology(
    (Operator("parse"), Operator("count", stateful=True)), (Edge("parse", "count"),), (Entry("parse"),)
)
LOAD = Load(40.0, {"parse": OperatorLoad(10.0), "count": OperatorLoad(10.0)})
STATES = {"count": State(128, 1e9, (100e6,), (12.5e6,))}
STEADY = RateHistory([Measurement(STEP * i, 40.0) for i in range(60)], STEP)
SPLIT = Policy(k_max=13, states=STATES)


def ask(policy: Policy, running: tuple[int, int] = (5, 8), **more: Any) -> DecisionQuestion:
    return DecisionQuestion(PAIR, LOAD, running, policy, **more)


def codes(composed: ComposedDecision) -> list[str]:
    return [one.code for one in composed.decision.reasons]


def expect(upper_rate: float) -> RateOutlook:
    return RateOutlook(RateAhead(45.0, upper_rate, 5, 0.95, "trend of 6", 60))


@pytest.mark.parametrize("horizon_seconds", [None, 1.0, 1e9])
def test_the_stages_are_those_of_the_planner_in_their_order(horizon_seconds: float | None):
    policy = replace(SPLIT, horizon_seconds=horizon_seconds)
    found = compose_decision(ask(policy, history=STEADY))
    case = survey_case(ask(policy, history=STEADY))
    proposal = apply_rules(case, propose(case), RULES)
    decision = conclude(case, proposal)
    counts = [one.processors for one in decision.recommended.operators]
    assert found.decision == decision
    assert (decision.moves, decision.horizon) == (proposal.moves, proposal.horizon)
    assert found.counterfactuals == find_counterfactuals(decision.situation, counts, None)
    assert (found.decision.action == "hold") == (horizon_seconds == 1.0)


def test_a_horizon_is_sought_only_where_it_could_hold_the_change_back():
    assert decide(ask(replace(SPLIT, states={}), history=STEADY)).horizon is None, "nothing moves"
    assert decide(ask(SPLIT, (4, 9), history=STEADY)).horizon is None, "parse cannot keep up"
    assert decide(ask(SPLIT)).horizon is None, "no history"
    assert decide(ask(SPLIT, history=STEADY)).horizon is not None


def test_owners_that_the_last_change_left_are_those_that_move():
    left = OwnersLeft(8, (0,) * 128)
    unknown, known = (
        decide(ask(SPLIT, owners_left=one)).moves.migrations["count"] for one in ({}, {"count": left})
    )
    assert known.moved_key_groups > unknown.moved_key_groups
    elsewhere = decide(ask(SPLIT, owners_left={"count": left._replace(instances=7)}))
    assert elsewhere.moves.migrations["count"] == unknown


def test_the_last_change_and_the_newest_rate_reach_the_decision():
    policy = Policy(t_max_seconds=0.3, cooldown_seconds=600.0)
    held = compose_decision(ask(policy, last=LastChange(100.0, 40.0)))
    assert held.decision.cooldown_left_seconds == 500.0
    newest = compose_decision(ask(policy, newest_rate=55.0))
    assert (newest.sized_for.external_rate, newest.sized_for.source) == (55.0, "newest")


def test_a_target_covers_the_outlook_and_says_by_what():
    found = compose_decision(ask(Policy(t_max_seconds=0.25), (6, 6), outlook=expect(60.0), history=STEADY))
    assert (found.sized_for.external_rate, found.sized_for.source) == (60.0, "forecast")
    assert "is computed for 60/s" in found.sized_for.detail
    assert (
        "The forecast, from 60 intervals, aims at a probability of 95% that the rate stays below 60/s for the next "
        "5 min (5 intervals)." in found.sized_for.detail
    )
    assert "ahead-of-load" in codes(found) or "target-missed" in codes(found)
    unknown = compose_decision(ask(Policy(t_max_seconds=0.25), outlook=RateOutlook(missing="Too few.")))
    assert [one.code for one in unknown.diagnostics] == ["scv-assumed", "queueing-assumed", "no-look-ahead"]


def test_processors_that_a_rule_keeps_are_told_from_those_that_the_goal_takes():
    """The goal takes fewer at its rate than stay, so the sentence on the rate says both numbers."""
    kept = compose_decision(ask(Policy(t_max_seconds=5.0, scale_down_window_seconds=600.0), (12, 12)))
    needed = kept.decision.needed
    assert needed < 24 == kept.decision.recommended.processors_total
    said = f" That takes {needed} processors; the reasons of the decision say why 24 are recommended."
    assert kept.sized_for.detail.endswith(said)
    wanted = compose_decision(ask(Policy(t_max_seconds=0.25), (6, 6)))
    assert wanted.decision.needed == wanted.decision.recommended.processors_total
    assert " takes " not in wanted.sized_for.detail


def test_goals_without_a_target_are_asked_at_the_rate_planned_for():
    split, target = ask(SPLIT), ask(Policy(t_max_seconds=0.3))
    assert plan_for_rate(split, 50.0).load.external_rate == 50.0
    assert plan_for_rate(split, 40.0) is split
    assert plan_for_rate(target, 50.0) is target
    idle = replace(split, load=replace(LOAD, external_rate=0.0))
    assert plan_for_rate(idle, 50.0) is idle


def test_nodes_and_streams_are_those_of_the_snapshot():
    instances = {
        "parse": [MeasuredInstance("p0", 1.0, 9.0, node="lost")],
        "gone": [MeasuredInstance("g", 1.0, 9.0)],
    }
    found = compose_decision(ask(SPLIT, nodes=[Node("n0", Usage(0.4, 0.2))], instances=instances))
    assert found.nodes is not None
    assert set(found.nodes.new_instances) == {"parse"}
    assert found.streams is not None
    assert [one.operator for one in found.streams.redirect] == ["parse"]
    assert [one.code for one in found.diagnostics] == ["scv-assumed", "queueing-assumed", "missing-nodes"]
    bare = compose_decision(ask(SPLIT))
    assert (bare.nodes, bare.streams) == (None, None)
    assert bare.diagnostics == bare.decision.current.diagnostics


def test_one_fewer_within_the_target_has_the_rule_that_keeps_it():
    held = Policy(t_max_seconds=0.5, t_min_seconds=0.4, cooldown_seconds=600.0)
    composed = compose_decision(ask(held, (9, 9), last=LastChange(60.0, 40.0)))
    assert codes(composed)[-1] == "cooldown"
    assert "within the target of 500 ms, but the last change is too recent for another." in (
        composed.counterfactuals.one_fewer_detail
    )
