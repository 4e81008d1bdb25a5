"""Erlang B and the offered load beside exact rational numbers."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.queueing.array_queues import find_least_stable_counts
from planner.queueing.stations import NO_BOUND, Stations
from planner.queueing.waiting import erlang_b, is_stable, least_stable_processors


@pytest.mark.parametrize(
    ("load", "k", "blocked"),
    # B(k, A) from the recursion in exact fractions
    [(1.0, 1, Fraction(1, 2)), (1.0, 2, Fraction(1, 5)), (2.0, 3, Fraction(4, 19)), (5.0, 0, Fraction(1))],
)
def test_blocking_is_the_textbook_fraction(load: float, k: int, blocked: Fraction):
    assert erlang_b(load, k) == pytest.approx(float(blocked), rel=1e-15)


@pytest.mark.parametrize(
    ("arrival_rate", "service_rate", "least"),
    [(0.3, 0.1, 4), (3.0, 1.0, 4), (2.9999, 1.0, 3), (0.0, 5.0, 1), (1e-300, 1.0, 1), (1e9, 1.0, 10**9 + 1)],
)
def test_the_least_stable_count_is_corrected_for_rounding(
    arrival_rate: float, service_rate: float, least: int
):
    assert least_stable_processors(arrival_rate, service_rate) == least
    assert is_stable(arrival_rate, service_rate, least)
    assert least == 1 or not is_stable(arrival_rate, service_rate, least - 1)


@given(st.floats(1e-200, 9.99e8), st.floats(1e-250, 1e250))
def test_the_least_stable_count_is_stable_and_one_fewer_is_not(load: float, service_rate: float):
    arrival_rate = load * service_rate
    k = least_stable_processors(arrival_rate, service_rate)
    exact = Fraction(arrival_rate) / Fraction(service_rate)
    assert exact < k
    assert is_stable(arrival_rate, service_rate, k)
    assert k == 1 or not is_stable(arrival_rate, service_rate, k - 1)
    queues = Stations([arrival_rate], [service_rate], [1], [1], [1], [NO_BOUND]).arrays
    assert find_least_stable_counts(queues.high, queues.low).tolist() == [k]
