"""Cycles: every method agrees with elimination, and a cycle that gains is refused by name."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import NoSteadyState
from planner.topology import cycles
from planner.topology.flow import check_topology, solve_visits
from planner.values import Edge, Entry, Operator, Topology
from tests.planner.graphs import draw_graph, make_ring, make_web, random_graphs


@pytest.mark.parametrize("limits", [(0, 10**9), (0, 0)], ids=["factorised", "iterated"])
@given(topology=random_graphs(st.integers(2, 30)))
@settings(max_examples=40)
def test_the_ways_for_large_components_agree_with_elimination(
    limits: tuple[int, int], topology: Topology
) -> None:
    expected = solve_visits(topology)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cycles, "DENSE_SIZE", limits[0])
        patch.setattr(cycles, "DIRECT_SIZE", limits[1])
        assert solve_visits(topology) == pytest.approx(expected, rel=1e-12, abs=0.0)


@pytest.mark.parametrize("make", [make_ring, make_web])
@pytest.mark.parametrize("size", [3, 20, 200, 3000])
def test_a_component_of_any_size_is_refused_from_a_gain_of_one(
    make: Callable[[int, float], Topology], size: int
) -> None:
    visits = solve_visits(make(size, 0.999))
    assert min(visits) > 0.0
    assert sum(visits) == pytest.approx(1000.0 * (size + size // 2 if make is make_ring else 1), rel=1e-3)
    for gain in (1.0, 1.001, 3.0):
        with pytest.raises(NoSteadyState) as caught:
            check_topology(make(size, gain))
        assert sorted(caught.value.operators) == sorted(str(i) for i in range(size))
        expected = gain ** (1 / size) if make is make_ring else gain
        assert caught.value.gain == pytest.approx(expected, rel=2e-3)
        assert caught.value.gain >= 1.0


@pytest.mark.parametrize("make", [make_ring, make_web])
@pytest.mark.parametrize("gain", [0.9, 1.0, 1.001, 3.0])
def test_large_components_are_judged_without_factors_that_fill_up(
    make: Callable[[int, float], Topology], gain: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a hundred thousand operators the factors of a web would not fit into memory."""
    monkeypatch.setattr(cycles, "factorise", None)
    if gain < 1.0:
        assert sum(solve_visits(make(2000, gain))) == pytest.approx(
            3e4 if make is make_ring else 10.0, rel=1e-12
        )
    else:
        with pytest.raises(NoSteadyState):
            check_topology(make(2000, gain))


def test_a_large_component_keeps_the_digits_of_its_rare_operators(monkeypatch: pytest.MonkeyPatch) -> None:
    """Visits fall to 1e-67 along this cycle, where a residual that is small overall says nothing."""
    size, rng = 1500, random.Random(5)
    back = {(rng.randrange(max(0, i - 60), i), i) for i in range(1, size, 3)} | {(0, size - 1)}
    edges = [Edge(str(i), str(i + 1), 0.9) for i in range(size - 1)]
    edges += [Edge(str(source), str(target), 0.05) for target, source in sorted(back)]
    topology = Topology(tuple(Operator(str(i)) for i in range(size)), tuple(edges), (Entry("0"),))
    iterated = solve_visits(topology)
    monkeypatch.setattr(cycles, "DIRECT_SIZE", size)
    assert iterated == pytest.approx(solve_visits(topology), rel=1e-11, abs=0.0)
    assert 0.0 < iterated[-1] < 1e-60


def test_only_the_cycle_that_gains_is_named() -> None:
    topology = draw_graph(
        "abcdef",
        ("a", "b", 1.0),
        ("b", "a", 0.9),
        ("b", "c", 5.0),
        ("c", "d", 3.0),
        ("d", "c", 0.5),
        ("d", "e", 1.0),
        ("e", "f", 1.0),
        entries="a",
    )
    with pytest.raises(NoSteadyState, match=r"through c, d multiplies tuples by 1\.22 per step") as caught:
        solve_visits(topology)
    assert caught.value.operators == ("c", "d")
    assert caught.value.gain == pytest.approx(1.5**0.5)


@pytest.mark.parametrize("gain", [1.0, 1.5, 1.0 - 1e-14])
def test_a_self_loop_that_gains_is_refused(gain: float) -> None:
    with pytest.raises(NoSteadyState) as caught:
        check_topology(draw_graph("ab", ("a", "b", 1.0), ("b", "b", gain), entries="a"))
    assert (caught.value.operators, caught.value.gain) == (("b",), gain)


def test_a_gaining_cycle_is_refused_even_where_nothing_reaches_it() -> None:
    with pytest.raises(NoSteadyState):
        check_topology(draw_graph("abc", ("b", "c", 2.0), ("c", "b", 2.0), entries="a"))


def test_a_component_is_judged_apart_from_what_feeds_it() -> None:
    """On the whole matrix a determinant can look sound while two components gain: (1 − 1.5)² > 0."""
    with pytest.raises(NoSteadyState):
        check_topology(draw_graph("ab", ("a", "a", 1.5), ("b", "b", 1.5), entries="ab"))
