"""Puts the nodes of a directed graph in layers: every edge but those that close a loop leads to a later layer.

Sugiyama, Tagawa, Toda, 1981: Methods for visual understanding of hierarchical system structures.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

Edge = tuple[int, int]

MOST_BENDS = 1500
"""Bends of edges over several layers; where there would be more, the longest edges run straight."""


class Layered(NamedTuple):
    """Items in layers: nodes 0 to nodes - 1, then the bends of edges, one for each layer that an edge passes.

    `routes` has for each edge its items from left to right; `is_back` says which edges lead from right to left.
    `links` are the pairs of items that are joined, each in neighbouring layers.
    """

    nodes: int
    ranks: list[int]
    routes: list[list[int]]
    is_back: list[bool]
    links: list[Edge]


def find_layers(count: int, edges: Sequence[Edge], first: Sequence[int] = ()) -> Layered:
    """The layers of all nodes; loops are broken as seen from `first`. Edges from a node to itself are refused."""
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
    """The edges that lead back to a node whose search is not finished (depth first); the others have no cycle."""
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
    """The longest way from a source; then nodes with more edges out than in move as far right as these allow."""
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
