"""Traffic equations against 40 digits, cycles that gain by name, and why graphs and loads are refused."""

import pickle
import random
from collections.abc import Callable, Iterable
from itertools import pairwise
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from planner.errors import BudgetTooSmall, InvalidLoad, InvalidTopology, NoSteadyState, TargetUnreachable
from planner.topology import cycles
from planner.topology.flow import arrival_rates, check_topology, solve_visits
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


def reference_visits(topology: Topology) -> list[mpf]:
    """(I − Gᵀ)⁻¹e by dense elimination in 40 digits."""
    size = len(topology.operators)
    system, inflow = mp.eye(size), mp.zeros(size, 1)
    for edge in topology.edges:
        system[int(edge.target), int(edge.source)] -= mpf(edge.selectivity)
    for entry in topology.entries:
        inflow[int(entry.operator)] = mpf(entry.share)
    return list(mp.lu_solve(system, inflow))


@given(topology=random_graphs(st.integers(1, 12)))
@settings(max_examples=150)
def test_visits_agree_with_forty_digits_to_1e_12(topology: Topology) -> None:
    with mp.workdps(40):
        for visits, expected in zip(solve_visits(topology), reference_visits(topology), strict=True):
            assert abs(visits - expected) <= mpf("1e-12") * abs(expected) + mpf("1e-35")


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
    with pytest.raises(NoSteadyState, match=r"through c, d multiplies tuples by 1\.22474 per step") as caught:
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


def test_an_edge_that_carries_nothing_closes_no_cycle() -> None:
    topology = draw_graph("ab", ("a", "b", 2.0), ("b", "a", 0.0), ("b", "b", 0.5), entries="a")
    assert solve_visits(topology) == [1.0, 4.0]


def test_a_component_is_judged_apart_from_what_feeds_it() -> None:
    """On the whole matrix a determinant can look sound while two components gain: (1 − 1.5)² > 0."""
    with pytest.raises(NoSteadyState):
        check_topology(draw_graph("ab", ("a", "a", 1.5), ("b", "b", 1.5), entries="ab"))


def test_a_chain_of_a_hundred_thousand_needs_no_recursion() -> None:
    size = 100_000
    topology = Topology(
        tuple(Operator(str(i)) for i in range(size)),
        (*(Edge(str(i), str(i + 1)) for i in range(size - 1)), Edge(str(size - 1), str(size - 2), 0.5)),
    )
    assert solve_visits(topology)[-1] == pytest.approx(2.0)


def test_fpd_of_the_drs_paper_detects_ninefold() -> None:
    topology = draw_graph("gdr", ("g", "d", 4.0), ("d", "d", 0.1), ("d", "r", 0.05), entries="g")
    assert solve_visits(topology) == pytest.approx([1.0, 4.0 / 0.9, 0.05 * 4.0 / 0.9], rel=1e-15)


def test_a_stream_may_be_duplicated_to_several_entries() -> None:
    assert solve_visits(draw_graph("abc", ("a", "c", 1.0), ("b", "c", 1.0), entries="ab")) == [1.0, 1.0, 2.0]


A, B = Operator("a"), Operator("b")


@pytest.mark.parametrize(
    ("topology", "pointer"),
    [
        (Topology(()), "/operators"),
        (Topology((A, B, A)), "/operators/2/name"),
        (Topology((A, Operator("b", min_processors=0))), "/operators/1/min_processors"),
        (Topology((Operator("a", min_processors=3, max_processors=2),)), "/operators/0/max_processors"),
        (Topology((A, B), (Edge("a", "b"), Edge("a", "x"))), "/edges/1/target"),
        (Topology((A, B), (Edge("x", "b"),)), "/edges/0/source"),
        (Topology((A, B), (Edge("a", "b"), Edge("a", "b", 2.0))), "/edges/1"),
        (Topology((A, B), (Edge("a", "a", 0.1), Edge("a", "a", 0.1))), "/edges/1"),
        (Topology((A, B), (Edge("a", "b", -1.0),)), "/edges/0/selectivity"),
        (Topology((A, B), (Edge("a", "b", nan),)), "/edges/0/selectivity"),
        (Topology((A, B), (Edge("a", "b", inf),)), "/edges/0/selectivity"),
        (Topology((A, B), (), (Entry("x"),)), "/entries/0/operator"),
        (Topology((A, B), (), (Entry("a"), Entry("a"))), "/entries/1"),
        (Topology((A, B), (), (Entry("a", nan),)), "/entries/0/share"),
        (Topology((A, B), (), (Entry("b", -0.5),)), "/entries/0/share"),
        (Topology((A, B), (Edge("a", "b", 0.1), Edge("b", "a", 0.1))), "/entries"),
        (Topology((A, B), (Edge("a", "b", 1e100),), (Entry("a", 1e100),)), "/operators/1"),
    ],
)
def test_a_graph_that_contradicts_itself_is_refused_with_its_pointer(
    topology: Topology, pointer: str
) -> None:
    with pytest.raises(InvalidTopology) as caught:
        check_topology(topology)
    assert caught.value.pointer == pointer
    assert caught.value.detail == str(caught.value)


CHAIN = draw_graph("abc", ("a", "b", 2.0), ("b", "c", 3.0), entries="a")


def load_chain(external_rate: float = 10.0, **measured: OperatorLoad) -> Load:
    return Load(external_rate, {name: OperatorLoad(1.0) for name in "abc"} | measured)


def test_rates_follow_the_external_rate_where_nothing_is_measured() -> None:
    assert arrival_rates(CHAIN, load_chain()) == ([10.0, 20.0, 60.0], ())


def test_a_measured_rate_wins_for_its_own_operator_only() -> None:
    rates, diagnostics = arrival_rates(CHAIN, load_chain(b=OperatorLoad(1.0, arrival_rate=20.5)))
    assert (rates, diagnostics) == ([10.0, 20.5, 60.0], ())


def test_measured_rates_that_disagree_are_said_the_worst_first() -> None:
    load = load_chain(b=OperatorLoad(1.0, arrival_rate=25.0), c=OperatorLoad(1.0, arrival_rate=0.0))
    rates, (diagnostic,) = arrival_rates(CHAIN, load)
    assert rates == [10.0, 25.0, 0.0]
    assert (diagnostic.code, diagnostic.operators) == ("arrival-rate-disagrees", ("c", "b"))
    assert "c 0/s for 60/s, b 25/s for 20/s" in diagnostic.detail


def test_operators_that_nothing_reaches_are_said() -> None:
    topology = draw_graph("abcd", ("a", "b", 1.0), ("c", "d", 1.0), ("d", "c", 0.5), entries="a")
    load = Load(5.0, {name: OperatorLoad(1.0) for name in "abcd"})
    rates, (diagnostic,) = arrival_rates(topology, load)
    assert rates == [5.0, 5.0, 0.0, 0.0]
    assert (diagnostic.code, diagnostic.operators) == ("unreachable", ("c", "d"))


def test_without_entries_the_stream_enters_where_nothing_else_does_and_that_is_said() -> None:
    topology = draw_graph("abc", ("a", "b", 1.0), ("c", "b", 1.0), ("c", "c", 0.5))
    rates, (diagnostic,) = arrival_rates(topology, load_chain(1.0))
    assert rates == [1.0, 3.0, 2.0]
    assert (diagnostic.code, diagnostic.operators) == ("entries-assumed", ("a", "c"))


def test_an_external_rate_of_nothing_is_said() -> None:
    rates, (diagnostic,) = arrival_rates(CHAIN, load_chain(0.0))
    assert (rates, diagnostic.code) == ([0.0, 0.0, 0.0], "no-input")


@pytest.mark.parametrize(
    ("load", "pointer", "said"),
    [
        (load_chain(-1.0), "/external_rate", "-1"),
        (load_chain(nan), "/external_rate", "nan"),
        (load_chain(inf), "/external_rate", "inf"),
        (load_chain(10.0, **{"x/~y": OperatorLoad(1.0)}), "/operators/x~1~0y", "x/~y"),
        (load_chain(b=OperatorLoad(), c=OperatorLoad(arrival_rate=1.0)), "/operators", "b, c"),
        (Load(1.0, {}), "/operators", "a, b, c"),
        (load_chain(b=OperatorLoad(0.0)), "/operators/b/service_rate", "'b'"),
        (load_chain(b=OperatorLoad(nan)), "/operators/b/service_rate", "nan"),
        (load_chain(b=OperatorLoad(1.0, arrival_rate=-2.0)), "/operators/b/arrival_rate", "-2"),
        (load_chain(b=OperatorLoad(1.0, arrival_scv=inf)), "/operators/b/arrival_scv", "inf"),
        (load_chain(b=OperatorLoad(1.0, service_scv=-0.1)), "/operators/b/service_scv", "-0.1"),
        (load_chain(b=OperatorLoad(1.0, processors=0)), "/operators/b/processors", "0"),
        (
            load_chain(0.0, b=OperatorLoad(1.0, arrival_rate=1.0)),
            "/operators/b/arrival_rate",
            "external_rate",
        ),
        (load_chain(1e10), "/operators/a/service_rate", "Check the units"),
        (Load(1.0, load_chain().operators, measured_sojourn_seconds=-1.0), "/measured_sojourn_seconds", "-1"),
    ],
)
def test_a_load_that_does_not_fit_is_refused_with_its_pointer(load: Load, pointer: str, said: str) -> None:
    with pytest.raises(InvalidLoad) as caught:
        arrival_rates(CHAIN, load)
    assert caught.value.pointer == pointer
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "error",
    [
        NoSteadyState(operators=("a",), gain=1.5),
        InvalidTopology("wrong", pointer="/edges"),
        BudgetTooSmall(k_max=1, needed=2, per_operator={"a": 2}),
        TargetUnreachable(0.1, lower_bound_seconds=0.2),
    ],
)
def test_errors_cross_process_boundaries_whole(error: Exception) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))
    assert len({error, copy}) == 2  # two events, hashable


@pytest.mark.parametrize(
    "topology",
    [
        draw_graph("a"),
        draw_graph("a", ("a", "a", 0.5)),
        draw_graph("abc", ("a", "b", 1.0), ("b", "c", 2.0), ("c", "b", 0.1)),
    ],
)
def test_an_entry_that_can_be_no_other_is_not_called_an_assumption(topology: Topology) -> None:
    load = Load(5.0, {operator.name: OperatorLoad(1.0) for operator in topology.operators})
    rates, diagnostics = arrival_rates(topology, load)
    assert (rates[0], diagnostics) == (5.0 / (0.5 if topology.edges == (Edge("a", "a", 0.5),) else 1.0), ())


def test_one_entry_that_does_not_reach_every_operator_is_an_assumption() -> None:
    topology = draw_graph("abc", ("b", "c", 0.5), ("c", "b", 0.5))
    load = Load(5.0, {name: OperatorLoad(1.0) for name in "abc"})
    _, diagnostics = arrival_rates(topology, load)
    assert [one.code for one in diagnostics] == ["entries-assumed", "unreachable"]


def test_a_name_that_is_nearly_one_of_the_topology_is_answered_with_that_one() -> None:
    topology = draw_graph(("parse", "score"), ("parse", "scroe", 1.0))
    with pytest.raises(InvalidTopology, match="Did you mean 'score'"):
        arrival_rates(topology, load_chain(1.0))
    chained = draw_graph(("parse", "score"), ("parse", "score", 1.0))
    with pytest.raises(InvalidLoad, match="Did you mean 'parse'"):
        arrival_rates(chained, Load(1.0, {"prase": OperatorLoad(1.0)}))
