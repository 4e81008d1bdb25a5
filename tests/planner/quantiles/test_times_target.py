"""The time that a target limits, and the name of it in sentences."""

import numpy as np
import pytest

from planner.quantiles.times import RootTimes, measure_times
from planner.values import TimeTarget

TIMES = RootTimes(np.arange(1.0, 101.0), np.arange(0.5, 100.5))


@pytest.mark.parametrize(
    ("target", "seconds", "words"),
    [
        (TimeTarget("total", 1.0), 50.5, "the mean of the total time"),
        (TimeTarget("completion", 1.0), 50.0, "the mean of the time to completion"),
        (TimeTarget("total", 1.0, 0.99), 99.0, "the p99 of the total time"),
        (TimeTarget("completion", 1.0, 0.999), 99.5, "the p99.9 of the time to completion"),
    ],
)
def test_a_target_measures_what_its_words_say(target: TimeTarget, seconds: float, words: str):
    assert measure_times(target, TIMES) == seconds
    assert target.measured == words


def test_only_the_mean_of_total_is_the_expected_sojourn_time():
    assert TimeTarget("total", 1.0).is_expected_sojourn
    assert not TimeTarget("completion", 1.0).is_expected_sojourn
    assert not TimeTarget("total", 1.0, 0.5).is_expected_sojourn
