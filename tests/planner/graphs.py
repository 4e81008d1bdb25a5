"""Graphs for the tests of the topology room: small ones by letters, random ones, rings and webs of any size."""

import random
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology


def draw_graph(names: Iterable[str], *edges: tuple[str, str, float], entries: str = "") -> Topology:
    """A topology of one-letter operators."""
    return Topology(
        tuple(Operator(name) for name in names),
        tuple(Edge(*edge) for edge in edges),
        tuple(Entry(name) for name in entries),
    )


@st.composite
def random_graphs(draw: st.DrawFn, sizes: st.SearchStrategy[int]) -> Topology:
    """Each operator passes on at most 0.95 tuples, then streams are rescaled: any selectivity, no gain."""
    size, seed = draw(sizes), draw(st.integers(0, 2**32))
    rng = random.Random(seed)
    scale = [10.0 ** rng.uniform(-1, 1) for _ in range(size)]
    edges = []
    for i in range(size):
        targets = rng.sample(range(size), rng.randint(0, min(4, size)))
        kept = rng.uniform(0.1, 0.95)
        edges += [Edge(str(i), str(j), kept / len(targets) * scale[j] / scale[i]) for j in targets]
    entries = [Entry(str(i), rng.uniform(0.1, 2.0)) for i in rng.sample(range(size), rng.randint(1, size))]
    return Topology(tuple(Operator(str(i)) for i in range(size)), tuple(edges), tuple(entries))


def make_ring(size: int, gain: float) -> Topology:
    """One long cycle in an order that the names hide; a tuple becomes two, then one again, and so on."""
    order = list(range(size))
    random.Random(7).shuffle(order)
    edges = [Edge(str(i), str(j), 0.5 if n % 2 else 2.0) for n, (i, j) in enumerate(pairwise(order))]
    edges.append(Edge(str(order[-1]), str(order[0]), gain if size % 2 else gain / 2.0))
    return Topology(tuple(Operator(str(i)) for i in range(size)), tuple(edges), (Entry(str(order[0])),))


def make_web(size: int, gain: float) -> Topology:
    """Operators that feed three others at random, each receiving `gain` per tuple of the others."""
    rng = np.random.default_rng(3)
    targets = np.array([rng.permutation(size) for _ in range(3)])
    weights: dict[tuple[int, int], float] = {}
    for row in targets:
        for i, j in enumerate(row.tolist()):
            weights[i, j] = weights.get((i, j), 0.0) + gain / 3
    edges = tuple(Edge(str(i), str(j), weight) for (i, j), weight in weights.items())
    return Topology(tuple(Operator(str(i)) for i in range(size)), edges, (Entry("0"),))


CHAIN = draw_graph("abc", ("a", "b", 2.0), ("b", "c", 3.0), entries="a")


def load_chain(external_rate: float = 10.0, **measured: OperatorLoad) -> Load:
    return Load(external_rate, {name: OperatorLoad(1.0) for name in "abc"} | measured)
