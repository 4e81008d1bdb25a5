"""The rate to be ready for, from the rates before."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from planner.workloads.arma_forecasts import RateForecast, forecast_rate
from planner.workloads.errors import WorkloadTooShort
from planner.workloads.series import Measurement


def forecast(rates: Sequence[float], steps: int, quantile: float = 0.95) -> RateForecast:
    return forecast_rate([Measurement(60.0 * i, rate) for i, rate in enumerate(rates)], 60.0, steps, quantile)


def test_a_wave_that_rises_is_seen_to_rise_and_where_it_will_be_highest():
    generator = np.random.default_rng(1)
    wave = [
        100.0 + 30.0 * math.sin(2.0 * math.pi * i / 60.0) + generator.normal(0.0, 2.0) for i in range(186)
    ]
    found = forecast(wave, 12)  # six steps past the middle; the crest is nine ahead
    assert found.expected_rate > wave[-1] + 8.0
    assert found.upper_rate >= found.expected_rate
    assert 5 <= found.step <= 12
    assert found.history == 100
    surer = forecast(wave, 12, 0.99)
    assert surer.upper_rate > found.upper_rate


def test_a_constant_rate_stays_what_it_is_and_says_so():
    found = forecast([50.0] * 60, 5)
    assert (found.expected_rate, found.upper_rate, found.model) == (50.0, 50.0, "constant")
    assert [said.code for said in found.diagnostics] == ["constant-rate"]


def test_too_few_intervals_are_no_forecast():
    for known in (1, 2, 29):
        with pytest.raises(WorkloadTooShort):
            forecast([50.0 + i for i in range(known)], 5)
