"""A crossing is found to the last double, in few evaluations where the function is smooth."""

from collections.abc import Callable
from math import exp, inf, nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.gates.headroom import Probe, find_crossing

SMOOTH: list[Callable[[float, float], float]] = [
    lambda x, edge: edge - x,
    lambda x, edge: edge**3 - x**3,
    lambda x, edge: exp(-x / edge) - exp(-1.0),
    lambda x, edge: (1.0 - 0.5 * x / edge) - 0.5 * x / edge if x < 2.0 * edge else -1.0,
]


def search(
    margin: Callable[[float], float], low: float, high: float, tolerance: float = 0.0
) -> tuple[float, int]:
    """The crossing, and how many evaluations it took."""
    asked: list[float] = []

    def count(rate: float) -> float:
        assert low < rate < high
        asked.append(rate)
        return margin(rate)

    ends = Probe(low, margin(low)), Probe(high, margin(high))
    return find_crossing(count, *ends, 1e-300, tolerance), len(asked)


@given(st.sampled_from(SMOOTH), st.floats(1e-6, 1e6), st.floats(1.001, 1e4))
def test_the_crossing_of_a_smooth_function_is_found_in_few_steps(
    smooth: Callable[[float, float], float], edge: float, beyond: float
):
    found, evaluations = search(lambda x: smooth(x, edge), 0.0, beyond * edge)
    assert smooth(found, edge) >= 0.0 > smooth(nextafter(found, 2.0 * found), edge)
    assert evaluations <= 40


@given(st.floats(1e-6, 1e6), st.floats(1.001, 1e4), st.floats(1e-9, 1.0), st.floats(1e-9, 1.0))
def test_a_step_is_found_in_no_more_than_twice_the_steps_of_bisection(
    edge: float, beyond: float, above: float, below: float
):
    found, evaluations = search(lambda x: above if x <= edge else -below, 0.0, beyond * edge)
    assert found == edge
    assert evaluations <= 150


@pytest.mark.parametrize("size", [1e-15, 1e-12, 1e-9])
def test_rounding_around_the_crossing_costs_little(size: float):
    def rough(x: float) -> float:
        return 1.0 - x + size * ((x * 7919.0) % 1.0 - 0.5)

    found, evaluations = search(rough, 0.0, 30.0)
    assert found == pytest.approx(1.0, abs=2.0 * size)
    assert rough(found) >= 0.0 > rough(nextafter(found, 2.0))
    assert evaluations <= 60


def test_a_tolerance_ends_the_search_below_the_crossing():
    found, evaluations = search(lambda x: 1.0 if x <= 3.0 else -1.0, 0.0, 10.0, 1e-3)
    assert 3.0 * (1.0 - 1e-3) <= found <= 3.0
    assert evaluations <= 14


@pytest.mark.parametrize("largest", [inf, 1e308])
def test_margins_beyond_all_numbers_end_too(largest: float):
    found, _ = search(lambda x: largest if x < 1.0 else 1.0 - x, 0.0, 8.0)
    assert found == 1.0
    found, _ = search(lambda x: 1.0 - x if x <= 1.0 else -largest, 0.0, 8.0)
    assert found == 1.0


def test_below_the_least_rate_nothing_is_searched():
    assert find_crossing(lambda x: -x, Probe(0.0, 0.0), Probe(1.0, -1.0), 1e-3) == 0.0
