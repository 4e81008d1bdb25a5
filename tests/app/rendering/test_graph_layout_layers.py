"""Layers: every edge leads to a later one, but those that close a loop, and each passes every layer between."""

from graphlib import TopologicalSorter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.rendering import graph_layout
from app.rendering.graph_layout import Edge, find_back_edges, find_layers


@st.composite
def graphs(draw: st.DrawFn, most: int = 60) -> tuple[int, list[Edge]]:
    """1 to 60 nodes with random edges, loops and edges that close them among them."""
    count = draw(st.integers(1, most))
    places = st.integers(0, count - 1)
    edges = draw(st.lists(st.tuples(places, places), max_size=120, unique=True))
    return count, [edge for edge in edges if edge[0] != edge[1]]


@given(graphs())
def test_the_edges_that_do_not_lead_back_have_no_loop(graph: tuple[int, list[Edge]]):
    count, edges = graph
    back = find_back_edges(count, edges, ())
    ahead: dict[int, set[int]] = {node: set() for node in range(count)}
    for source, target in edges:
        if (source, target) not in back:
            ahead[target].add(source)
    assert sorted(TopologicalSorter(ahead).static_order()) == list(range(count))


@given(graphs())
def test_every_route_goes_from_left_to_right_through_every_layer(graph: tuple[int, list[Edge]]):
    count, edges = graph
    found = find_layers(count, edges)
    used: list[int] = []
    for edge, route, is_back in zip(edges, found.routes, found.is_back, strict=True):
        assert (route[0], route[-1]) == (edge[::-1] if is_back else edge)
        ranks = [found.ranks[item] for item in route]
        assert all(after == before + 1 for before, after in pairwise(ranks))
        assert all(item >= count for item in route[1:-1])
        used += route[1:-1]
    assert sorted(used) == list(range(count, len(found.ranks)))
    assert sorted(found.links) == sorted(link for route in found.routes for link in pairwise(route))


def test_loops_are_broken_as_seen_from_where_the_stream_enters():
    loop = [(0, 1), (1, 2), (2, 0)]
    assert find_layers(3, loop, [0]).is_back == [False, False, True]
    assert find_layers(3, loop, [1]).is_back == [True, False, False]


def test_a_source_stands_beside_what_it_feeds():
    found = find_layers(4, [(0, 1), (1, 2), (3, 2)])
    assert found.ranks == [0, 1, 2, 1]


def test_the_longest_edges_run_straight_where_there_would_be_too_many_bends(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(graph_layout, "MOST_BENDS", 1)
    found = find_layers(4, [(0, 1), (1, 2), (2, 3), (0, 2), (0, 3)])
    assert found.routes == [[0, 1], [1, 2], [2, 3], [0, 4, 2], [0, 3]]
    assert (0, 3) not in found.links


def test_an_edge_from_a_node_to_itself_is_refused():
    with pytest.raises(AssertionError):
        find_layers(1, [(0, 0)])
