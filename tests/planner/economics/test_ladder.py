"""Rungs: the fewest processors of a rate, and the highest rate that they carry."""

from dataclasses import replace
from math import inf

import pytest

from planner.economics.ladder import climb, find_log
from planner.situations.situation import assess_counts
from tests.planner.economics.loads import TARGET, need_row, survey_row


def bisect_capacity(counts: tuple[int, ...]) -> float:
    low, high = 0.0, 200.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        seconds = assess_counts(survey_row(middle), counts).expected_sojourn_seconds
        low, high = (middle, high) if seconds is not None and seconds <= TARGET else (low, middle)
    return low


@pytest.mark.parametrize("counts", [(1, 1), (2, 4), (4, 6), (20, 30)])
@pytest.mark.parametrize("near", [0.2, 0.9, 1.0, 1.1, 3.0])
def test_a_capacity_is_the_highest_rate_within_the_target(counts: tuple[int, ...], near: float):
    expected = bisect_capacity(counts)
    assert need_row().measure(counts, near * expected).capacity == pytest.approx(expected, rel=0.01)


def test_an_operator_is_full_where_its_utilisation_is_one():
    rung = need_row().measure((4, 6), 20.0)
    assert rung.full == pytest.approx((40.0, 40.0))
    assert rung.saturation == pytest.approx(40.0)


def test_rungs_are_the_needs_of_rising_rates():
    needs = need_row()
    rungs = climb(needs, 10.0, 60.0)
    assert rungs[0].counts == needs.find(10.0)
    assert rungs[-1].capacity >= 60.0
    assert [one.capacity for one in rungs] == sorted(one.capacity for one in rungs)
    assert [one.total for one in rungs] == sorted(one.total for one in rungs)


def test_a_budget_bounds_the_need():
    strict = replace(need_row(), target_seconds=0.26)
    assert sum(strict.find(60.0)) > 19
    assert sum(replace(strict, k_max=19).find(60.0)) == 19


def test_longer_waits_need_as_much_as_a_stricter_target():
    needs = need_row()
    assert sum(needs.correct(3.0).find(20.0)) > sum(needs.find(20.0)) >= sum(needs.correct(0.5).find(20.0))


def test_a_target_out_of_reach_has_no_rungs():
    assert climb(need_row().correct(inf), 10.0, 60.0) == []


def test_nothing_has_no_logarithm():
    assert find_log(0.0) == -inf
