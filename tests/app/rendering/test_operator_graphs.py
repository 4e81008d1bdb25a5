"""Which part of a large graph is drawn, and how streams are joined."""

from app.rendering.operator_graphs import (
    MOST_OPERATORS,
    MOST_STREAMS,
    DrawnOperator,
    DrawnStream,
    find_part,
    join_streams,
)
from planner.values import Edge, Operator, Topology
from tests.app.rendering.pictures_to_draw import chain


def test_streams_have_the_rate_of_their_source_times_the_selectivity_and_parallel_ones_are_joined():
    topology = Topology(
        (Operator("a"), Operator("b")), (Edge("a", "b", 2.0), Edge("a", "b", 0.5), Edge("b", "b", 0.1))
    )
    assert join_streams(topology, {"a": 10.0, "b": 25.0}) == [
        DrawnStream(0, 1, 2.5, 25.0),
        DrawnStream(1, 1, 0.1, 2.5),
    ]
    assert join_streams(topology)[0].rate is None


def test_a_graph_that_can_be_read_stays_whole():
    graph = chain(*map(str, range(MOST_OPERATORS)))
    assert find_part(graph) == graph


def test_of_a_large_graph_the_operators_around_the_busiest_are_drawn_and_that_is_said():
    graph = chain(*map(str, range(200)))
    operators = list(graph.operators)
    operators[120] = operators[120]._replace(busy=0.9)
    part = find_part(graph._replace(operators=operators))
    assert [one.name for one in part.operators] == [str(place) for place in range(90, 150)]
    assert [(one.source, one.target) for one in part.streams] == [(place, place + 1) for place in range(59)]
    assert part.lines[-1] == "Shows 60 of 200 operators: those nearest to 120, the busiest."
    assert part.entries == []


def test_where_nothing_is_measured_the_part_begins_where_the_stream_enters():
    part = find_part(chain(*map(str, range(100)), busy=None))
    assert [one.name for one in part.operators] == [str(place) for place in range(60)]
    assert "where the stream enters" in part.lines[-1]


def test_of_many_streams_the_widest_are_drawn_and_that_is_said():
    operators = [DrawnOperator(str(place)) for place in range(20)]
    streams = [DrawnStream(a, b, 1.0, 20.0 * a + b) for a in range(20) for b in range(20)]
    part = find_part(chain("a")._replace(operators=operators, streams=streams))
    assert len(part.streams) == MOST_STREAMS
    assert min(one.rate or 0.0 for one in part.streams) == 400 - MOST_STREAMS
    assert part.lines[-1] == f"Shows the {MOST_STREAMS} widest of 400 streams."
