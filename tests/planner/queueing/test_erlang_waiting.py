"""Mean waits beside an exact reference: rational sums and 40 digits of mpmath."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.queueing.erlang import wait_at_all, wait_seconds, waiting_probability
from planner.queueing.gain_curves import Curve
from planner.queueing.waiting_models import weigh_operator
from tests.planner.queue_cases import (
    CASES,
    MODELS,
    SCVS,
    Case,
    build_case,
    reference_wait,
    relative_error,
)

mpmath.mp.dps = 40


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_wait_agrees_with_forty_digits(case: Case):
    k = case.processors
    for model in MODELS:
        for a, s in SCVS:
            reference = reference_wait(case, k, a, s, model)
            wait = wait_seconds(case.arrival_rate, case.service_rate, k, a, s, model)
            assert relative_error(wait, reference) < 1e-11, (model, a, s)


def test_the_wait_stays_right_where_factorials_overflow():
    # an Erlang formula on int factorials answers 0.244 at k = 13 and NaN at k = 34
    for k, right in ((13, 0.135), (20, 0.064), (34, 0.022)):
        assert wait_seconds(0.8 * k, 1.0, k, 1.0, 1.0, "mmk") == pytest.approx(right, abs=5e-4)


def test_one_processor_waits_as_long_as_a_single_server_queue():
    assert waiting_probability(0.7, 1.0, 1) == pytest.approx(0.7, rel=1e-15)
    assert wait_seconds(0.7, 1.0, 1, 1.0, 1.0, "mmk") == pytest.approx(0.7 / 0.3, rel=1e-14)


def test_an_unstable_operator_waits_for_ever_and_an_idle_one_not_at_all():
    assert wait_seconds(3.0, 1.0, 3, 1.0, 1.0, "ggk-whitt") == math.inf
    assert wait_seconds(0.0, 1.0, 1, 1.0, 1.0, "ggk-whitt") == 0.0
    assert waiting_probability(3.0, 1.0, 3) == 1.0
    assert wait_seconds(3.0, 1.0, 4, 0.0, 0.0, "ggk-whitt") == 0.0


@given(st.floats(0.01, 0.999), st.integers(1, 500), st.floats(0, 4), st.floats(0, 4))
def test_one_more_processor_never_slows_an_operator(utilisation: float, k: int, a: float, s: float):
    case = build_case(utilisation, k)
    for model in MODELS:
        here, there = (wait_seconds(case.arrival_rate, case.service_rate, n, a, s, model) for n in (k, k + 1))
        assert there <= here
        curve = Curve(case.arrival_rate, case.service_rate, weigh_operator(model, a, s), 1)
        assert curve[k] >= curve[k + 1] >= 0.0


@pytest.mark.parametrize("rho", [0.3, 0.5, 0.7, 0.9, 0.99])
@pytest.mark.parametrize("phases", [1, 2, 4, 10_000])
def test_as_many_tuples_wait_at_one_server_as_exact_formulas_say(rho: float, phases: int):
    """GI/M/1 with Erlang gaps: σ = (1 + (1 − σ)/(ρm))^−m, within 0.03; M/G/1: ρ."""
    sigma = 0.5
    for _ in range(10_000):
        sigma = (1.0 + (1.0 - sigma) / (rho * phases)) ** -phases
    found = wait_at_all(np.array([1.0 / phases]), np.ones(1), np.array([rho]))
    assert found.tolist() == pytest.approx([sigma], abs=0.03 if rho < 0.7 else 0.01)
    scvs = np.array([0.0, 0.5, 1.0, 7.0])
    assert wait_at_all(np.ones(4), scvs, np.full(4, rho)).tolist() == [rho] * 4


def test_equal_gaps_and_services_never_wait_and_bursts_wait_more_often_than_chance():
    rho = np.linspace(0.01, 0.99, 50)
    none, one = np.zeros(50), np.ones(50)
    assert wait_at_all(none, none, rho) == pytest.approx(none, abs=1e-12)
    assert np.all(wait_at_all(4.0 * one, one, rho) > rho)
    assert np.all(wait_at_all(0.5 * one, one, rho) < rho)


@given(st.floats(0.0, 50.0), st.floats(0.0, 50.0), st.floats(0.0, 1.0))
def test_the_part_that_waits_is_a_part(a: float, s: float, rho: float):
    (found,) = wait_at_all(np.array([a]), np.array([s]), np.array([rho])).tolist()
    assert 0.0 <= found <= 1.0
