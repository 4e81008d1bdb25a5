"""Erlang B and the offered load beside exact rational numbers."""

from fractions import Fraction
from math import factorial, inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from planner.queueing import erlang
from planner.queueing.erlang import (
    advance_erlang_b,
    anchored_erlang_b,
    closed_erlang_b,
    deviance,
    find_least_stable,
    find_least_stable_counts,
    gammaincc,
    least_stable_processors,
    solve_halfin_whitt,
    split_offered_load,
    stirling_error,
    wait_seconds,
)
from planner.queueing.stations import NO_BOUND, Stations
from tests.planner.queue_cases import Case, read_arrays, reference_b


@pytest.mark.parametrize(
    ("load", "k", "blocked"),
    # B(k, A) from the recursion in exact fractions
    [(1.0, 1, Fraction(1, 2)), (1.0, 2, Fraction(1, 5)), (2.0, 3, Fraction(4, 19)), (5.0, 0, Fraction(1))],
)
def test_blocking_is_the_textbook_fraction(load: float, k: int, blocked: Fraction):
    assert anchored_erlang_b(k, *split_offered_load(load, 1.0)) == pytest.approx(float(blocked), rel=1e-15)


@pytest.mark.parametrize(
    ("arrival_rate", "service_rate", "least"),
    [(0.3, 0.1, 4), (3.0, 1.0, 4), (2.9999, 1.0, 3), (0.0, 5.0, 1), (1e-300, 1.0, 1), (1e9, 1.0, 10**9 + 1)],
)
def test_the_least_stable_count_is_corrected_for_rounding(
    arrival_rate: float, service_rate: float, least: int
):
    assert least_stable_processors(arrival_rate, service_rate) == least
    assert wait_seconds(arrival_rate, service_rate, least, 1.0, 1.0, "mmk") < inf
    assert least == 1 or wait_seconds(arrival_rate, service_rate, least - 1, 1.0, 1.0, "mmk") == inf


@given(st.floats(1e-200, 9.99e8), st.floats(1e-250, 1e250))
def test_the_least_stable_count_is_stable_and_one_fewer_is_not(load: float, service_rate: float):
    arrival_rate = load * service_rate
    k = least_stable_processors(arrival_rate, service_rate)
    exact = Fraction(arrival_rate) / Fraction(service_rate)
    assert exact < k
    assert wait_seconds(arrival_rate, service_rate, k, 1.0, 1.0, "mmk") < inf
    assert k == 1 or wait_seconds(arrival_rate, service_rate, k - 1, 1.0, 1.0, "mmk") == inf
    queues = read_arrays(Stations([arrival_rate], [service_rate], [1], [1], [1], [NO_BOUND]))
    assert find_least_stable_counts(queues.high, queues.low).tolist() == [k]


@given(st.floats(1e-6, 1e6), st.floats(1e-250, 1e250))
def test_the_two_parts_of_the_offered_load_sum_to_the_quotient(load: float, service_rate: float):
    arrival_rate = load * service_rate
    high, low = split_offered_load(arrival_rate, service_rate)
    exact = Fraction(arrival_rate) / Fraction(service_rate)
    assert abs(Fraction(high) + Fraction(low) - exact) <= exact / 2**100
    assert high == arrival_rate / service_rate


@pytest.mark.parametrize(("arrival_rate", "service_rate"), [(-1.0, 1.0), (1.0, 0.0), (inf, 1.0), (1.0, inf)])
def test_rates_that_are_none_are_refused(arrival_rate: float, service_rate: float):
    with pytest.raises(ValueError, match="finite and above 0"):
        split_offered_load(arrival_rate, service_rate)


@pytest.mark.parametrize("load", [3.0, 100.0, 150.5, 199.0, 5000.0, 120_000.0])
def test_the_closed_form_the_recursion_and_exact_sums_agree(load: float):
    high, low = split_offered_load(load, 1.0)
    for k in {max(128, int(load) - 40), max(128, int(load) + 1), max(130, int(load * 1.1))}:
        exact = float(reference_b(Case(load, 1.0, k), k))
        assert closed_erlang_b(k, high, low) == pytest.approx(exact, rel=1e-11)
        assert anchored_erlang_b(k, high, low) == pytest.approx(exact, rel=1e-11)
    if load < 200.0:
        assert advance_erlang_b(1.0, load, 0, 160) == pytest.approx(
            closed_erlang_b(160, high, low), rel=1e-12
        )


def test_stirlings_error_is_what_the_logarithm_of_the_factorial_lacks():
    for k in (16, 20, 50, 128, 150):
        with mp.workdps(40):
            exact = mp.log(factorial(k)) - mp.log(mp.sqrt(2 * mp.pi * k)) - k * mp.log(mpf(k) / mp.e)
        assert stirling_error(float(k)) == pytest.approx(float(exact), rel=0.0, abs=2e-16)


@given(st.floats(1.0, 1e6), st.floats(-0.5, 3.0))
def test_the_deviance_is_its_definition(load: float, relative: float):
    k = load * (1.0 + relative)
    with mp.workdps(90):
        exact = float(mpf(k) * mp.log(mpf(k) / mpf(load)) - (mpf(k) - mpf(load)))
    assert deviance(k, load, k - load) == pytest.approx(exact, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("x", [1e-3, 0.1, 0.5, 1.0, 2.0, 5.0])
def test_the_halfin_whitt_limit_is_solved(x: float):
    density, below = mp.npdf(x), mp.ncdf(x)
    waiting = float(density / (x * (density + x * below)))
    assert solve_halfin_whitt(waiting) == pytest.approx(x, rel=1e-4)
    assert log(solve_halfin_whitt(waiting)) == pytest.approx(log(x), abs=1e-4)


def test_the_least_stable_count_of_a_whole_load_is_one_more():
    for load in (1.0, 7.0, 1e6):
        assert find_least_stable(load, 0.0) == load + 1
    assert find_least_stable(0.0, 0.0) == 1


@pytest.mark.parametrize("has_scipy", [True, False])
@pytest.mark.parametrize("k", [1.0, 2.0, 15.0, 16.0, 127.0, 1_000.0, 99_999.0])
def test_the_incomplete_gamma_function_is_poissons_distribution_function(
    k: float, monkeypatch: pytest.MonkeyPatch, *, has_scipy: bool
):
    if not has_scipy:
        monkeypatch.setattr(erlang, "find_special", lambda: None)
    for load in (0.01 * k, 0.5 * k, k - k**0.5, k, k + 3.0 * k**0.5, 1.5 * k):
        with mp.workdps(40):
            mass = float(mpf(load) ** k * mp.exp(-mpf(load)) / mp.factorial(k))
            wanted = float(mp.gammainc(k + 1, load, regularized=True))
        [found] = gammaincc(np.array([k]), np.array([load]), np.array([mass]))
        assert found == pytest.approx(wanted, rel=1e-11, abs=1e-300)
        assert float(gammaincc(k, load, mass)) == found
