"""The highest rate by lines: covered as often as was asked, on a ramp too."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from planner.workloads.rates_ahead import RateAhead, forecast_highest, read_history
from planner.workloads.series import Measurement, WorkloadTooShort

STEP = 60.0


def look(rates: Sequence[float], steps: int, quantile: float = 0.95) -> RateAhead:
    known = read_history([Measurement(STEP * i, rate) for i, rate in enumerate(rates)], STEP)
    return forecast_highest(known, steps, quantile)


def make_wave(count: int, seed: int) -> list[float]:
    generator = np.random.default_rng(seed)
    middle = [300.0 - 200.0 * math.cos(2.0 * math.pi * i / 700.0) for i in range(count)]
    return [rate * math.exp(generator.normal(0.0, 0.03)) for rate in middle]


@pytest.mark.parametrize("quantile", [0.8, 0.95])
def test_the_upper_rate_is_kept_as_often_as_was_asked(quantile: float):
    wave = make_wave(1400, seed=3)
    kept = [
        look(wave[max(moment - 300, 0) : moment], 5, quantile).upper_rate >= max(wave[moment : moment + 5])
        for moment in range(120, 1390, 3)
    ]
    assert np.mean(kept) == pytest.approx(quantile, abs=0.07)


def test_a_ramp_is_expected_to_go_on():
    rising = look([100.0 + 3.0 * i + (i * 7 % 5) for i in range(60)], 10)
    assert rising.upper_rate >= 100.0 + 3.0 * 69
    assert rising.upper_rate <= 100.0 + 3.0 * 69 + 10.0
    falling = look([400.0 - 3.0 * i + (i * 7 % 5) for i in range(60)], 10)
    assert falling.upper_rate <= 400.0 - 3.0 * 59 + 10.0


def test_a_constant_rate_stays_what_it_is_and_says_so():
    found = look([50.0] * 60, 5)
    assert (found.expected_rate, found.upper_rate, found.model) == (50.0, 50.0, "constant")
    assert [said.code for said in found.diagnostics] == ["constant-rate"]


def test_too_few_intervals_are_no_look_ahead_and_far_steps_are_said_to_be_beyond_it():
    for known in (1, 2, 29):
        with pytest.raises(WorkloadTooShort):
            look([50.0 + i for i in range(known)], 5)
    short = look([50.0 + i % 7 for i in range(30)], 1000)
    assert short.steps == 10
    assert [said.code for said in short.diagnostics] == ["shorter-look-ahead"]
