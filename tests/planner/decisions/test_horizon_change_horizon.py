"""A change lasts until the allocation would be changed again: by the forecast, else by the policy."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.decisions.case import survey_case
from planner.decisions.horizon import ChangeHorizon, RatesAhead, count_steps_ahead, find_horizon
from planner.decisions.policy import Policy
from planner.decisions.rules import decide_later
from planner.situations.situation import estimate
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology
from planner.wording import write_seconds
from tests.planner.decisions.asked import ask, decide

PAIR = Topology((Operator("parse"), Operator("count")), (Edge("parse", "count"),), (Entry("parse"),))
RATES = {"parse": OperatorLoad(10.0), "count": OperatorLoad(10.0)}
STEP = 60.0


LOAD = Load(40.0, RATES)


def rebalance(policy: Policy, load: Load = LOAD) -> list[int]:
    """The counts of the best split."""
    decision = decide(PAIR, load, (6, 9), policy)
    assert decision.action == "rebalance"
    return [one.processors for one in decision.recommended.operators]


def look_for_change(counts: list[int], policy: Policy, rates: RatesAhead, load: Load = LOAD) -> ChangeHorizon:
    case = survey_case(ask(PAIR, load, (6, 9), policy))
    return find_horizon(policy, rates, partial(decide_later, case, counts))


def ahead(*rates: float) -> RatesAhead:
    return RatesAhead(rates, STEP)


# E[T] at 40 tuples/s is far below it.
TARGET = Policy(t_max_seconds=0.35, least_gain=0.0)


def limit_to(horizon_seconds: float | None) -> Policy:
    return replace(TARGET, horizon_seconds=horizon_seconds)


@given(st.lists(st.floats(1.0, 80.0), min_size=1, max_size=12))
def test_the_next_change_is_at_the_first_rate_that_misses_the_target(rates: list[float]):
    counts = rebalance(TARGET)
    patient = Policy(t_max_seconds=0.35, least_gain=0.999_999)
    named = {"parse": counts[0], "count": counts[1]}
    missed = [
        step
        for step, rate in enumerate(rates, 1)
        if (estimate(PAIR, Load(rate, RATES), named).expected_sojourn_seconds or 9.0) > 0.35
    ]
    found = look_for_change(counts, patient, ahead(*rates))
    if missed:
        assert (found.seconds, found.source) == (STEP * missed[0], "forecast")
        assert "then be to run" in found.detail
    else:
        assert (found.seconds, found.source) == (None, "none")
        assert write_seconds(STEP * len(rates)) in found.detail


def test_the_policy_bounds_what_the_forecast_says():
    counts = rebalance(TARGET)
    rates = ahead(40.0, 40.0, 90.0)
    assert look_for_change(counts, limit_to(1000.0), rates).seconds == 180.0
    bounded = look_for_change(counts, limit_to(100.0), rates)
    assert (bounded.seconds, bounded.source) == (100.0, "policy")
    assert bounded.detail.endswith("The policy expects a change to last 100 s at most.")


@pytest.mark.parametrize(("limit", "source"), [(900.0, "policy"), (None, "none")])
def test_without_a_forecast_it_is_the_policy_s_and_says_why(limit: float | None, source: str):
    found = look_for_change(rebalance(TARGET), limit_to(limit), RatesAhead(missing="Too few intervals."))
    assert (found.seconds, found.source) == (limit, source)
    assert "Too few intervals." in found.detail


def test_nothing_changes_before_the_cooldown_of_this_change_is_over():
    cooled = Policy(t_max_seconds=0.35, least_gain=0.0, cooldown_seconds=200.0)
    counts = rebalance(TARGET)
    assert look_for_change(counts, TARGET, ahead(*[90.0] * 9)).seconds == 60.0
    assert look_for_change(counts, cooled, ahead(*[90.0] * 9)).seconds == 240.0


def test_a_rate_that_stays_changes_nothing_and_an_input_that_ceases_is_no_error():
    counts = rebalance(TARGET)
    assert look_for_change(counts, limit_to(700.0), ahead(*[40.0] * 5)).source == "policy"
    measured = Load(40.0, {name: OperatorLoad(10.0, arrival_rate=40.0) for name in RATES})
    assert look_for_change(counts, TARGET, ahead(0.0, 0.0, 120.0), measured).seconds == 180.0


def count_all(limits: Sequence[float | None], operators: int) -> list[int]:
    return [count_steps_ahead(STEP, limit, operators) for limit in limits]


def test_it_is_looked_no_further_than_anything_can_be_said():
    assert count_all((None, 1.0, 60.0, 61.0, 1e9), 3) == [100, 1, 1, 2, 100]
    assert count_all((None, 120.0), 10_000) == [20, 2]
