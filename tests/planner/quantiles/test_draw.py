"""What is drawn: the numbers of derived tuples, the order of blocks, and the limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.quantiles import draw as drawing
from planner.quantiles.draw import OUTSIDE, Draw, TooManyTuples
from planner.topology.flow import solve_visits
from planner.values import Load, OperatorLoad, Topology
from tests.planner.graphs import draw_graph, make_ring, random_graphs
from tests.planner.plan_cases import draw_all


def load_all(topology: Topology) -> Load:
    return Load(1.0, {operator.name: OperatorLoad(1.0) for operator in topology.operators})


def count_visits(draw: Draw, operators: int) -> np.ndarray:
    visits = np.zeros(operators)
    for block in draw.blocks:
        visits[block.operator] += len(block.services)
    return visits / draw.roots


@pytest.mark.parametrize(
    "topology",
    [
        draw_graph("abc", ("a", "b", 2.5), ("b", "c", 0.3), ("a", "c", 1.0), entries="a"),
        draw_graph("abc", ("a", "b", 0.7), ("b", "c", 1.2), ("c", "a", 0.6), ("b", "b", 0.1), entries="ab"),
        make_ring(7, 0.5),
    ],
)
def test_visits_are_those_of_the_traffic_equations(topology: Topology):
    draw = draw_all(topology, load_all(topology), 50_000, 1)
    assert count_visits(draw, len(topology.operators)) == pytest.approx(solve_visits(topology), rel=0.03)
    assert not draw.is_cut


@settings(max_examples=40)
@given(random_graphs(st.integers(1, 8)), st.integers(0, 2**32))
def test_every_tuple_has_a_parent_of_its_own_root_in_an_earlier_block(topology: Topology, seed: int):
    draw = draw_all(topology, load_all(topology), 100, seed)
    every: list[np.ndarray] = []
    has_child: list[np.ndarray] = []
    for position, block in enumerate(draw.blocks):
        roots = np.arange(draw.roots) if block.roots is None else block.roots
        assert (
            len(roots) == len(block.services) == len(block.delays) == sum(one.size for one in block.parents)
        )
        begin = 0
        for parents in block.parents:
            end = begin + parents.size
            places = np.arange(parents.size) if parents.places is None else parents.places
            if parents.block == OUTSIDE:
                assert np.array_equal(roots[begin:end], places)
            else:
                assert parents.block < position
                assert np.array_equal(roots[begin:end], every[parents.block][places])
                has_child[parents.block][places] = True
            begin = end
        every.append(roots)
        has_child.append(np.zeros(len(roots), np.bool_))
    for block, with_child in zip(draw.blocks, has_child, strict=True):
        assert block.is_last or np.all(with_child)


def test_the_same_seed_draws_the_same():
    topology = draw_graph("ab", ("a", "b", 1.5), entries="a")
    one, same, other = (draw_all(topology, load_all(topology), 1000, seed) for seed in (3, 3, 4))
    assert all(
        np.array_equal(a.delays, b.delays) and np.array_equal(a.services, b.services)
        for a, b in zip(one.blocks, same.blocks, strict=True)
    )
    assert not np.array_equal(one.blocks[0].delays, other.blocks[0].delays)


def test_a_selectivity_that_would_fill_the_memory_is_refused_before():
    topology = draw_graph("ab", ("a", "b", 1e12), entries="a")
    with pytest.raises(TooManyTuples):
        draw_all(topology, load_all(topology), 1000, 1)


def test_a_cycle_that_hardly_ends_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(drawing, "MOST_ROUNDS", 10)
    topology = draw_graph("ab", ("a", "b", 1.0), ("b", "a", 0.99), entries="a")
    assert draw_all(topology, load_all(topology), 1000, 1).is_cut


def test_an_operator_that_no_tuple_reaches_has_no_block():
    topology = draw_graph("ab", ("b", "a", 1.0), entries="a")
    assert [block.operator for block in draw_all(topology, load_all(topology), 10, 1).blocks] == [0]
