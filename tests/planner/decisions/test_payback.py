"""A change that pays back later than the next change of the load is a hold that says so."""

from dataclasses import replace

import pytest

from planner.decisions.decide import Decision, decide
from planner.decisions.horizon import ChangeHorizon
from planner.decisions.payback import plan_moves, weigh_change
from planner.decisions.policy import Policy
from planner.decisions.state_migration import State
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology

PAIR = Topology(
    (Operator("parse"), Operator("count", stateful=True)), (Edge("parse", "count"),), (Entry("parse"),)
)


def rebalance(processors: tuple[int, int], *, stateful: bool = True) -> Decision:
    load = Load(40.0, {"parse": OperatorLoad(10.0), "count": OperatorLoad(10.0)})
    pair = replace(PAIR, operators=(Operator("parse"), Operator("count", stateful=stateful)))
    return decide(pair, load, processors, Policy(k_max=sum(processors)))


def hold_state(size_bytes: float) -> dict[str, State]:
    return {"count": State(128, size_bytes, (100e6,), (12.5e6,))}


def within(seconds: float) -> ChangeHorizon:
    return ChangeHorizon(seconds, "policy", "")


def test_payback_is_what_waits_while_state_moves_over_what_is_saved():
    decision = rebalance((5, 8))
    after = {one.name: one.processors for one in decision.recommended.operators}
    assert (decision.action, after) == ("rebalance", {"parse": 7, "count": 6})
    moves = plan_moves(decision, hold_state(1e9))
    repartition = moves.migrations["count"].repartition_seconds or 0.0
    assert repartition == pytest.approx(1e9 / 6 / 100e6 + 1e9 / 6 / 12.5e6)
    saved = (decision.current.expected_sojourn_seconds or 0.0) - (
        decision.recommended.expected_sojourn_seconds or 0.0
    )
    assert moves.payback_seconds == pytest.approx(40.0 * repartition**2 / 2.0 / (40.0 * saved))


def test_too_late_is_a_hold_and_in_time_is_not():
    decision, states = rebalance((5, 8)), hold_state(1e9)
    moves = plan_moves(decision, states)
    payback = moves.payback_seconds or 0.0
    held = weigh_change(decision, moves, within(0.99 * payback))
    assert (held.action, held.reasons[-1].code) == ("hold", "payback")
    assert held.recommended == held.current
    assert weigh_change(decision, moves, within(1.01 * payback)) == decision
    assert weigh_change(decision, moves, None) == decision


def test_what_is_urgent_does_not_wait_for_payback():
    decision = rebalance((4, 9))  # parse cannot keep up
    assert decision.urgent
    moves = plan_moves(decision, hold_state(1e12))
    assert moves.payback_seconds == 0.0
    assert weigh_change(decision, moves, within(1.0)).action == "rebalance"


def test_without_state_nothing_is_lost_and_of_a_state_that_is_not_described_nothing_is_known():
    decision = rebalance((5, 8))
    for states in ({}, {"count": State(128, 1e9)}):
        unknown = plan_moves(decision, states)
        assert (unknown.cost_tuple_seconds, unknown.payback_seconds) == (None, None)
        assert weigh_change(decision, unknown, within(1.0)) == decision
    stateless = rebalance((5, 8), stateful=False)
    moves = plan_moves(stateless, {})
    assert (moves.cost_tuple_seconds, moves.payback_seconds) == (0.0, 0.0)
