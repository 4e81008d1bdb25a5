"""Spreads of estimates: exact quantiles, the laws, the limits, and what is said of them."""

from dataclasses import replace
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import InvalidLoad
from planner.quantiles.spread import (
    MOST_VISITS,
    add_spread,
    check_resolved,
    describe_unresolved,
    has_forks,
)
from planner.situations.known_errors import KNOWN_ERRORS
from planner.situations.situation import estimate
from planner.topology.network import index_topology
from planner.values import Edge, Estimate, IdcPoint, Load, Operator, OperatorLoad, Topology
from tests.planner.graphs import draw_graph
from tests.planner.plan_cases import PAIR, Case, load_pair
from tests.planner.plan_cases import cases as plan_cases

LEVELS = (0.5, 0.95, 0.99)
CHAIN = draw_graph("ab", ("a", "b", 1.0), entries="a")


def spread(
    topology: Topology, load: Load, counts: dict[str, int], roots: int = 20_000, seed: int = 1
) -> Estimate:
    return add_spread(topology, load, estimate(topology, load, counts), LEVELS, roots, seed)


def read(answer: Estimate, name: str) -> list[float]:
    found = getattr(answer, name)
    assert [one.quantile for one in found.quantiles] == list(LEVELS)
    return [one.seconds for one in found.quantiles]


def test_one_server_with_random_arrivals_and_services_is_exponential():
    topology = Topology((Operator("a"),))
    answer = spread(topology, Load(8.0, {"a": OperatorLoad(10.0)}), {"a": 1}, roots=100_000)
    assert read(answer, "total") == pytest.approx([-log(1.0 - level) / 2.0 for level in LEVELS], rel=0.02)
    assert answer.total == answer.completion
    assert answer.total is not None
    assert answer.total.mean_seconds == pytest.approx(0.5, rel=0.01)
    assert (answer.total.roots, answer.total.seed, answer.total.method) == (100_000, 1, "monte-carlo")


def test_the_mean_total_is_the_expected_sojourn_time():
    load = Load(10.0, {"a": OperatorLoad(7.0, service_scv=2.0), "b": OperatorLoad(4.0, arrival_scv=3.0)})
    topology = replace(CHAIN, edges=(Edge("a", "b", 1.7),))
    answer = spread(topology, load, {"a": 2, "b": 6}, roots=100_000)
    assert answer.total is not None
    assert answer.completion is not None
    assert answer.total.mean_seconds == pytest.approx(answer.expected_sojourn_seconds, rel=0.02)
    assert answer.completion.mean_seconds < answer.total.mean_seconds
    assert not [said for said in answer.diagnostics if said.code == "drawn-total-differs"]


@settings(max_examples=15)
@given(plan_cases(), st.integers(0, 100))
def test_quantiles_rise_with_level_and_load_and_fall_with_processors(case: Case, seed: int):
    names = [operator.name for operator in case.topology.operators]
    counts = {name: floor + 1 for name, floor in zip(names, case.floors, strict=True)}
    more = {name: count + 1 for name, count in counts.items()}
    now = add_spread(
        case.topology, case.load, estimate(case.topology, case.load, counts, "mmk"), LEVELS, 300, seed
    )
    light = replace(case.load, external_rate=0.7 * case.load.external_rate)
    lighter = add_spread(
        case.topology, light, estimate(case.topology, light, counts, "mmk"), LEVELS, 300, seed
    )
    faster = add_spread(
        case.topology, case.load, estimate(case.topology, case.load, more, "mmk"), LEVELS, 300, seed
    )
    for name in ("total", "completion"):
        found = read(now, name)
        assert found == sorted(found)
        for other in (lighter, faster):
            assert all(a <= b * (1.0 + 1e-12) for a, b in zip(read(other, name), found, strict=True))


def test_an_overloaded_topology_has_no_spread():
    answer = spread(PAIR, load_pair(), {"a": 1, "b/c~d": 1})
    assert not answer.stable
    assert answer.total is answer.completion is None


def test_without_input_nothing_waits():
    answer = spread(
        CHAIN,
        Load(0.0, {"a": OperatorLoad(4.0, service_scv=0.0), "b": OperatorLoad(2.0, service_scv=0.0)}),
        {"a": 1, "b": 1},
    )
    assert read(answer, "total") == [0.75, 0.75, 0.75]


CALM = (IdcPoint(0.1, 1.0), IdcPoint(1.0, 1.0))
WILD = (IdcPoint(0.1, 1.0), IdcPoint(1.0, 30.0), IdcPoint(10.0, 300.0))


def know(queueing: str, arrivals: str) -> tuple[float, float]:
    """The known errors of p99 of total and of completion."""
    row = KNOWN_ERRORS[queueing, arrivals]
    return row["total, p99"], row["completion, p99"]


@pytest.mark.parametrize(
    ("queueings", "idc", "forks", "errors"),
    [
        (("shared", "shared"), CALM, True, know("shared", "calm")),
        (("shared", "round-robin"), CALM, True, know("round-robin", "calm")),
        (("shared", "shared"), CALM, False, (know("shared", "calm")[0],) * 2),
        (("shared", "shared"), WILD, True, know("shared", "bursty")),
        (("shared", "random"), WILD, True, know("random", "bursty")),
        (("shared", "shared"), (), True, (None, None)),
    ],
)
def test_the_known_error_is_that_of_the_kind_of_input(
    queueings: tuple[str | None, ...],
    idc: tuple[IdcPoint, ...],
    *,
    forks: bool,
    errors: tuple[float | None, float | None],
):
    operators = tuple(Operator(name, queueing=one) for name, one in zip("ab", queueings, strict=True))
    topology = Topology(operators, (Edge("a", "b", 2.0 if forks else 1.0),))
    load = Load(10.0, dict.fromkeys("ab", OperatorLoad(30.0, arrival_idc=idc)))
    answer = spread(topology, load, {"a": 2, "b": 2})
    assert answer.total is not None
    assert answer.completion is not None
    assert (answer.total.known_error, answer.completion.known_error) == errors


@pytest.mark.parametrize(
    ("topology", "forks"),
    [
        (CHAIN, False),
        (draw_graph("ab", ("a", "b", 1.5), entries="a"), True),
        (draw_graph("abc", ("a", "b", 0.5), ("a", "c", 0.5), entries="a"), True),
        (draw_graph("ab", ("a", "b", 0.5), entries="ab"), True),
        (draw_graph("ab", ("a", "b", 0.5), ("a", "a", 0.1), entries="a"), True),
        (draw_graph("a", ("a", "a", 0.9), entries="a"), False),
    ],
)
def test_forks_are_where_a_tuple_can_become_two_at_once(topology: Topology, *, forks: bool):
    assert has_forks(index_topology(topology)) is forks


def test_many_visits_are_drawn_for_fewer_roots_and_the_answer_says_so():
    topology = replace(CHAIN, edges=(Edge("a", "b", 999.0),))
    load = Load(1.0, {"a": OperatorLoad(10.0), "b": OperatorLoad(2000.0)})
    answer = spread(topology, load, {"a": 1, "b": 1})
    assert answer.completion is not None
    assert answer.completion.roots == MOST_VISITS // 1000
    (said,) = [one for one in answer.diagnostics if one.code == "fewer-roots"]
    assert "2,000 external tuples, not of 20,000" in said.detail


def test_too_many_visits_are_not_drawn_and_the_answer_says_so():
    topology = replace(CHAIN, edges=(Edge("a", "b", 1e7),))
    load = Load(1e-3, dict.fromkeys("ab", OperatorLoad(1e9)))
    answer = spread(topology, load, {"a": 1, "b": 1})
    assert answer.completion is None
    assert "quantiles-not-drawn" in [said.code for said in answer.diagnostics]


def test_rare_external_tuples_that_make_most_of_the_work_are_told():
    topology = draw_graph("abc", ("a", "b", 1e-7), ("b", "c", 1e9), entries="a")
    answer = spread(topology, Load(1e-3, dict.fromkeys("abc", OperatorLoad(1e9))), dict.fromkeys("abc", 1))
    assert "drawn-total-differs" in [said.code for said in answer.diagnostics]


def test_measured_arrivals_that_contradict_the_selectivities_are_told():
    load = Load(1.0, {"a": OperatorLoad(10.0), "b": OperatorLoad(10.0, arrival_rate=3.0)})
    answer = spread(CHAIN, load, {"a": 1, "b": 1})
    (said,) = [one for one in answer.diagnostics if one.code == "drawn-total-differs"]
    assert "follow the selectivities" in said.detail


def test_the_same_seed_gives_the_same_answer_and_another_one_nearly():
    load = Load(8.0, {"a": OperatorLoad(10.0), "b": OperatorLoad(10.0)})
    one, same, other = (spread(CHAIN, load, {"a": 1, "b": 1}, seed=seed) for seed in (5, 5, 6))
    assert one == same
    assert read(one, "total") != read(other, "total")
    assert read(one, "total") == pytest.approx(read(other, "total"), rel=0.05)


def test_levels_that_the_draw_does_not_resolve_are_told_with_what_would():
    (said,) = describe_unresolved((0.5, 0.99, 0.9995, 0.99999), 10_000)
    assert said.code == "quantile-not-resolved"
    assert (
        "Fewer than 10 of 10,000 drawn external tuples take longer than the quantile at 0.9995, 0.99999"
        in said.detail
    )
    assert "At 0.99999 it is the longest time drawn" in said.detail
    assert "a level of at most 0.999, or for at least 1,000,000 roots" in said.detail
    assert describe_unresolved((0.5, 0.999), 10_000) == ()
    assert "longest" not in describe_unresolved((0.9995,), 10_000)[0].detail
    load = Load(8.0, dict.fromkeys("ab", OperatorLoad(10.0)))
    answer = add_spread(CHAIN, load, estimate(CHAIN, load, {"a": 2, "b": 2}), (0.9995,), 10_000)
    assert "quantile-not-resolved" in [one.code for one in answer.diagnostics]


def test_a_target_of_the_longest_time_drawn_is_refused():
    check_resolved(None, 1000)
    check_resolved(0.999, 1000)
    with pytest.raises(InvalidLoad, match="1,000 drawn external tuples is the longest") as refused:
        check_resolved(0.9991, 1000)
    assert "at least 11,112 roots" in str(refused.value)
