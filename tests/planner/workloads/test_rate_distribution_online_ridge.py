"""Online ridge regression: row by row it is the regression on all rows at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from planner.workloads.rate_distribution import Ridge, Rows

TARGETS, FEATURES = 2, 3


def make_rows(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    return generator.normal(size=(TARGETS, count, FEATURES)), generator.normal(size=(TARGETS, count))


@given(st.integers(1, 30), st.integers(0, 99), st.floats(0.1, 20.0))
def test_no_other_weights_have_a_smaller_penalised_sum_of_squares(count: int, seed: int, penalty: float):
    rows, outcomes = make_rows(count, seed)
    ridge = Ridge(TARGETS, FEATURES, penalty, {1: 0.5})
    ridge.learn(rows, outcomes)
    prior = np.array([0.0, 0.5, 0.0])
    for target in range(TARGETS):

        def loss(weights: np.ndarray, target: int = target) -> float:
            misfit = outcomes[target] - rows[target] @ weights
            return float(misfit @ misfit + penalty * (weights - prior) @ (weights - prior))

        best = minimize(loss, np.zeros(FEATURES)).fun
        assert loss(ridge.weights[target]) == pytest.approx(best, rel=1e-5, abs=1e-8)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=5), st.integers(0, 99))
def test_blocks_teach_what_all_rows_teach_together(blocks: list[int], seed: int):
    rows, outcomes = make_rows(sum(blocks), seed)
    together, apart = (Ridge(TARGETS, FEATURES, 2.0, {}) for _ in range(2))
    together.learn(rows, outcomes)
    start = 0
    for length in blocks:
        apart.learn(rows[:, start : start + length], outcomes[:, start : start + length])
        start += length
    assert apart.weights == pytest.approx(together.weights)
    assert apart.predict(rows) == pytest.approx(np.einsum("tnf,tf->tn", rows, together.weights))


def test_before_it_has_learned_it_says_what_the_prior_says():
    assert Ridge(1, 3, 5.0, {2: 0.7}).predict(np.ones((1, 1, 3))).tolist() == [[0.7]]


@given(st.lists(st.integers(0, 900), min_size=1, max_size=6))
def test_rows_are_kept_in_their_order_however_they_come(blocks: list[int]):
    rows, start = Rows(2), 0
    for length in blocks:
        rows.extend(np.arange(start, start + 2 * length, dtype=float).reshape(-1, 2))
        start += 2 * length
    assert rows.count == sum(blocks)
    assert rows.all.ravel().tolist() == list(range(start))
