"""Profiles: lines between measured threads, nothing beyond them, and no profile that no slot can have."""

import math
from bisect import bisect_left

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.placements.errors import InvalidProfile
from planner.placements.profiles import Profile, ProfilePoint

BLOB = Profile(
    "blob", tuple(ProfilePoint(t, r, t / 100, 0.2) for t, r in ((1, 2), (2, 3), (20, 10), (30, 20), (50, 30)))
)


@st.composite
def any_profile(draw: st.DrawFn) -> Profile:
    threads = sorted({1, *draw(st.lists(st.integers(2, 80), max_size=5))})
    rates = st.floats(0.5, 1e4)
    share = st.floats(0, 1)
    return Profile("task", tuple(ProfilePoint(t, draw(rates), draw(share), draw(share)) for t in threads))


def test_between_measured_threads_everything_is_on_the_line() -> None:
    point = BLOB.interpolate(25)
    assert (point.peak_rate, point.cpu) == (15.0, 0.25)


def test_a_measured_number_of_threads_answers_as_measured() -> None:
    assert all(BLOB.interpolate(point.threads) == point for point in BLOB.points)


def test_beyond_the_last_measurement_nothing_is_extrapolated() -> None:
    assert BLOB.interpolate(90).peak_rate == 30
    assert not BLOB.is_measured(51)


def test_of_equal_peaks_the_fewest_threads_are_best() -> None:
    flat = Profile("flat", tuple(ProfilePoint(t, r, 0.1, 0.1) for t, r in ((1, 5), (4, 9), (9, 9), (12, 3))))
    assert flat.best.threads == 4


@given(any_profile(), st.floats(0, 1))
def test_threads_for_a_rate_are_the_first_that_sustain_it(profile: Profile, share: float) -> None:
    rate = share * profile.best.peak_rate
    wanted = rate * (1 - 1e-12)
    first = next(t for t in range(1, profile.best.threads + 1) if profile.interpolate(t).peak_rate >= wanted)
    assert profile.threads_for(rate) == first


@given(any_profile(), st.integers(1, 120))
def test_interpolation_agrees_with_the_two_point_form(profile: Profile, threads: int) -> None:
    known = [point.threads for point in profile.points]
    if threads >= known[-1]:
        expected = profile.points[-1].peak_rate
    else:
        right = profile.points[bisect_left(known, threads)]
        left = profile.points[max(0, bisect_left(known, threads) - 1)]
        expected = right.peak_rate
        if right.threads != threads:
            weights = (right.threads - threads, threads - left.threads)
            expected = (weights[0] * left.peak_rate + weights[1] * right.peak_rate) / sum(weights)
    assert math.isclose(profile.interpolate(threads).peak_rate, expected, rel_tol=1e-12)


@pytest.mark.parametrize(
    ("points", "threads", "value"),
    [
        ([(1, 0.0, 0.1, 0.1)], 1, 0.0),
        ([(1, 5.0, 0.1, 0.1), (2, 0.0, 0.1, 0.1)], 2, 0.0),
        ([(1, math.inf, 0.1, 0.1)], 1, math.inf),
        ([(1, 5.0, 0.1, 1.2)], 1, 1.2),
        ([(1, 5.0, -0.1, 0.2)], 1, -0.1),
        ([(2, 5.0, 0.1, 0.2)], 2, 2),
        ([(0, 5.0, 0.1, 0.2)], 0, 0),
    ],
)
def test_a_profile_that_no_slot_can_have_is_refused_with_task_and_number(
    points: list[tuple[int, float, float, float]], threads: int, value: float
) -> None:
    with pytest.raises(InvalidProfile, match="blob") as refused:
        Profile("blob", tuple(ProfilePoint(*point) for point in points))
    assert (refused.value.threads, refused.value.value) == (threads, value)


def test_a_profile_without_points_or_with_a_point_twice_is_refused() -> None:
    with pytest.raises(InvalidProfile, match="no points"):
        Profile("blob", ())
    twice = (ProfilePoint(1, 2.0, 0.1, 0.1), ProfilePoint(1, 3.0, 0.1, 0.1))
    with pytest.raises(InvalidProfile, match="keep one"):
        Profile("blob", twice)
