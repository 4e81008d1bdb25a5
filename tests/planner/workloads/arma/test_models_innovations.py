"""Innovations and their variances are those that statsmodels' own function gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.tsa.arima_process import arma_acovf
from statsmodels.tsa.innovations.arma_innovations import arma_innovations

from planner.workloads.arma.fit import coefficients_of
from planner.workloads.arma.models import find_autocovariances, find_innovations, is_stationary

FREE = st.lists(st.floats(-3.0, 3.0), max_size=3).map(np.array)


@given(FREE, FREE, st.integers(1, 60), st.integers(0, 1000))
def test_innovations_are_those_of_statsmodels(free_ar: np.ndarray, free_ma: np.ndarray, size: int, seed: int):
    ar, ma = coefficients_of(free_ar), [-theta for theta in coefficients_of(free_ma)]
    if not ar and not ma:
        return
    values = np.random.default_rng(seed).normal(0.0, 3.0, size + 6)
    found, variances = find_innovations(ar, ma, values)
    expected, their_variances = arma_innovations(values, ar_params=ar, ma_params=ma)
    assert found == pytest.approx(expected, rel=1e-7, abs=1e-9)
    assert variances == pytest.approx(their_variances, rel=1e-7)


def test_a_model_that_is_stationary_but_for_rounding_is_refused():
    ar = (-0.6904325978283967, 0.9999999661913477, 0.6904326316370489)
    assert is_stationary(ar)
    with pytest.raises(ValueError, match="but for rounding"):
        find_innovations(ar, (0.5391734280680371,), np.arange(100.0))


@given(FREE, FREE)
def test_autocovariances_are_those_of_statsmodels(free_ar: np.ndarray, free_ma: np.ndarray):
    ar, ma = coefficients_of(free_ar), coefficients_of(free_ma)
    expected = arma_acovf(np.array([1.0, *(-phi for phi in ar)]), np.array([1.0, *ma]), nobs=9)
    assert find_autocovariances(ar, ma, 9) == pytest.approx(expected, rel=1e-7, abs=1e-9)


@given(st.lists(st.floats(-1.5, 1.5), max_size=3))
def test_a_model_is_stationary_where_all_roots_are_outside_the_unit_circle(ar: list[float]):
    sizes = np.abs(np.roots([1.0, *(-phi for phi in ar)]))
    largest = float(sizes.max()) if len(sizes) else 0.0
    if abs(largest - 1.0) > 1e-6:
        assert is_stationary(ar) == (largest < 1.0)


@pytest.mark.parametrize("ar", [[1.0], [0.0, 1.0], [2.0, -1.0], [float("nan")]])
def test_a_root_on_the_unit_circle_is_refused(ar: list[float]):
    with pytest.raises(ValueError, match="not stationary"):
        find_innovations(ar, [], np.ones(9))
