"""A change that pays back later than the next change of the load is a hold that says so."""

from dataclasses import replace

import pytest

from planner.decisions.case import DecisionQuestion
from planner.decisions.compose import Decision, decide
from planner.decisions.horizon import RateHistory
from planner.decisions.policy import Policy
from planner.decisions.state_migration import State
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology

PAIR = Topology(
    (Operator("parse"), Operator("count", stateful=True)), (Edge("parse", "count"),), (Entry("parse"),)
)
NO_RATES = RateHistory([], 60.0)


def rebalance(
    processors: tuple[int, int],
    states: dict[str, State],
    horizon_seconds: float | None = None,
    *,
    stateful: bool = True,
    history: RateHistory | None = NO_RATES,
) -> Decision:
    """Without rates there is no forecast, and the policy's horizon holds."""
    load = Load(40.0, {"parse": OperatorLoad(10.0), "count": OperatorLoad(10.0)})
    pair = replace(PAIR, operators=(Operator("parse"), Operator("count", stateful=stateful)))
    policy = Policy(k_max=sum(processors), states=states, horizon_seconds=horizon_seconds)
    return decide(DecisionQuestion(pair, load, processors, policy, history=history))


def hold_state(size_bytes: float) -> dict[str, State]:
    return {"count": State(128, size_bytes, (100e6,), (12.5e6,))}


def test_payback_is_what_waits_while_state_moves_over_what_is_saved():
    decision = rebalance((5, 8), hold_state(1e9))
    after = {one.name: one.processors for one in decision.recommended.operators}
    assert (decision.action, after) == ("rebalance", {"parse": 7, "count": 6})
    moves = decision.moves
    repartition = moves.migrations["count"].repartition_seconds or 0.0
    assert repartition == pytest.approx(1e9 / 6 / 100e6 + 1e9 / 6 / 12.5e6)
    saved = (decision.current.expected_sojourn_seconds or 0.0) - (
        decision.recommended.expected_sojourn_seconds or 0.0
    )
    assert moves.payback_seconds == pytest.approx(40.0 * repartition**2 / 2.0 / (40.0 * saved))


def test_too_late_is_a_hold_and_in_time_is_not():
    states = hold_state(1e9)
    free = rebalance((5, 8), states)
    payback = free.moves.payback_seconds or 0.0
    held = rebalance((5, 8), states, 0.99 * payback)
    assert (held.action, held.reasons[-1].code) == ("hold", "payback")
    assert held.recommended == held.current
    assert held.moves == free.moves, "what the change would have moved"
    for in_time in (rebalance((5, 8), states, 1.01 * payback), rebalance((5, 8), states, 1.0, history=None)):
        assert (in_time.action, in_time.recommended) == ("rebalance", free.recommended)


def test_what_is_urgent_does_not_wait_for_payback():
    decision = rebalance((4, 9), hold_state(1e12), 1.0)  # parse cannot keep up
    assert (decision.urgent, decision.action, decision.horizon) == (True, "rebalance", None)
    assert decision.moves.payback_seconds == 0.0


def test_without_state_nothing_is_lost_and_of_a_state_that_is_not_described_nothing_is_known():
    for states in ({}, {"count": State(128, 1e9)}):
        unknown = rebalance((5, 8), states, 1.0)
        assert (unknown.moves.cost_tuple_seconds, unknown.moves.payback_seconds) == (None, None)
        assert unknown.action == "rebalance"
    moves = rebalance((5, 8), {}, stateful=False).moves
    assert (moves.cost_tuple_seconds, moves.payback_seconds) == (0.0, 0.0)
