"""The accuracy of one lead: sums by hand, Wilson's interval as statsmodels has it, and unknown stays unknown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from planner.workloads.accuracy import JudgedForecast, bound_share, count_apart, falls_short, judge_lead


def test_errors_are_shares_of_what_came():
    judged = [
        JudgedForecast(10, 12.0, 10.0, is_covered=True),
        JudgedForecast(20, 27.0, 30.0, is_covered=False),
    ]
    found = judge_lead(4, judged)
    assert (found.judged, found.apart, found.covered, found.coverage) == (2, 2, 1, 0.5)
    assert found.mean_error == pytest.approx(-1.0 / 40.0)
    assert found.absolute_error == pytest.approx(5.0 / 40.0)


def test_where_nothing_was_judged_nothing_is_known():
    found = judge_lead(4, [])
    assert (found.judged, found.apart, found.covered) == (0, 0, 0)
    known = (
        found.mean_error,
        found.absolute_error,
        found.coverage,
        found.least_coverage,
        found.most_coverage,
    )
    assert known == (None,) * 5


def test_errors_of_rates_of_zero_have_no_share():
    found = judge_lead(1, [JudgedForecast(10, 1.0, 0.0, is_covered=True)])
    assert (found.mean_error, found.absolute_error, found.coverage) == (None, None, 1.0)


@given(st.integers(1, 500), st.data())
def test_the_interval_of_a_share_is_wilsons(count: int, data: st.DataObject):
    share = data.draw(st.integers(0, count)) / count
    expected = proportion_confint(share * count, count, alpha=0.05, method="wilson")
    assert bound_share(share, count) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.integers(0, 300), unique=True).map(sorted), st.integers(1, 50))
def test_origins_apart_share_no_step(origins: list[int], steps: int):
    # The most intervals of one length that share no step: those that end first, one after the other.
    found, end = 0, -1
    for origin in origins:
        if origin > end:
            found, end = found + 1, origin + steps - 1
    assert count_apart(origins, steps) == found


def test_a_coverage_falls_short_where_its_whole_interval_does_as_it_is_written():
    assert [falls_short(most, 0.95) for most in (None, 0.92, 0.944, 0.947, 0.95, 1.0)] == [
        False,
        True,
        True,
        False,
        False,
        False,
    ]


def test_forecasts_that_overlap_leave_more_open():
    close = [JudgedForecast(origin, 1.0, 1.0, origin % 10 != 0) for origin in range(100)]
    near, far = judge_lead(1, close), judge_lead(20, close)
    assert near.coverage == far.coverage == 0.9
    assert (near.apart, far.apart) == (100, 5)
    bounds = [far.least_coverage, near.least_coverage, near.most_coverage, far.most_coverage]
    assert bounds == sorted(filter(None, bounds))
