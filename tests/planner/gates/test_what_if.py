"""A what-if answer says the same as the plan, the gate and the estimate asked one by one."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.gates.verdict import judge_capacity
from planner.gates.what_if import WhatIfTerms, describe_held_bursts, explore
from planner.plans.frontier import MOST_POINTS
from planner.plans.optimal import min_latency, min_processors
from planner.situations.situation import estimate
from planner.targets.target import OUT_OF_REACH
from planner.values import (
    Edge,
    Entry,
    IdcPoint,
    InstanceLoad,
    Load,
    Operator,
    OperatorLoad,
    Plan,
    Topology,
)
from tests.planner.gate_cases import within

TOPOLOGY = Topology(
    (Operator("parse", queueing="round-robin"), Operator("score"), Operator("store", max_processors=20)),
    (Edge("parse", "score", 2.0), Edge("score", "store", 0.5)),
    (Entry("parse"),),
)
RUNS = {"parse": 7, "score": 8, "store": 14}
LOAD = Load(
    100.0,
    {
        name: OperatorLoad(rate, processors=RUNS[name])
        for name, rate in (("parse", 20.0), ("score", 35.0), ("store", 9.0))
    },
)


TERMS = WhatIfTerms(1.0)


def at(factor: float) -> Load:
    return replace(LOAD, external_rate=100.0 * factor)


@pytest.mark.parametrize("factor", [0.5, 1.0, 1.1])
def test_each_part_is_what_the_call_of_its_own_answers(factor: float):
    explored = explore(TOPOLOGY, LOAD, WhatIfTerms(factor, t_max_seconds=0.4))
    fewest = min_processors(TOPOLOGY, at(factor), 0.4)
    assert explored.planned is not None
    assert explored.planned.processors == fewest.processors
    assert explored.current is not None
    assert explored.current.expected_sojourn_seconds == pytest.approx(
        estimate(TOPOLOGY, at(factor), RUNS).expected_sojourn_seconds, rel=1e-9
    )
    at_total = {point.processors_total: point.expected_sojourn_seconds for point in explored.frontier}
    total = sum(fewest.processors.values())
    assert at_total[total] == pytest.approx(fewest.estimate.expected_sojourn_seconds, rel=1e-9)
    assert total - 1 not in at_total or at_total[total - 1] > 0.4


KINDS = st.sampled_from(["shared", "round-robin", "random", "keyed"])
IDC = (IdcPoint(0.1, 1.2), IdcPoint(0.4, 2.5), IdcPoint(3.0, 6.0))
SCVS = st.none() | st.floats(0.1, 4.0)
BUDGETS = st.none() | st.integers(3, 60)


@st.composite
def running(draw: st.DrawFn) -> tuple[Topology, Load]:
    """Up to four operators of all kinds of queues, some with SCVs, bursts and shares measured."""
    names = "abcd"[: draw(st.integers(1, 4))]
    kinds = [draw(KINDS) for _ in names]
    loads = {}
    for name, kind in zip(names, kinds, strict=True):
        shares = sorted(draw(st.lists(st.floats(0.5, 1.5), min_size=1, max_size=5)), reverse=True)
        instances = tuple(InstanceLoad(str(i), share / sum(shares)) for i, share in enumerate(shares))
        loads[name] = OperatorLoad(
            draw(st.floats(3.0, 60.0)),
            arrival_scv=draw(SCVS),
            service_scv=draw(SCVS),
            processors=draw(st.integers(1, 9)),
            arrival_idc=draw(st.sampled_from([(), (), IDC])),
            instances=instances if kind == "keyed" and draw(st.booleans()) else (),
        )
    operators = tuple(Operator(name, queueing=kind) for name, kind in zip(names, kinds, strict=True))
    edges = tuple(Edge(*pair, draw(st.floats(0.3, 2.0))) for pair in pairwise(names))
    return Topology(operators, edges, (Entry(names[0]),)), Load(draw(st.floats(1.0, 40.0)), loads)


def ask_plan(topology: Topology, load: Load, t_max_seconds: float | None, k_max: int | None) -> Plan | None:
    """What the calls for plans answer."""
    try:
        plan = None if t_max_seconds is None else min_processors(topology, load, t_max_seconds)
        if plan is None or (k_max is not None and plan.estimate.processors_total > k_max):
            return None if k_max is None else min_latency(topology, load, k_max)
    except OUT_OF_REACH:
        return None
    return plan


@settings(max_examples=20)
@given(running(), st.sampled_from([0.3, 1.0, 1.7]), st.none() | st.floats(0.05, 2.0), BUDGETS)
def test_plan_and_gate_are_those_of_their_own_calls_for_all_queues(
    case: tuple[Topology, Load], factor: float, t_max_seconds: float | None, k_max: int | None
):
    topology, load = case
    rate = factor * load.external_rate
    found = explore(topology, load, WhatIfTerms(factor, t_max_seconds, k_max))
    gate = judge_capacity(topology, load, external_rate=rate, limit=within(t_max_seconds), k_max=k_max)
    assert found.verdict == gate
    assert found.current == gate.estimate
    plan = ask_plan(topology, replace(load, external_rate=rate), t_max_seconds, found.k_max)
    if plan is None or found.planned is None:
        assert plan is found.planned
        return
    assert found.planned.processors == plan.processors
    assert found.planned.optimal == plan.optimal
    at_total = {one.processors_total: one.expected_sojourn_seconds for one in found.frontier}
    seconds = found.planned.estimate.expected_sojourn_seconds
    assert seconds == pytest.approx(plan.estimate.expected_sojourn_seconds, rel=1e-9)
    assert seconds is not None
    assert at_total.get(found.planned.estimate.processors_total, seconds) <= seconds


def test_a_frontier_of_many_totals_says_that_it_shows_some():
    many = replace(LOAD, operators={n: one._replace(processors=900) for n, one in LOAD.operators.items()})
    unbounded = replace(TOPOLOGY, operators=tuple(Operator(name) for name in RUNS))
    found = explore(unbounded, many, TERMS)
    assert len(found.frontier) <= MOST_POINTS + 2
    assert [one.code for one in found.diagnostics] == ["frontier-thinned"]
    assert f"The curve has {len(found.frontier)} points" in found.diagnostics[0].detail
    assert explore(TOPOLOGY, LOAD, TERMS).diagnostics == ()


def test_without_terms_what_runs_is_split_best():
    explored = explore(TOPOLOGY, LOAD, WhatIfTerms())
    assert explored.planned is not None
    assert explored.k_max == sum(RUNS.values())
    assert explored.planned.processors == min_latency(TOPOLOGY, LOAD, sum(RUNS.values())).processors


def test_a_target_beyond_the_budget_gives_the_best_split_of_the_budget():
    explored = explore(TOPOLOGY, LOAD, WhatIfTerms(1.0, t_max_seconds=0.23, k_max=30))
    assert explored.planned is not None
    assert explored.planned.objective == "min-latency"
    assert sum(explored.planned.processors.values()) == 30


def test_what_cannot_be_is_said_and_the_rest_is_answered():
    over = explore(TOPOLOGY, LOAD, WhatIfTerms(3.0, t_max_seconds=0.4))
    assert over.planned is None
    assert over.frontier == []
    assert over.current is not None
    assert not over.current.stable
    assert {one.code for one in over.diagnostics} == {"no-plan", "no-frontier"}
    unknown = replace(LOAD, operators={n: one._replace(processors=None) for n, one in LOAD.operators.items()})
    explored = explore(TOPOLOGY, unknown, WhatIfTerms(1.0, t_max_seconds=0.4))
    assert explored.current is None
    assert explored.planned is not None
    assert "running-unknown" in {one.code for one in explored.diagnostics}


def test_no_load_at_all_needs_the_fewest():
    explored = explore(TOPOLOGY, LOAD, WhatIfTerms(0.0, t_max_seconds=0.4))
    assert explored.planned is not None
    assert sum(explored.planned.processors.values()) == 3


def test_a_best_split_that_takes_longer_than_what_runs_is_explained():
    found = explore(TOPOLOGY, LOAD, TERMS)
    assert found.current is not None
    assert describe_held_bursts(found.current, found.frontier) == []
    total, seconds = found.current.processors_total, found.current.expected_sojourn_seconds
    assert seconds is not None
    slower = [
        replace(one, expected_sojourn_seconds=1.1 * seconds)
        for one in found.frontier
        if one.processors_total == total
    ]
    (said,) = describe_held_bursts(found.current, slower)
    assert said.code == "bursts-held-back"
    assert f"best split of {total} processors takes longer" in said.detail
