"""An estimate as a graph: every number is the estimate's."""

from app.load.bodies.answers import to_estimate_answer
from app.rendering.operator_graphs import DrawnOperator, find_entries, graph_estimate
from planner.situations.situation import estimate
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology

TOPOLOGY = Topology((Operator("parse"), Operator("score")), (Edge("parse", "score", 2.0),), (Entry("parse"),))
LOAD = Load(
    10.0,
    {"parse": OperatorLoad(10.0, processors=2), "score": OperatorLoad(8.0, processors=4)},
)


def test_operators_and_streams_have_the_numbers_of_the_estimate():
    graph = graph_estimate("t", ["l"], TOPOLOGY, to_estimate_answer(estimate(TOPOLOGY, LOAD)), {"score": 5})
    assert graph.operators == [
        DrawnOperator("parse", 0.5, 10.0, 2, 2),
        DrawnOperator("score", 0.625, 20.0, 4, 5),
    ]
    assert [one.rate for one in graph.streams] == [20.0]
    assert graph.entries == [0]


def test_without_entries_the_stream_enters_where_no_other_operator_feeds():
    looped = Topology((Operator("a"), Operator("b")), (Edge("a", "a", 0.1), Edge("a", "b")), ())
    assert find_entries(looped) == [0]
