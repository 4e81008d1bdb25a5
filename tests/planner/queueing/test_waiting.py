"""Erlang and GI/G/k beside an exact reference: rational sums and 40 digits of mpmath."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import InvalidLoad
from planner.queueing.array_queues import find_least_stable_counts, look_at
from planner.queueing.gain_curve import Curve
from planner.queueing.stations import NO_BOUND, Stations
from planner.queueing.waiting import (
    erlang_b,
    is_stable,
    least_stable_processors,
    mmk_wait_seconds,
    variability,
    wait_seconds,
    waiting_probability,
)
from planner.queueing.waiting_models import weigh_operator
from planner.values import Model

MODELS: tuple[Model, ...] = ("mmk", "ggk", "ggk-whitt")
SCVS = ((1.0, 1.0), (0.0, 0.5), (0.5, 0.0), (0.3, 0.4), (0.3, 2.0), (2.0, 0.1), (3.0, 2.0), (0.7, 0.7))
mpmath.mp.dps = 40


@dataclass(frozen=True)
class Case:
    """λ, μ and k of one operator."""

    arrival_rate: float
    service_rate: float
    processors: int


def build_case(utilisation: float, processors: int, service_rate: float = 0.37) -> Case:
    return Case(utilisation * processors * service_rate, service_rate, processors)


# every order of magnitude of k; barely stable, at square-root slack, in the far tail, nearly idle
CASES = [
    build_case(utilisation, k)
    for k, utilisations in {
        1: (1 - 1e-9, 0.5, 1e-6),
        2: (1 - 1e-9, 0.8, 0.01),
        13: (1 - 1e-9, 0.8, 0.1),
        34: (0.999999, 0.8, 0.05),
        127: (1 - 1e-9, 0.9, 0.3),
        128: (1 - 1e-9, 0.9, 0.3),
        1_000: (1 - 1e-9, 0.97, 0.5),
        30_000: (1 - 1e-9, 0.99, 0.9),
        99_999: (1 - 1e-9, 0.995, 0.97),
        100_001: (1 - 1e-9, 0.995, 0.97),
        2_162_265: (1 - 1e-9, 2155648.0417733835 / 2162265),
        10**9: (1 - 1e-9, 1 - 3e-5, 1 - 2e-4),
    }.items()
    for utilisation in utilisations
]


@cache
def reference_b(case: Case, k: int) -> mpmath.mpf:
    """1/B = Σ_j k!/((k−j)!·A^j) in integers scaled by 2^220, A an exact fraction."""
    load = Fraction(case.arrival_rate) / Fraction(case.service_rate)
    up, down = load.denominator, load.numerator
    term = 1 << 220
    total = j = 0
    while j <= k and (term << 130) > total:
        total += term
        term = term * (k - j) * up // down
        j += 1
    return mpmath.mpf(1 << 220) / total


def reference_wait(case: Case, k: int, a: float, s: float, model: Model) -> mpmath.mpf:
    """v·C/(kμ − λ), as the formulas are printed."""
    arrival, mu = mpmath.mpf(case.arrival_rate), mpmath.mpf(case.service_rate)
    b, rho = reference_b(case, k), arrival / (k * mu)
    wait = b / (1 - rho * (1 - b)) / (k * mu - arrival)
    return wait * reference_v(mpmath.mpf(a), mpmath.mpf(s), rho, k, model)


def reference_v(a: mpmath.mpf, s: mpmath.mpf, rho: mpmath.mpf, k: int, model: Model) -> mpmath.mpf:
    """Whitt (1993), in the words of the paper."""
    if model != "ggk-whitt":
        return mpmath.mpf(1) if model == "mmk" else (a + s) / 2
    gamma = min(mpmath.mpf("0.24"), (1 - rho) * (k - 1) * (mpmath.sqrt(4 + 5 * k) - 2) / (16 * k * rho))
    phi1, phi3 = 1 + gamma, (1 - 4 * gamma) * mpmath.exp(-2 * (1 - rho) / (3 * rho))
    psi = 1 if (a + s) / 2 >= 1 else min(1, (phi1 + phi3) / 2) ** (2 - a - s)
    if a >= s:
        phi = 4 * (a - s) / (4 * a - 3 * s) * phi1 + s / (4 * a - 3 * s) * psi
    else:
        phi = (s - a) / (2 * a + 2 * s) * phi3 + (s + 3 * a) / (2 * a + 2 * s) * psi
    return phi * (a + s) / 2


def relative_error(value: float, reference: mpmath.mpf) -> float:
    return float(abs(mpmath.mpf(value) / reference - 1))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_wait_agrees_with_forty_digits(case: Case):
    k = case.processors
    for model in MODELS:
        for a, s in SCVS:
            reference = reference_wait(case, k, a, s, model)
            wait = wait_seconds(case.arrival_rate, case.service_rate, k, a, s, model)
            assert relative_error(wait, reference) < 1e-11, (model, a, s)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_gain_agrees_with_forty_digits_on_floats_and_on_arrays(case: Case):
    k = case.processors
    for model in MODELS:
        for a, s in SCVS:
            here, there = (reference_wait(case, n, a, s, model) for n in (k, k + 1))
            reference = mpmath.mpf(case.arrival_rate) * (here - there)
            curve = Curve(case.arrival_rate, case.service_rate, weigh_operator(model, a, s), 1)
            assert relative_error(curve[k], reference) < 1e-11, (model, a, s)
            queues = build_station(case, a, s, model).arrays
            look = look_at(queues, np.array([k]), np.array([1]))
            assert float(abs(mpmath.mpf(float(look.log_next[0])) - mpmath.log(reference))) < 1e-11
            wait = float(look.wait_in_services[0]) / case.service_rate
            assert relative_error(wait, here) < 1e-11, (model, a, s)


def build_station(case: Case, a: float, s: float, model: Model) -> Stations:
    return Stations([case.arrival_rate], [case.service_rate], [a], [s], [1], [NO_BOUND], model)


@pytest.mark.parametrize("case", [case for case in CASES if case.processors > 1], ids=str)
def test_the_gain_before_is_the_gain_at_one_processor_fewer(case: Case):
    queues = build_station(case, 0.3, 2.0, "ggk-whitt").arrays
    floor = find_least_stable_counts(queues.high, queues.low)
    counts = floor + max(case.processors - int(floor[0]), 1)
    before = look_at(queues, counts - 1, floor).log_next[0]
    look = look_at(queues, counts, floor)
    assert look.log_last[0] == pytest.approx(before, rel=1e-12, abs=1e-11)
    assert look.slope[0] == pytest.approx(look.log_next[0] - before, rel=1e-6)


def test_the_wait_stays_right_where_factorials_overflow():
    # an Erlang formula on int factorials answers 0.244 at k = 13 and NaN at k = 34
    for k, right in ((13, 0.135), (20, 0.064), (34, 0.022)):
        assert mmk_wait_seconds(0.8 * k, 1.0, k) == pytest.approx(right, abs=5e-4)


@pytest.mark.parametrize(
    ("load", "k", "blocked"),
    # B(k, A) from the recursion in exact fractions
    [(1.0, 1, Fraction(1, 2)), (1.0, 2, Fraction(1, 5)), (2.0, 3, Fraction(4, 19)), (5.0, 0, Fraction(1))],
)
def test_blocking_is_the_textbook_fraction(load: float, k: int, blocked: Fraction):
    assert erlang_b(load, k) == pytest.approx(float(blocked), rel=1e-15)


def test_one_processor_waits_as_long_as_a_single_server_queue():
    assert waiting_probability(0.7, 1.0, 1) == pytest.approx(0.7, rel=1e-15)
    assert mmk_wait_seconds(0.7, 1.0, 1) == pytest.approx(0.7 / 0.3, rel=1e-14)


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


def test_an_unstable_operator_waits_for_ever_and_an_idle_one_not_at_all():
    assert wait_seconds(3.0, 1.0, 3, 1.0, 1.0, "ggk-whitt") == math.inf
    assert wait_seconds(0.0, 1.0, 1, 1.0, 1.0, "ggk-whitt") == 0.0
    assert waiting_probability(3.0, 1.0, 3) == 1.0
    assert wait_seconds(3.0, 1.0, 4, 0.0, 0.0, "ggk-whitt") == 0.0


def test_a_load_past_a_billion_processors_is_refused():
    with pytest.raises(InvalidLoad, match="check the units"):
        least_stable_processors(2e9, 1.0)
    just_too_many = math.nextafter(1e9, math.inf)
    for load in (1e9, just_too_many):
        for service_rate in (1.0, 0.1, 3e-7):
            stations = Stations([load * service_rate], [service_rate], [1.0], [1.0], [1], [NO_BOUND])
            if load * service_rate / service_rate > 1e9:
                with pytest.raises(InvalidLoad):
                    least_stable_processors(load * service_rate, service_rate)
                with pytest.raises(InvalidLoad):
                    _ = stations.arrays
            else:
                assert least_stable_processors(load * service_rate, service_rate) >= 10**9
                _ = stations.arrays
    with pytest.raises(InvalidLoad, match="check the units"):
        _ = Stations([2e9], [1.0], [1.0], [1.0], [1], [NO_BOUND]).arrays


@given(st.floats(0.01, 0.999), st.integers(1, 500), st.floats(0, 4), st.floats(0, 4))
def test_one_more_processor_never_slows_an_operator(utilisation: float, k: int, a: float, s: float):
    case = build_case(utilisation, k)
    for model in MODELS:
        here, there = (wait_seconds(case.arrival_rate, case.service_rate, n, a, s, model) for n in (k, k + 1))
        assert there <= here
        curve = Curve(case.arrival_rate, case.service_rate, weigh_operator(model, a, s), 1)
        assert curve[k] >= curve[k + 1] >= 0.0


@given(st.floats(0.01, 0.999), st.integers(1, 2000), st.floats(0, 4), st.floats(0, 4))
def test_floats_and_arrays_agree_on_every_wait(utilisation: float, k: int, a: float, s: float):
    case = build_case(utilisation, k)
    size = 60
    arrival, service = [case.arrival_rate] * size, [case.service_rate] * size
    stations = Stations(arrival, service, [a] * size, [s] * size, [1] * size, [NO_BOUND] * size)
    waits = stations.queues.wait_seconds([k] * size)
    alone = wait_seconds(case.arrival_rate, case.service_rate, k, a, s, "ggk-whitt")
    assert waits == pytest.approx([alone] * size, rel=1e-11, abs=1e-280)


def test_a_heavily_loaded_operator_varies_as_allen_and_cunneen_say():
    # Whitt's φ tends to 1 as ρ tends to 1
    assert variability("ggk-whitt", 0.5, 2.0, 1 - 1e-9, 7) == pytest.approx(1.25, rel=1e-8)
    assert variability("ggk", 0.5, 2.0, 0.5, 7) == 1.25
    assert variability("mmk", 0.5, 2.0, 0.5, 7) == 1.0
