"""What a decision means for nodes and streams: every new instance is asked a place for, with what it takes."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.decisions.compose import MOST_PLACED, Decision, advise_on_nodes, advise_on_streams, list_wanted
from planner.decisions.policy import Policy
from planner.nodes.advice import USUAL_THRESHOLDS, advise_nodes
from planner.nodes.packing import Wanted, list_loads
from planner.nodes.usage import MeasuredInstance, Node, Resources, Usage, find_resources
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology
from tests.planner.decisions.asked import decide

PAIR = Topology((Operator("parse"), Operator("count")), (Edge("parse", "count", 2.0),), (Entry("parse"),))
NODES = (Node("n0", Usage(0.5, 0.3)), Node("n1", Usage(0.4, 0.2)), Node("n2", Usage(0.45, 0.2)))
INSTANCES = {
    "parse": [MeasuredInstance("p0", 3.0, 10.0, 0.5, "n0", 0.2, 0.1)],
    "count": [
        MeasuredInstance("c0", 9.0, 10.0, 0.9, "n0"),
        MeasuredInstance("c1", 1.0, 10.0, 0.2, "n1"),
    ],
}


def make(rate: float = 12.0, running: tuple[int, int] = (2, 4)) -> Decision:
    load = Load(rate, {"parse": OperatorLoad(10.0), "count": OperatorLoad(10.0)})
    return decide(PAIR, load, running, Policy(t_max_seconds=0.32))


def see(decision: Decision) -> Resources:
    running = {one.name: one.processors for one in decision.current.operators}
    return find_resources(running, NODES, INSTANCES)


@given(st.floats(5.0, 200.0), st.tuples(st.integers(1, 30), st.integers(1, 30)))
def test_what_is_wanted_is_what_each_operator_gains(rate: float, running: tuple[int, int]):
    decision = make(rate, running)
    gains = {
        after.name: after.processors - before.processors
        for before, after in zip(decision.current.operators, decision.recommended.operators, strict=True)
    }
    wanted = list_wanted(decision.current, decision.recommended, see(decision))
    assert {one.operator: one.instances for one in wanted} == {name: n for name, n in gains.items() if n > 0}


def test_no_more_instances_are_placed_than_anyone_reads():
    decision = make(200_000.0, (1, 1))
    assert decision.action == "scale_up"
    assert (
        sum(one.instances for one in list_wanted(decision.current, decision.recommended, see(decision)))
        == MOST_PLACED
    )


def test_the_advice_is_that_of_the_nodes_with_the_mean_where_nothing_was_measured_and_it_says_so():
    decision = make(20.0)
    resources = see(decision)
    found = advise_on_nodes(decision.current, decision.recommended, resources, USUAL_THRESHOLDS)
    assert found is not None
    wanted = [
        Wanted(one.operator, one.instances, resources.usages[one.operator].usage)
        for one in list_wanted(decision.current, decision.recommended, resources)
    ]
    assert {one.operator for one in wanted} == {"parse", "count"}
    loads = list_loads(NODES, resources.all_instances, decision.current.processors_total)
    plain = advise_nodes(NODES, USUAL_THRESHOLDS, wanted, loads)
    assert replace(found, new_instances={}, reason="") == replace(plain, reason="")
    assert found.new_instances["parse"].usage == Usage(0.2, 0.1)
    assert found.new_instances["count"].measured == 0
    assert found.reason == (
        f"{plain.reason} No instance of count was measured: the mean of all measured instances is used."
    )


def test_streams_are_weighed_by_operator_and_edges_by_what_flows_on_them():
    decision = make()
    found = advise_on_streams(PAIR, decision.current, see(decision), USUAL_THRESHOLDS, 3.0)
    assert found is not None
    assert [(one.operator, one.redirect) for one in found.redirect] == [("parse", False), ("count", True)]
    assert found.redirect[1].weights == pytest.approx({"c0": 0.1, "c1": 0.9})
    assert {one.kind: one.name for one in found.spots} == {
        "hot-instance": "count/c0",
        "cold-instance": "count/c1",
    }


def test_without_nodes_or_instances_there_is_no_advice():
    decision = make()
    nothing = find_resources({"parse": 2, "count": 4}, (), {})
    assert advise_on_nodes(decision.current, decision.recommended, nothing, USUAL_THRESHOLDS) is None
    assert advise_on_streams(PAIR, decision.current, nothing, USUAL_THRESHOLDS, 0.0) is None
