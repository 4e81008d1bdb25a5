"""Advice on nodes: by the spread of their loads, and within their limits."""

from statistics import fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.nodes.advice import Thresholds, advise_nodes, find_skewness
from planner.nodes.packing import Wanted
from planner.nodes.usage import Node, Usage


def spread(*loads: float) -> list[Node]:
    return [Node(f"n{i}", Usage(load, load / 2.0)) for i, load in enumerate(loads)]


@given(st.lists(st.floats(0.0, 1.0), min_size=3, max_size=9))
def test_skewness_is_eq_19_and_20_as_printed(loads: list[float]):
    found, known = find_skewness(loads)
    n, mean, sigma = len(loads), fmean(loads), pstdev(loads)
    if known:
        expected = n * sum((load - mean) ** 3 for load in loads) / ((n - 1) * (n - 2) * sigma**3)
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)
    else:
        assert sigma < 1e-8


def test_rounding_does_not_make_symmetric_loads_skewed():
    for loads in ((0.8, 0.7, 0.3, 0.2), (0.9, 0.8, 0.7), (0.95, 0.85, 0.75, 0.65)):
        assert find_skewness(loads)[0] == 0.0
    assert advise_nodes(spread(0.9, 0.8, 0.7), Thresholds()).advice == "scale_out"


def new(count: int, cpu: float, memory: float, operator: str = "count") -> list[Wanted]:
    return [Wanted(operator, count, Usage(cpu, memory))]


def test_the_three_cases():
    limits = Thresholds()
    full = advise_nodes(spread(0.9, 0.9, 0.9, 0.5), limits, new(5, 0.2, 0.1))
    assert (full.advice, full.use) == ("scale_out", {})  # most are full: left-skewed
    assert (full.add, full.new_nodes) == (2, ({"count": 4}, {"count": 1}))
    idle = advise_nodes(spread(0.1, 0.1, 0.15, 0.6), limits)  # most idle: right-skewed
    assert (idle.advice, idle.release) == ("scale_in", ("n0", "n1"))
    between = advise_nodes(spread(0.5, 0.4, 0.6), limits, new(2, 0.2, 0.2))
    assert (between.advice, between.use, between.add) == (
        "in_place",
        {"n1": {"count": 1}, "n0": {"count": 1}},
        0,
    )


def test_where_rules_overlap_scale_in_comes_first():
    limits = Thresholds(scale_out_skewness=5.0, scale_out_load=0.1, scale_in_skewness=0.1, scale_in_load=0.9)
    assert advise_nodes(spread(0.2, 0.2, 0.8), limits).advice == "scale_in"


def test_equal_or_few_nodes_have_no_skewness_and_the_answer_says_so():
    for nodes in (spread(0.4), spread(0.2, 0.9), spread(0.5, 0.5, 0.5)):
        advice = advise_nodes(nodes, Thresholds())
        assert advice.skewness == 0.0
        assert "undefined" in advice.reason


def test_in_place_keeps_every_resource_below_its_limit():
    nodes = [
        Node("cpu-free", Usage(0.1, 0.85)),
        Node("even", Usage(0.6, 0.5)),
        Node("full", Usage(0.89, 0.5)),
    ]
    roomy = Thresholds(scale_out_load=0.95)
    assert advise_nodes(nodes, roomy, new(1, 0.1, 0.1)).use == {"even": {"count": 1}}
    nowhere = advise_nodes(nodes, roomy, new(3, 0.4, 0.4))
    assert (nowhere.advice, nowhere.use, nowhere.add) == ("scale_out", {}, 2)
    assert "eq. 22" in nowhere.reason
    some = advise_nodes(nodes, roomy, new(5, 0.2, 0.2))
    assert (some.use, some.new_nodes) == ({"even": {"count": 1}}, ({"count": 4},))
    # What is too much for a node may be little of another operator.
    mixed = advise_nodes(nodes, roomy, [*new(1, 0.4, 0.4), *new(1, 0.05, 0.0, "parse")])
    assert (mixed.use, mixed.new_nodes) == ({"even": {"parse": 1}}, ({"count": 1},))
