"""Capacity that bends: its formula, its peak by trying all counts, and the first count that is enough."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.queueing.instances.scaling import find_first, find_peak, slow_down
from planner.values import Scaling


@given(
    gamma=st.one_of(st.just(0.0), st.floats(0.0, 0.9)), sigma=st.floats(0.0, 1.0), kappa=st.floats(1e-4, 1.0)
)
def test_the_peak_serves_most_of_all_counts(gamma: float, sigma: float, kappa: float) -> None:
    scaling = Scaling(gamma, sigma, kappa)
    served = [k * slow_down(scaling, float(k)) for k in range(1, 130)]
    peak = find_peak(scaling)
    assert peak is not None
    assert served[peak - 1] == max(served)


def test_speeds_are_those_of_the_power_law_and_of_gunther() -> None:
    assert slow_down(Scaling(), 9.0) == 1.0
    assert slow_down(Scaling(gamma=0.5), 4.0) == 0.5
    assert slow_down(Scaling(sigma=0.1, kappa=0.01), 5.0) == pytest.approx(1.0 / 1.6)
    assert find_peak(Scaling(gamma=0.3)) is None
    assert find_peak(Scaling(kappa=5e-324)) is None
    assert find_peak(Scaling(gamma=1.0)) == 1
    assert find_peak(Scaling(gamma=0.3, futile=(6, 9, 0.04))) == 6
    assert find_peak(Scaling(kappa=0.1, futile=(6, 9, 0.04))) == 3


@given(least=st.integers(1, 50), first=st.integers(1, 100), most=st.integers(1, 80))
def test_the_first_count_that_is_enough(least: int, first: int, most: int) -> None:
    expected = next((k for k in range(least, most + 1) if k >= first), None)
    assert find_first(lambda k: k >= first, least, most) == expected
