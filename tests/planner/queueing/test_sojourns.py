"""E[T] beside exact rational sums; its lower bound; floats and arrays alike."""

from dataclasses import replace
from fractions import Fraction
from math import inf, nextafter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.queueing.erlang import wait_seconds
from planner.queueing.sojourns import (
    expected_sojourn_seconds,
    find_lower_bound,
    meets_target,
    sum_services,
    sum_sojourns,
    sum_work,
)
from planner.queueing.stations import NO_BOUND, Stations

ROWS = st.lists(
    st.tuples(st.floats(1e-6, 1e6), st.floats(1e-3, 1e6), st.floats(0.0, 1e3)), min_size=1, max_size=30
)


def build(rows: list[tuple[float, float, float]], *, arrays: bool = False) -> tuple[Stations, list[float]]:
    """Operators of the given arrival rates and service rates, and their waits."""
    arrival, service, waits = (list(column) for column in zip(*rows, strict=True))
    ones = [1.0] * len(rows)
    stations = Stations(arrival, service, ones, ones, [1] * len(rows), [NO_BOUND] * len(rows))
    if arrays:
        stations = replace(stations, arrival_rate=np.array(arrival), service_rate=np.array(service))
    return stations, waits


@given(ROWS, st.floats(1e-3, 1e6))
def test_the_sum_is_that_of_fractions(rows: list[tuple[float, float, float]], external_rate: float):
    exact = sum(Fraction(rate) * (Fraction(wait) + 1 / Fraction(mu)) for rate, mu, wait in rows)
    stations, waits = build(rows)
    expected = pytest.approx(float(exact / Fraction(external_rate)), rel=2e-15, abs=0.0)
    assert sum_sojourns(stations, waits, external_rate) == expected
    assert sum_sojourns(stations, np.array(waits), external_rate) == expected
    visits = [rate / external_rate for rate, _, _ in rows]
    assert sum_work(visits, waits, [mu for _, mu, _ in rows]) == expected


@given(ROWS, st.floats(1e-3, 1e6))
def test_without_waits_the_sum_is_the_lower_bound_to_the_last_bit(
    rows: list[tuple[float, float, float]], external_rate: float
):
    for arrays in (False, True):
        stations, _ = build(rows, arrays=arrays)
        lower = find_lower_bound(stations, external_rate)
        assert lower == sum_sojourns(stations, np.zeros(len(rows)), external_rate)
        visits = [rate / external_rate for rate, _, _ in rows]
        assert lower == pytest.approx(sum_services(visits, stations.service_rate), rel=2e-15, abs=0.0)


@given(ROWS, st.floats(1e-3, 1e6))
def test_a_target_is_met_exactly_where_the_sum_is_at_or_below_it(
    rows: list[tuple[float, float, float]], external_rate: float
):
    stations, waits = build(rows)
    exact = sum_sojourns(stations, waits, external_rate)
    for given_waits in (waits, np.array(waits)):
        assert meets_target(stations, given_waits, external_rate, exact)
        assert meets_target(stations, given_waits, external_rate, 1.01 * exact)
        assert not meets_target(stations, given_waits, external_rate, nextafter(exact, 0.0))
        assert not meets_target(stations, given_waits, external_rate, 0.99 * exact)


@pytest.mark.parametrize("size", [2, 60])
def test_expected_sojourn_sums_the_waits_of_the_model_and_is_infinite_where_one_operator_is_unstable(
    size: int,
):
    stations, _ = build([(5.0, 2.0, 0.0)] * size)
    alone = wait_seconds(5.0, 2.0, 4, 1.0, 1.0, stations.model) + 0.5
    assert expected_sojourn_seconds(stations, [4] * size, 2.0) == pytest.approx(size * 2.5 * alone, rel=1e-13)
    assert expected_sojourn_seconds(stations, [4] * (size - 1) + [2], 2.0) == inf
