"""The functions for floats and those for arrays: one formula gives the same on both."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planner.arrays import ARRAYS, slide_max, slide_mean, take_median, take_quantiles
from planner.queueing.waiting_models import FLOATS


@given(st.floats(1e-3, 50.0), st.floats(1e-3, 50.0))
def test_a_formula_gives_the_same_on_floats_and_on_arrays(x: float, y: float):
    assert vars(FLOATS).keys() == vars(ARRAYS).keys()
    for name in ("sqrt", "exp", "expm1", "log1p"):
        here, there = getattr(FLOATS, name)(-x if name == "exp" else x), getattr(ARRAYS, name)
        assert abs(there(np.array([-x if name == "exp" else x]))[0] - here) <= 4e-16 * abs(here)
    for name in ("minimum", "maximum"):
        assert getattr(ARRAYS, name)(np.array([x]), y)[0] == getattr(FLOATS, name)(x, y)


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40),
    st.lists(st.floats(0.0, 1.0), min_size=1, max_size=3),
)
def test_quantiles_are_those_of_numpy_to_the_last_bit(values: list[float], shares: list[float]):
    rows = np.array([values, values[::-1], [2.0 * value for value in values]])
    assert np.array_equal(np.array(take_quantiles(rows, shares)), np.quantile(rows, shares, axis=1))
    assert take_median(np.array(values)) == np.median(values)


@given(st.lists(st.floats(0.0, 1e6), min_size=1, max_size=40), st.data())
def test_windows_are_those_of_numpy(values: list[float], data: st.DataObject):
    window = data.draw(st.integers(1, len(values)))
    seen = np.lib.stride_tricks.sliding_window_view(np.array(values), window)
    assert np.array_equal(slide_max(np.array(values), window), seen.max(axis=1))
    assert np.allclose(slide_mean(np.array(values), window), seen.mean(axis=1), rtol=1e-12, atol=0.0)
