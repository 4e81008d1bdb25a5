"""Operators that busy time cannot judge keep their processors, unless their owner says what they can serve."""

import pytest

from planner.plans.optimal import min_processors
from planner.topology.loads import keep_unjudged
from planner.values import Load, Operator, OperatorLoad, Topology

LOAD = Load(
    10.0,
    {"call": OperatorLoad(100.0, processors=3, is_unjudged=True), "out": OperatorLoad(100.0, processors=4)},
)


def keep(operator: Operator) -> int:
    """The fewest processors of the operator `call`."""
    topology, said = keep_unjudged(Topology((operator, Operator("out"))), LOAD)
    assert bool(said) == (topology.operators[0].min_processors > operator.min_processors)
    assert topology.operators[1] == Operator("out")
    return topology.operators[0].min_processors


@pytest.mark.parametrize(
    ("operator", "fewest"),
    [
        (Operator("call"), 3),
        (Operator("call", max_processors=2), 2),
        (Operator("call", concurrency=8), 1),
        (Operator("call", capacity_rate=50.0), 1),
    ],
)
def test_it_keeps_what_runs_unless_its_owner_says_more(operator: Operator, fewest: int):
    assert keep(operator) == fewest


def test_no_plan_takes_its_processors_away():
    topology, _ = keep_unjudged(Topology((Operator("call"), Operator("out"))), LOAD)
    plan = min_processors(topology, LOAD, 10.0)
    assert plan.processors == {"call": 3, "out": 1}
