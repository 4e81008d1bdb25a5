"""Waiting models beside the papers in forty digits, on floats and on arrays."""

from collections.abc import Callable
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from planner.arrays import ARRAYS
from planner.queueing.array_queues import weigh_operators
from planner.queueing.waiting_models import (
    FLOATS,
    WAITING_MODELS,
    drop_variability,
    evaluate_variability,
    evaluate_variability_drop,
    weigh_operator,
)
from tests.planner.queue_cases import MODELS, reference_v

SCV = st.sampled_from([0.0, 0.5, 1.0, 2.0]) | st.floats(1e-9, 5.0)
CASE = (st.floats(0.02, 0.9999), st.integers(1, 10**6), SCV, SCV)


def test_every_model_is_tested_here():
    assert tuple(WAITING_MODELS) == MODELS


@settings(max_examples=150)
@given(*CASE)
def test_the_factor_is_that_of_the_papers(rho: float, k: int, a: float, s: float):
    spare = (1.0 - rho) / rho
    for model in MODELS:
        with mp.workdps(40):
            exact = (
                reference_v(mpf(a), mpf(s), 1 / (1 + mpf(spare)), k, model) if a or s or model == "mmk" else 0
            )
        weights = weigh_operator(model, a, s)
        expected = pytest.approx(float(exact), rel=2e-15 * max(1.0, a + s, 1.0 / max(a + s, 1e-3)), abs=1e-15)
        assert evaluate_variability(weights, spare, k, FLOATS) == expected
        many = weigh_operators(model, np.array([a, a]), np.array([s, s]))
        assert np.broadcast_to(evaluate_variability(many, spare, float(k), ARRAYS), 2)[1] == expected


@settings(max_examples=150)
@given(st.floats(0.1, 1e6), st.integers(0, 10**4), SCV, SCV)
def test_the_drop_to_one_processor_more_is_that_of_forty_digits(load: float, more: int, a: float, s: float):
    k = int(load) + 1 + more
    weights = weigh_operator("ggk-whitt", a, s)
    if weights.is_constant:
        return
    with mp.workdps(40):
        here, there = (reference_v(mpf(a), mpf(s), mpf(load) / n, n, "ggk-whitt") for n in (k, k + 1))
        drop = float(here - there)
    spare, step = (k - load) / load, 1.0 / load
    for value, found in (
        drop_variability(weights, spare, step, float(k)),
        evaluate_variability_drop(weights, spare, step, float(k), FLOATS),
    ):
        assert value == pytest.approx(float(here), rel=1e-13, abs=1e-15)
        # to 1e-13 of the change that the wait itself makes, which is at least 1/k of v
        assert found == pytest.approx(drop, rel=1e-9, abs=1e-13 * (a + s) / min(k, 1e3))


@given(SCV, SCV)
def test_the_weights_sum_to_the_mean_of_both_scvs(a: float, s: float):
    for model in ("ggk", "ggk-whitt"):
        assert weigh_operator(model, a, s).level == pytest.approx((a + s) / 2.0, rel=1e-12, abs=1e-15)
    assert weigh_operator("mmk", a, s).level == 1.0


@given(SCV, SCV)
def test_a_model_that_says_so_does_not_look_at_scvs(a: float, s: float):
    for model, one in WAITING_MODELS.items():
        if not one.uses_scvs:
            assert weigh_operator(model, a, s) == weigh_operator(model, 1.0, 1.0)


@given(st.lists(st.tuples(SCV, SCV), min_size=1, max_size=8))
def test_the_weights_of_many_operators_are_those_of_each(rows: list[tuple[float, float]]):
    a, s = (np.array(column) for column in zip(*rows, strict=True))
    for model in MODELS:
        many = weigh_operators(model, a, s)
        single = [weigh_operator(model, *row) for row in rows]
        for part in range(5):
            assert np.asarray(many[part]).tolist() == pytest.approx(
                [one[part] for one in single], rel=1e-14, abs=1e-300
            )
        assert many.is_constant == all(one.is_constant for one in single)


def find_sigma(transform: Callable[[float], float]) -> float:
    """The root below 1 of σ = A*(μ(1 − σ)), μ = 1: the exact probability that a tuple waits in GI/M/1."""
    sigma = 0.5
    for _ in range(10_000):
        sigma = transform(1.0 - sigma)
    return sigma


@pytest.mark.parametrize(("rho", "error"), [(0.3, 0.15), (0.5, 0.09), (0.7, 0.045), (0.9, 0.015)])
def test_one_server_alone_waits_about_as_long_as_exact_formulas_say(rho: float, error: float):
    """GI/M/1: μW = σ/(1 − σ), which is missed by more under light loads.

    M/G/1: (1 + s)/2 · ρ/(1 − ρ), exactly (Pollaczek and Khinchine).
    """
    alone = WAITING_MODELS["ggk-whitt"].alone
    spare = (1.0 - rho) / rho
    for a, transform in (
        (0.0, lambda x: exp(-x / rho)),
        (0.25, lambda x: (1.0 + x / rho / 4.0) ** -4),
        (0.5, lambda x: (1.0 + x / rho / 2.0) ** -2),
        (1.0, lambda x: 1.0 / (1.0 + x / rho)),
    ):
        sigma = find_sigma(transform)
        exact = sigma / (1.0 - sigma) * spare
        assert alone(a, 1.0, spare, FLOATS) == pytest.approx(exact, rel=error)
    for s in (0.0, 0.5, 4.0):
        for model in ("ggk", "ggk-whitt"):
            assert WAITING_MODELS[model].alone(1.0, s, spare, FLOATS) == (1.0 + s) / 2.0
    assert alone(0.0, 0.0, spare, FLOATS) == 0.0


@given(st.floats(0.0, 9.0), st.floats(0.0, 9.0), st.floats(0.01, 0.99))
def test_a_server_alone_is_the_same_in_arrays_and_waits_no_longer_than_by_the_mean(
    a: float, s: float, rho: float
):
    spare = (1.0 - rho) / rho
    for model in WAITING_MODELS.values():
        found = model.alone(a, s, spare, FLOATS)
        many = model.alone(np.array([a, 1.0]), np.array([s, 1.0]), np.array([spare, spare]), ARRAYS)
        assert many.tolist() == pytest.approx([found, 1.0], rel=1e-14)
        assert found <= (a + s) / 2.0
        assert found <= model.alone(a, s, spare / 2.0, FLOATS), "the busier, the more variability counts"


def test_a_heavily_loaded_operator_varies_as_allen_and_cunneen_say():
    # Whitt's φ tends to 1 as ρ tends to 1
    for model, spare, expected in (("ggk-whitt", 1e-9, 1.25), ("ggk", 1.0, 1.25), ("mmk", 1.0, 1.0)):
        v = evaluate_variability(weigh_operator(model, 0.5, 2.0), spare, 7, FLOATS)
        assert v == pytest.approx(expected, rel=1e-8)
