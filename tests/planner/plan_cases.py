"""Topologies under loads, for the tests of the plans room."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from hypothesis import assume
from hypothesis import strategies as st

from planner.quantiles.draw import Draw, draw_tuples
from planner.queueing.erlang import least_stable_processors
from planner.situations.situation import estimate
from planner.topology.flow import solve_visits
from planner.topology.network import index_topology
from planner.values import Edge, Entry, Load, Model, Operator, OperatorLoad, Topology

MODELS: tuple[Model, ...] = ("mmk", "ggk", "ggk-whitt")


@dataclass(frozen=True)
class Case:
    topology: Topology
    load: Load
    floors: tuple[int, ...]
    spare: int

    @property
    def k_max(self) -> int:
        return sum(self.floors) + self.spare

    def allocations(self) -> list[tuple[int, ...]]:
        """Every allocation within the bounds and the budget."""
        ranges = [
            range(floor, min(floor + self.spare, operator.max_processors or 10**9) + 1)
            for floor, operator in zip(self.floors, self.topology.operators, strict=True)
        ]
        return [counts for counts in product(*ranges) if sum(counts) <= self.k_max]

    def expect(self, counts: tuple[int, ...], model: Model) -> float:
        """E[T] of one allocation."""
        names = [operator.name for operator in self.topology.operators]
        expected = estimate(self.topology, self.load, dict(zip(names, counts, strict=True)), model)
        assert expected.expected_sojourn_seconds is not None
        return expected.expected_sojourn_seconds


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """One to three operators in a chain with a loop, selectivities far from 1, some with bounds."""
    size = draw(st.integers(1, 3))
    names = [f"op{i}" for i in range(size)]
    edges = [Edge(one, two, draw(st.floats(0.1, 10.0))) for one, two in pairwise(names)]
    edges.append(Edge(names[-1], names[0], draw(st.floats(0.0, 0.5)) / multiply_selectivities(edges)))
    scv = st.sampled_from([None, 0.3, 1.0, 2.5])
    operators = {
        name: OperatorLoad(draw(st.floats(0.5, 20.0)), arrival_scv=draw(scv), service_scv=draw(scv))
        for name in names
    }
    load = Load(draw(st.floats(0.5, 20.0)), operators)
    topology = Topology(tuple(Operator(name) for name in names), tuple(edges), (Entry(names[0], 1.5),))
    floors, bounded = [], []
    for name, visits in zip(names, solve_visits(topology), strict=True):
        least = least_stable_processors(visits * load.external_rate, operators[name].service_rate or 0.0)
        assume(least < 500)
        lower = draw(st.sampled_from([1, 1, least + 1]))
        floors.append(max(least, lower))
        upper = draw(st.sampled_from([None, None, floors[-1], floors[-1] + 2]))
        bounded.append(Operator(name, min_processors=lower, max_processors=upper))
    topology = Topology(tuple(bounded), topology.edges, topology.entries)
    return Case(topology, load, tuple(floors), draw(st.integers(0, 6)))


def multiply_selectivities(edges: list[Edge]) -> float:
    """What a chain multiplies a stream by."""
    total = 1.0
    for edge in edges:
        total *= edge.selectivity
    return total


def make_chain(size: int, selectivity: float = 1.0) -> Topology:
    names = [f"op{i}" for i in range(size)]
    edges = tuple(Edge(one, two, selectivity) for one, two in pairwise(names))
    return Topology(tuple(Operator(name) for name in names), edges, (Entry("op0"),))


def load_chain(size: int, external_rate: float = 10.0, service_rate: float = 3.0) -> Load:
    return Load(external_rate, {f"op{i}": OperatorLoad(service_rate) for i in range(size)})


PAIR = Topology((Operator("a"), Operator("b/c~d")), (Edge("a", "b/c~d", 2.0),), (Entry("a"),))


def load_pair(**changes: object) -> Load:
    operators = {"a": OperatorLoad(3.0, processors=4), "b/c~d": OperatorLoad(5.0, processors=5)}
    return Load(**{"external_rate": 10.0, "operators": operators, **changes})  # type: ignore[arg-type]


def codes(answer: object) -> list[str]:
    return [diagnostic.code for diagnostic in answer.diagnostics]  # type: ignore[attr-defined]


def draw_all(topology: Topology, load: Load, roots: int, seed: int) -> Draw:
    """The draw of a topology under a load, whose network is made for it."""
    return draw_tuples(topology, index_topology(topology), load, roots, seed)


def list_neighbours(counts: Sequence[int]) -> list[tuple[int, ...]]:
    """All allocations with one processor removed, or with two taken from one operator and one given to another."""
    size = range(len(counts))
    return [
        tuple(count - 2 * (place == giver) + (place == taker) for place, count in enumerate(counts))
        for giver in size
        for taker in size
    ]
