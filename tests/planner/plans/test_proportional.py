"""Processors follow the work; the first operator's grow until it no longer pays."""

from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import InvalidLoad
from planner.plans.proportional import proportional
from planner.situations.situation import estimate
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology

NAMES = ("a", "b", "c")
CHAIN = Topology(tuple(map(Operator, NAMES)), (Edge("a", "b", 2.0), Edge("b", "c", 0.25)), (Entry("a"),))


def measure(external_rate: float, rates: tuple[float, float, float]) -> Load:
    return Load(external_rate, {name: OperatorLoad(mu) for name, mu in zip(NAMES, rates, strict=True)})


def spread(load: Load, first: int) -> dict[str, int]:
    work = {
        name: visits / (load.operators[name].service_rate or 0.0)
        for name, visits in zip(NAMES, (1.0, 2.0, 0.5), strict=True)
    }
    return {name: max(1, ceil(first * one / work["a"] - 1e-9)) for name, one in work.items()}


RATES = st.floats(2.0, 50.0)


@given(st.floats(1.0, 150.0), st.tuples(RATES, RATES, RATES), st.sampled_from([0.3, 0.05, 0.005]))
@settings(max_examples=80)
def test_it_is_the_first_m1_that_no_longer_pays(
    external_rate: float, rates: tuple[float, float, float], tolerance: float
):
    load = measure(external_rate, rates)
    first = 1
    while True:  # from 1 up, one at a time
        now = estimate(CHAIN, load, spread(load, first)).expected_sojourn_seconds
        then = estimate(CHAIN, load, spread(load, first + 1)).expected_sojourn_seconds
        if now is not None and then is not None and now - then <= tolerance * now:
            break
        first += 1
    assert proportional(CHAIN, load, tolerance).processors == spread(load, first)


def test_twice_the_work_gets_twice_the_processors():
    plan = proportional(CHAIN, measure(100.0, (10.0, 10.0, 10.0)))
    a, b, c = plan.processors.values()
    assert b == 2 * a
    assert c == ceil(a / 2)
    assert not plan.optimal


def test_work_is_per_second_not_per_tuple():
    # Equal work per tuple, but the second operator receives twice as many: the paper's eq. 9 would give them the same.
    plan = proportional(CHAIN, measure(100.0, (10.0, 10.0, 10.0)))
    assert plan.estimate.stable
    assert plan.processors["b"] > plan.processors["a"]


def test_a_stronger_node_needs_fewer():
    load = measure(100.0, (10.0, 10.0, 10.0))
    plain, strong = proportional(CHAIN, load), proportional(CHAIN, load, capacities={"b": 2.0})
    assert strong.processors["b"] == strong.processors["a"]
    assert plain.processors["b"] > strong.processors["b"]
    with pytest.raises(InvalidLoad, match="stranger"):
        proportional(CHAIN, load, capacities={"stranger": 2.0})


def test_bounds_hold_and_a_bound_that_throttles_ends_the_search():
    held = Topology(
        (Operator("a", max_processors=4), Operator("b", min_processors=30), Operator("c")),
        CHAIN.edges,
        CHAIN.entries,
    )
    plan = proportional(held, measure(100.0, (10.0, 10.0, 10.0)))
    assert plan.processors["a"] == 4
    assert plan.processors["b"] == 30
    assert plan.estimate.unstable_operators == ("a",)
    assert plan.estimate.operators[1].arrival_rate == 80.0


def test_without_input_one_each_is_enough():
    assert set(proportional(CHAIN, measure(0.0, (10.0, 10.0, 10.0))).processors.values()) == {1}
