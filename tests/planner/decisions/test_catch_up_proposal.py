"""Decisions under a backlog: more processors in time, and never fewer for more that waits."""

from collections.abc import Mapping
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from planner.decisions.catch_up import CatchUpTerms
from planner.decisions.compose import Decision
from planner.decisions.policy import LastChange, Policy
from planner.values import Operator, OperatorLoad, Topology
from tests.planner.decisions.asked import decide
from tests.planner.decisions.backlogs import TOPOLOGY, load_of

tuples = st.floats(0.0, 1e7)


def choose(waiting: Mapping[str, float | None], policy: Policy, last: LastChange | None = None) -> Decision:
    terms = None if policy.catch_up_seconds is None else CatchUpTerms(policy.catch_up_seconds)
    return decide(TOPOLOGY, load_of(waiting), (6, 5, 2), policy, last, catch_up=terms)


def count_of(decision: Decision) -> list[int]:
    return [one.processors for one in decision.recommended.operators]


def test_a_backlog_scales_up_although_the_target_is_met_and_says_why():
    policy = Policy(t_max_seconds=2.0, look_ahead=False, catch_up_seconds=60.0)
    calm = choose({}, policy)
    assert calm.action == "hold"
    late = choose({"parse": 20_000.0}, policy)
    assert late.action == "scale_up"
    assert "catch-up" in [reason.code for reason in late.reasons]
    assert all(new >= old for new, old in zip(count_of(late), (6, 5, 2), strict=True))
    assert choose({"parse": 20_000.0}, replace(policy, catch_up_seconds=None)).action == "hold"


def test_a_backlog_is_no_gain_in_e_t_that_may_be_too_small():
    policy = Policy(k_max=30, look_ahead=False, catch_up_seconds=60.0, least_gain=0.99)
    decision = choose({"parse": 3000.0}, policy)
    assert decision.action == "scale_up"
    assert "catch-up" in [reason.code for reason in decision.reasons]


def test_a_backlog_never_gives_up_processors_that_would_have_stayed():
    # With no stream at all the best split is one processor each; k_max is below what runs.
    policy = Policy(t_max_seconds=2.0, k_max=12, look_ahead=False, catch_up_seconds=60.0)
    for waiting in ({}, {"parse": 3000.0}):
        load = load_of(waiting, rate=0.0)
        decision = decide(TOPOLOGY, load, (6, 5, 2), policy, catch_up=CatchUpTerms(60.0))
        assert sum(count_of(decision)) == 13, waiting


def test_a_backlog_that_what_runs_can_do_moves_nothing():
    apart = Topology((*TOPOLOGY.operators, Operator("rare")), TOPOLOGY.edges, TOPOLOGY.entries)
    load = load_of({})
    rare = OperatorLoad(5.0, processors=4, backlog_tuples=1000.0)
    load = replace(load, operators={**load.operators, "rare": rare})
    policy = Policy(t_max_seconds=2.0, look_ahead=False, catch_up_seconds=60.0)
    decision = decide(apart, load, (6, 5, 2, 4), policy, catch_up=CatchUpTerms(60.0))
    assert count_of(decision) == [6, 5, 2, 4]


def test_a_backlog_waits_for_the_cooldown_but_not_for_the_trigger():
    policy = Policy(
        t_max_seconds=2.0, look_ahead=False, catch_up_seconds=60.0, cooldown_seconds=300.0, trigger=0.5
    )
    assert choose({"parse": 2e4}, policy, LastChange(10.0, 50.0)).action == "hold"
    assert choose({"parse": 2e4}, policy, LastChange(1000.0, 50.0)).action == "scale_up"


@given(
    tuples,
    tuples,
    st.sampled_from([Policy(t_max_seconds=2.0), Policy(k_max=14), Policy(t_max_seconds=0.3, k_max=40)]),
)
def test_more_that_waits_never_recommends_fewer_processors_in_all(a: float, b: float, terms: Policy):
    policy = replace(terms, look_ahead=False, catch_up_seconds=120.0)
    less, more = sorted((a, b))
    few, many = choose({"parse": less}, policy), choose({"parse": more}, policy)
    assert sum(count_of(few)) <= sum(count_of(many)) or few.goal == "best-split"
    for decision in (few, many):
        assert policy.k_max is None or sum(count_of(decision)) <= max(policy.k_max, 13)


def test_a_budget_that_cannot_catch_up_in_time_says_how_long_it_takes():
    decision = choose({"parse": 1e6}, Policy(k_max=14, catch_up_seconds=60.0))
    assert "catch-up-bounded" in [reason.code for reason in decision.constraints]
    assert sum(count_of(decision)) <= 14
