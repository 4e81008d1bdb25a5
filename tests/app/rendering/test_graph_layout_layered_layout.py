"""The layout: no two items overlap, and few edges cross."""

import random
from itertools import pairwise, permutations, product
from math import factorial, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.rendering.graph_layout import (
    BEND_ROOM,
    NODE_ROOM,
    Edge,
    Layered,
    _swap,
    count_crossings,
    find_layers,
    lay_out,
    place_apart,
)
from tests.app.rendering.test_graph_layout_layers import graphs


def list_after(layered: Layered) -> list[list[int]]:
    after: list[list[int]] = [[] for _ in layered.ranks]
    for source, target in layered.links:
        after[source].append(target)
    return after


@given(graphs())
def test_every_item_has_room_in_its_layer(graph: tuple[int, list[Edge]]):
    count, edges = graph
    layout = lay_out(count, edges)
    assert sorted(item for layer in layout.layers for item in layer) == list(range(len(layout.heights)))
    for rank, layer in enumerate(layout.layers):
        assert all(layout.layered.ranks[item] == rank for item in layer)
        for upper, lower in pairwise(layer):
            rooms = [NODE_ROOM if item < count else BEND_ROOM for item in (upper, lower)]
            assert layout.heights[lower] - layout.heights[upper] >= sum(rooms) / 2.0 - 1e-6


def count_by_pairs(layers: list[list[int]], links: list[Edge]) -> int:
    """Crossings by their definition."""
    places = {item: place for layer in layers for place, item in enumerate(layer)}
    ranks = {item: rank for rank, layer in enumerate(layers) for item in layer}
    return sum(
        ranks[a] == ranks[c] and (places[a] - places[c]) * (places[b] - places[d]) < 0
        for place, (a, b) in enumerate(links)
        for c, d in links[:place]
    )


@given(graphs(12))
def test_crossings_are_counted_as_defined(graph: tuple[int, list[Edge]]):
    layout = lay_out(*graph)
    counted = count_crossings(layout.layers, list_after(layout.layered))
    assert counted == count_by_pairs(layout.layers, layout.layered.links)


def test_small_graphs_have_no_more_crossings_than_the_best_of_all_orders():
    drawn = random.Random(7)
    found = least = tried = 0
    while tried < 40:
        count = drawn.randint(3, 8)
        pairs = [(a, b) for a in range(count) for b in range(count) if a != b]
        edges = drawn.sample(pairs, min(len(pairs), drawn.randint(count - 1, 2 * count)))
        layered = find_layers(count, edges)
        start: list[list[int]] = [[] for _ in range(max(layered.ranks) + 1)]
        for item, rank in enumerate(layered.ranks):
            start[rank].append(item)
        if not 100 < prod(factorial(len(layer)) for layer in start) <= 3000:
            continue
        tried += 1
        after = list_after(layered)
        orders = product(*(permutations(layer) for layer in start))
        least += min(count_crossings([list(layer) for layer in order], after) for order in orders)
        found += count_crossings(lay_out(count, edges).layers, after)
    assert 0 < least <= found <= 1.1 * least


def test_neighbours_are_exchanged_where_that_removes_crossings():
    layered = Layered(6, [0, 0, 0, 1, 1, 1], [], [], [(0, 5), (1, 4), (2, 3)])
    before: list[list[int]] = [[], [], [], [2], [1], [0]]
    layers = [[0, 1, 2], [3, 4, 5]]
    _swap(layers, before, list_after(layered))
    assert count_crossings(layers, list_after(layered)) == 0


@given(
    st.lists(
        st.tuples(st.floats(-1e3, 1e3), st.sampled_from([NODE_ROOM, BEND_ROOM])), min_size=1, max_size=12
    )
)
def test_heights_apart_are_the_nearest_ones(items: list[tuple[float, float]]):
    wanted, rooms = [height for height, _ in items], [room for _, room in items]
    heights = [0.0] * len(items)
    place_apart(range(len(items)), wanted, rooms, heights)
    assert sum(heights) == pytest.approx(sum(wanted), abs=1e-6)
    if all(b - a >= (r + s) / 2.0 for (a, r), (b, s) in pairwise(items)):
        assert heights == pytest.approx(wanted)


def test_two_items_that_want_the_same_height_stand_around_it():
    heights = [0.0, 0.0]
    place_apart([0, 1], [10.0, 10.0], [NODE_ROOM, NODE_ROOM], heights)
    assert heights == [10.0 - NODE_ROOM / 2.0, 10.0 + NODE_ROOM / 2.0]
