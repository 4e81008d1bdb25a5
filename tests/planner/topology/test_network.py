"""Networks: refused graphs with their pointers, and what is assumed without entries."""

from math import inf, nan

import pytest

from planner.errors import InvalidLoad, InvalidTopology
from planner.topology.flow import arrival_rates, check_topology, solve_visits
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology
from tests.planner.graphs import draw_graph, load_chain

A, B = Operator("a"), Operator("b")


@pytest.mark.parametrize(
    ("topology", "pointer"),
    [
        (Topology(()), "/operators"),
        (Topology((A, B, A)), "/operators/2/name"),
        (Topology((A, Operator("b", min_processors=0))), "/operators/1/min_processors"),
        (Topology((Operator("a", min_processors=3, max_processors=2),)), "/operators/0/max_processors"),
        (Topology((A, B), (Edge("a", "b"), Edge("a", "x"))), "/edges/1/target"),
        (Topology((A, B), (Edge("x", "b"),)), "/edges/0/source"),
        (Topology((A, B), (Edge("a", "b"), Edge("a", "b", 2.0))), "/edges/1"),
        (Topology((A, B), (Edge("a", "a", 0.1), Edge("a", "a", 0.1))), "/edges/1"),
        (Topology((A, B), (Edge("a", "b", -1.0),)), "/edges/0/selectivity"),
        (Topology((A, B), (Edge("a", "b", nan),)), "/edges/0/selectivity"),
        (Topology((A, B), (Edge("a", "b", inf),)), "/edges/0/selectivity"),
        (Topology((A, B), (), (Entry("x"),)), "/entries/0/operator"),
        (Topology((A, B), (), (Entry("a"), Entry("a"))), "/entries/1"),
        (Topology((A, B), (), (Entry("a", nan),)), "/entries/0/share"),
        (Topology((A, B), (), (Entry("b", -0.5),)), "/entries/0/share"),
        (Topology((A, B), (Edge("a", "b", 0.1), Edge("b", "a", 0.1))), "/entries"),
        (Topology((A, B), (Edge("a", "b", 1e100),), (Entry("a", 1e100),)), "/operators/1"),
    ],
)
def test_a_graph_that_contradicts_itself_is_refused_with_its_pointer(
    topology: Topology, pointer: str
) -> None:
    with pytest.raises(InvalidTopology) as caught:
        check_topology(topology)
    assert caught.value.pointer == pointer
    assert caught.value.detail == str(caught.value)


@pytest.mark.parametrize(
    "topology",
    [
        draw_graph("a"),
        draw_graph("a", ("a", "a", 0.5)),
        draw_graph("abc", ("a", "b", 1.0), ("b", "c", 2.0), ("c", "b", 0.1)),
    ],
)
def test_an_entry_that_can_be_no_other_is_not_called_an_assumption(topology: Topology) -> None:
    load = Load(5.0, {operator.name: OperatorLoad(1.0) for operator in topology.operators})
    rates, diagnostics = arrival_rates(topology, load)
    assert (rates[0], diagnostics) == (5.0 / (0.5 if topology.edges == (Edge("a", "a", 0.5),) else 1.0), ())


def test_one_entry_that_does_not_reach_every_operator_is_an_assumption() -> None:
    topology = draw_graph("abc", ("b", "c", 0.5), ("c", "b", 0.5))
    load = Load(5.0, {name: OperatorLoad(1.0) for name in "abc"})
    _, diagnostics = arrival_rates(topology, load)
    assert [one.code for one in diagnostics] == ["entries-assumed", "unreachable"]


def test_without_entries_the_stream_enters_where_nothing_else_does_and_that_is_said() -> None:
    topology = draw_graph("abc", ("a", "b", 1.0), ("c", "b", 1.0), ("c", "c", 0.5))
    rates, (diagnostic,) = arrival_rates(topology, load_chain(1.0))
    assert rates == [1.0, 3.0, 2.0]
    assert (diagnostic.code, diagnostic.operators) == ("entries-assumed", ("a", "c"))


def test_a_name_that_is_nearly_one_of_the_topology_is_answered_with_that_one() -> None:
    topology = draw_graph(("parse", "score"), ("parse", "scroe", 1.0))
    with pytest.raises(InvalidTopology, match="Did you mean 'score'"):
        arrival_rates(topology, load_chain(1.0))
    chained = draw_graph(("parse", "score"), ("parse", "score", 1.0))
    with pytest.raises(InvalidLoad, match="Did you mean 'parse'"):
        arrival_rates(chained, Load(1.0, {"prase": OperatorLoad(1.0)}))


def test_an_edge_that_carries_nothing_closes_no_cycle() -> None:
    topology = draw_graph("ab", ("a", "b", 2.0), ("b", "a", 0.0), ("b", "b", 0.5), entries="a")
    assert solve_visits(topology) == [1.0, 4.0]
