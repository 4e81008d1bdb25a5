"""A what-if answer says the same as the plan, the gate and the estimate asked one by one."""

from dataclasses import replace

import pytest

from planner.gates.what_if import WhatIfTerms, explore
from planner.plans.estimation import estimate
from planner.plans.optimal import min_latency, min_processors
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology

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
