"""Profiles from trials: the capacity of a known queue comes back, and the gaps of the grid are said."""

import math
from collections.abc import Iterator

import pytest

from planner.placements.errors import InvalidProfile, NoStablePoint
from planner.placements.profile_builder import (
    Criteria,
    Trial,
    build_profile,
    fit_slope,
    judge_trial,
    sweep_task,
)
from planner.placements.profiles import ProfilePoint

CAPACITIES = {1: 100.0, 2: 150.0, 4: 180.0, 8: 175.0, 16: 170.0, 32: 165.0}


def queue_behind(capacity: float, threads: int, rate: float, warm_up: float = 0.0) -> Trial:
    """A fluid queue: latency 0.1 s, growing by ω/I − 1 s/s where the rate is above the capacity."""
    growth = max(0.0, rate / capacity - 1.0)
    samples = [
        (second, 9.0 if second < warm_up else 0.1 + growth * second) for second in map(float, range(60))
    ]
    return Trial(threads, rate, tuple(samples), cpu=rate / 1000, memory=threads / 100)


def trial_grid(rates: range) -> Iterator[Trial]:
    for threads, capacity in CAPACITIES.items():
        for rate in rates:
            yield queue_behind(capacity, threads, float(rate))


def test_from_trials_of_a_known_queue_its_capacity_comes_back() -> None:
    built = build_profile("task", trial_grid(range(10, 210, 5)))
    assert {point.threads: point.peak_rate for point in built.profile.points} == CAPACITIES
    assert {step.threads: step.smallest_unstable_rate for step in built.evidence} == {
        threads: capacity + 5 for threads, capacity in CAPACITIES.items()
    }


def test_a_point_takes_cpu_and_memory_of_the_trial_at_its_peak() -> None:
    built = build_profile("task", trial_grid(range(10, 210, 5)))
    assert built.profile.points[1] == ProfilePoint(2, 150.0, 0.15, 0.02)


def test_a_live_sweep_stops_at_the_plateau_and_at_the_first_unstable_rate() -> None:
    asked: list[tuple[int, float]] = []

    def run_trial(threads: int, rate: float) -> Trial:
        asked.append((threads, rate))
        return queue_behind(CAPACITIES[threads], threads, rate)

    built = sweep_task("task", run_trial, CAPACITIES, lambda _: map(float, range(10, 500, 10)))
    assert built.plateau_threads == 16  # I falls over 4, 8, 16: 180, 170, 170
    assert [point.peak_rate for point in built.profile.points] == [100, 150, 180, 170, 170]
    assert (32, 10.0) not in asked
    assert max(rate for threads, rate in asked if threads == 1) == 110.0


def test_the_warm_up_does_not_count() -> None:
    trial = queue_behind(100.0, 1, 50.0, warm_up=20.0)
    assert judge_trial(trial, Criteria(warm_up_seconds=20.0)).stable
    assert judge_trial(trial, Criteria(warm_up_seconds=20.0)).slope == pytest.approx(0.0, abs=1e-15)
    growing = Trial(1, 50.0, tuple((float(at), 0.1 + 0.002 * at) for at in range(60)), 0.1, 0.1)
    assert not judge_trial(growing, Criteria()).stable


def test_samples_of_one_moment_say_nothing_of_how_latency_grows() -> None:
    at_once = Trial(1, 50.0, ((10.0, 0.1), (10.0, 5.0), (10.0, 9.0)), 0.1, 0.1)
    verdict = judge_trial(at_once, Criteria())
    assert (verdict.slope, verdict.stable) == (None, False)
    steady = Trial(1, 40.0, ((10.0, 0.1), (11.0, 0.1), (12.0, 0.1)), 0.1, 0.1)
    built = build_profile("task", [at_once, steady])
    assert built.profile.single.peak_rate == 40.0
    assert "too-few-samples" in {gap.code for gap in built.gaps}


def test_the_slope_is_that_of_the_line_through_exact_points() -> None:
    assert fit_slope([(float(x), 3.0 - 0.25 * x) for x in range(7)]) == pytest.approx(-0.25)
    assert fit_slope([(1.0, 2.0), (1.0, 5.0)]) == 0.0


def test_trials_too_short_to_judge_have_no_slope() -> None:
    short = Trial(1, 10.0, ((0.0, 0.1), (1.0, 0.1)), 0.5, 0.5)
    with pytest.raises(NoStablePoint, match="no trial has 3 samples after the warm-up") as refused:
        build_profile("blob", [short])
    assert refused.value.smallest_slope is None
    assert "grew" not in str(refused.value)


def test_no_stable_trial_is_an_error_with_the_numbers() -> None:
    with pytest.raises(NoStablePoint, match="blob") as refused:
        build_profile("blob", [queue_behind(10.0, 1, 20.0), queue_behind(10.0, 1, 30.0)])
    assert (refused.value.trials, refused.value.smallest_rate) == (2, 20.0)
    assert refused.value.smallest_slope == pytest.approx(1.0)


def test_what_the_grid_leaves_open_is_reported() -> None:
    short = Trial(3, 50.0, ((0.0, 0.1), (1.0, 0.1)), 0.1, 0.1)
    trials = [queue_behind(100.0, 1, 50.0), queue_behind(10.0, 5, 50.0), queue_behind(80.0, 9, 60.0), short]
    trials += [queue_behind(20.0, 9, 30.0)]
    gaps = {(gap.code, gap.threads) for gap in build_profile("task", trials).gaps}
    assert gaps == {
        ("peak-not-reached", (1,)),
        ("no-stable-trial", (3,)),
        ("no-stable-trial", (5,)),
        ("trials-disagree", (9,)),
        ("threads-not-tried", (1, 9)),
    }


def test_trials_that_are_no_measurement_are_refused() -> None:
    with pytest.raises(InvalidProfile, match="rate 0"):
        build_profile("task", [Trial(1, 0.0, (), 0.1, 0.1)])
    with pytest.raises(InvalidProfile, match="beyond"):
        build_profile("task", [Trial(1, 1.0, ((0.0, 1e298), (1e134, 0.1), (-2e20, 0.1)), 0.1, 0.1)])
    with pytest.raises(InvalidProfile, match="no number"):
        build_profile("task", [Trial(1, 5.0, ((0.0, math.nan),), 0.1, 0.1)])
