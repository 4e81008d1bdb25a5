"""Traffic equations against 40 digits, and arrival rates that were measured."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from planner.topology.flow import arrival_rates, solve_visits
from planner.values import Edge, Load, Operator, OperatorLoad, Topology
from tests.planner.graphs import CHAIN, draw_graph, load_chain, random_graphs


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


def test_rates_follow_the_external_rate_where_nothing_is_measured() -> None:
    assert arrival_rates(CHAIN, load_chain()) == ([10.0, 20.0, 60.0], ())


def test_a_measured_rate_wins_for_its_own_operator_only() -> None:
    rates, diagnostics = arrival_rates(CHAIN, load_chain(b=OperatorLoad(1.0, arrival_rate=20.5)))
    assert (rates, diagnostics) == ([10.0, 20.5, 60.0], ())


def test_what_is_remembered_of_a_topology_is_not_touched_by_a_load_that_measures_rates() -> None:
    first = arrival_rates(CHAIN, load_chain())
    measured = {name: OperatorLoad(9.0, arrival_rate=3.0) for name in load_chain().operators}
    assert arrival_rates(CHAIN, Load(10.0, measured))[0] == [3.0] * len(CHAIN.operators)
    assert arrival_rates(CHAIN, load_chain()) == first


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


def test_an_external_rate_of_nothing_is_said() -> None:
    rates, (diagnostic,) = arrival_rates(CHAIN, load_chain(0.0))
    assert (rates, diagnostic.code) == ([0.0, 0.0, 0.0], "no-input")
