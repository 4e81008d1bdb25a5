"""Places the nodes of a directed graph: a layer, an order within the layer, and a height for each.

Every edge, except those that close a loop, leads to a later layer (Sugiyama, Tagawa, Toda, 1981: Methods for visual
understanding of hierarchical system structures). In each layer the items are ordered so that few edges cross. Equal
graphs get equal layouts.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import NamedTuple

Edge = tuple[int, int]

MOST_BENDS = 1500
"""The largest number of bends of edges over several layers; beyond it the longest edges run straight."""


class Layered(NamedTuple):
    """The items of a graph in layers: its nodes, then the bends of edges, one for each layer that an edge passes.

    `routes` has the items of each edge from left to right; `is_back` marks edges that lead from right to left. `links`
    are the pairs of items that are joined, each in neighbouring layers.
    """

    nodes: int
    ranks: list[int]
    routes: list[list[int]]
    is_back: list[bool]
    links: list[Edge]


def find_layers(count: int, edges: Sequence[Edge], first: Sequence[int] = ()) -> Layered:
    """Assigns a layer to each node; loops are broken as seen from `first`. An edge to its own node is refused."""
    assert all(source != target for source, target in edges)
    back = find_back_edges(count, edges, first)
    is_back = [edge in back for edge in edges]
    forward = [(t, s) if turned else (s, t) for (s, t), turned in zip(edges, is_back, strict=True)]
    ranks = find_ranks(count, forward)
    routes: list[list[int]] = [[] for _ in edges]
    left = MOST_BENDS
    links: list[Edge] = []
    for index in sorted(range(len(edges)), key=lambda one: ranks[forward[one][1]] - ranks[forward[one][0]]):
        source, target = forward[index]
        passed = range(ranks[source] + 1, ranks[target])
        left -= len(passed)
        bends = list(range(len(ranks), len(ranks) + len(passed))) if left >= 0 else []
        if bends:
            ranks += passed
        routes[index] = [source, *bends, target]
        if bends or not passed:
            links += zip(routes[index], routes[index][1:], strict=False)
    return Layered(count, ranks, routes, is_back, links)


def find_back_edges(count: int, edges: Sequence[Edge], first: Sequence[int]) -> set[Edge]:
    """Returns the edges that close a loop in a depth-first search from `first`; all other edges have no loop."""
    after = _list_after(count, edges)
    is_open, is_done = [False] * count, [False] * count
    back: set[Edge] = set()
    for start in [*first, *range(count)]:
        if is_done[start]:
            continue
        is_open[start] = True
        path: list[tuple[int, Iterator[int]]] = [(start, iter(after[start]))]
        while path:
            node, following = path[-1]
            found = next(following, None)
            if found is None:
                path.pop()
                is_open[node], is_done[node] = False, True
            elif is_open[found]:
                back.add((node, found))
            elif not is_done[found]:
                is_open[found] = True
                path.append((found, iter(after[found])))
    return back


def find_ranks(count: int, edges: Sequence[Edge]) -> list[int]:
    """Returns each node's longest path from a source, then moves nodes with more outputs than inputs to the right."""
    after = _list_after(count, edges)
    before = _list_after(count, [(target, source) for source, target in edges])
    missing = [len(one) for one in before]
    ranks = [0] * count
    order = [node for node in range(count) if not missing[node]]
    for node in order:
        for target in after[node]:
            ranks[target] = max(ranks[target], ranks[node] + 1)
            missing[target] -= 1
            if not missing[target]:
                order.append(target)
    for node in reversed(order):
        if len(after[node]) > len(before[node]):
            ranks[node] = min(ranks[target] for target in after[node]) - 1
    return ranks


def _list_after(count: int, edges: Sequence[Edge]) -> list[list[int]]:
    after: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        after[source].append(target)
    return after


SWEEPS, SWAPS, SETTLINGS = 8, 4, 8
SHUFFLES, FEW_ITEMS = 8, 60
NODE_ROOM, BEND_ROOM = 80.0, 18.0
"""The height of an item with the space around it."""


class Layout(NamedTuple):
    """The layer and the height of each item of a graph, nodes first; and each layer's items from top to bottom."""

    layered: Layered
    layers: list[list[int]]
    heights: list[float]


def lay_out(count: int, edges: Sequence[Edge], first: Sequence[int] = ()) -> Layout:
    """Finds a layer and a height for each of `count` nodes; edges are distinct, and none joins a node to itself."""
    layered = find_layers(count, edges, first)
    before, after = _list_neighbours(layered)
    layers = order_layers(layered, before, after)
    rooms = [NODE_ROOM if item < count else BEND_ROOM for item in range(len(layered.ranks))]
    return Layout(layered, layers, settle(layers, rooms, before, after))


def _list_neighbours(layered: Layered) -> tuple[list[list[int]], list[list[int]]]:
    before: list[list[int]] = [[] for _ in layered.ranks]
    after: list[list[int]] = [[] for _ in layered.ranks]
    for source, target in layered.links:
        after[source].append(target)
        before[target].append(source)
    return before, after


def order_layers(layered: Layered, before: list[list[int]], after: list[list[int]]) -> list[list[int]]:
    """Returns the order of items with the fewest crossings found: several starts, each improved by sweeps and swaps."""
    start: list[list[int]] = [[] for _ in range(max(layered.ranks, default=-1) + 1)]
    for item, rank in enumerate(layered.ranks):
        start[rank].append(item)
    best, least = start, count_crossings(start, after)
    for order in _list_starts(start):
        for sweep in range(SWEEPS):
            if not least:
                return best
            _sweep(order, before if sweep % 2 == 0 else after, is_left=sweep % 2 == 0)
            _swap(order, before, after)
            found = count_crossings(order, after)
            if found < least:
                best, least = [list(layer) for layer in order], found
    return best


def _list_starts(start: list[list[int]]) -> Iterator[list[list[int]]]:
    """Yields orders to start from: the given one, its reverse, and for small graphs fixed shuffles of it."""
    yield [list(layer) for layer in start]
    yield [layer[::-1] for layer in start]
    shuffled = Random(0)  # noqa: S311 -- for the look of a picture
    for _ in range(SHUFFLES if sum(map(len, start)) <= FEW_ITEMS else 0):
        yield [shuffled.sample(layer, len(layer)) for layer in start]


def _sweep(layers: list[list[int]], neighbours: list[list[int]], *, is_left: bool) -> None:
    """Sorts each layer by the mean place of the neighbours in the layer that was sorted just before."""
    places = _find_places(layers)
    for layer in layers if is_left else reversed(layers):
        keys = {
            item: sum(places[one] for one in neighbours[item]) / len(neighbours[item])
            if neighbours[item]
            else float(places[item])
            for item in layer
        }
        layer.sort(key=keys.__getitem__)
        places.update({item: place for place, item in enumerate(layer)})


def _swap(layers: list[list[int]], before: list[list[int]], after: list[list[int]]) -> None:
    """Swaps adjacent items of a layer where fewer edges cross then; passes over all layers several times."""
    places = _find_places(layers)
    for _ in range(SWAPS):
        is_better = False
        for layer in layers:
            for upper in range(len(layer) - 1):
                one, other = layer[upper], layer[upper + 1]
                sides = [
                    [[places[k] for k in side[item]] for item in (one, other)] for side in (before, after)
                ]
                if sum(_count_pair(a, b) - _count_pair(b, a) for a, b in sides) > 0:
                    layer[upper], layer[upper + 1] = other, one
                    places[one], places[other] = upper + 1, upper
                    is_better = True
        if not is_better:
            return


def _count_pair(upper: list[int], lower: list[int]) -> int:
    """Counts the crossings between the edges of two adjacent items, from the places of the edges' other ends."""
    return sum(a > b for a in upper for b in lower)


def _find_places(layers: list[list[int]]) -> dict[int, int]:
    return {item: place for layer in layers for place, item in enumerate(layer)}


def count_crossings(layers: list[list[int]], after: list[list[int]]) -> int:
    """Counts the pairs of edges that cross between neighbouring layers."""
    places = _find_places(layers)
    crossings = 0
    for layer in layers:
        ends: list[int] = []
        for item in layer:
            targets = sorted(places[one] for one in after[item])
            crossings += sum(len(ends) - bisect_left(ends, one + 1) for one in targets)
            for one in targets:
                insort(ends, one)
    return crossings


def settle(
    layers: list[list[int]], rooms: list[float], before: list[list[int]], after: list[list[int]]
) -> list[float]:
    """Returns a height for each item near the mean height of its neighbours, and keeps each layer's order and room."""
    heights = [0.0] * len(rooms)
    for layer in layers:
        place_apart(layer, [0.0] * len(layer), rooms, heights)
    for turn in range(SETTLINGS):
        is_last = turn == SETTLINGS - 1
        for layer in layers if turn % 2 == 0 else reversed(layers):
            wanted = []
            for item in layer:
                sides = (before if turn % 2 == 0 else after)[item]
                near = [*before[item], *after[item]] if is_last or not sides else sides
                wanted.append(sum(heights[one] for one in near) / len(near) if near else heights[item])
            place_apart(layer, wanted, rooms, heights)
    return heights


def place_apart(
    layer: Sequence[int], wanted: Sequence[float], rooms: list[float], heights: list[float]
) -> None:
    """Sets the heights nearest to the wanted ones (least squares) that keep the order and the room of the items.

    The heights minus the sums of the rooms must not fall from item to item: isotonic regression, which pools adjacent
    items that violate this.
    """
    shifts = [0.0]
    for upper, lower in pairwise(layer):
        shifts.append(shifts[-1] + (rooms[upper] + rooms[lower]) / 2.0)
    pools: list[tuple[float, int]] = []
    for height, shift in zip(wanted, shifts, strict=False):
        mean, size = height - shift, 1
        while pools and pools[-1][0] > mean:
            other, many = pools.pop()
            mean, size = (mean * size + other * many) / (size + many), size + many
        pools.append((mean, size))
    means = [mean for mean, size in pools for _ in range(size)]
    for item, mean, shift in zip(layer, means, shifts, strict=False):
        heights[item] = mean + shift
