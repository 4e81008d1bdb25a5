"""The band of each step: it covers as often as was asked, widens with the lead, and is exact at its leads."""

import math
from dataclasses import replace

import numpy as np
import pytest

from planner.workloads.rates_ahead import (
    KnownHistory,
    band_leads,
    forecast_each_band,
    list_leads,
    read_history,
)
from planner.workloads.series import Measurement, WorkloadTooShort

STEP = 60.0


def measure(rates: list[float]) -> KnownHistory:
    return read_history([Measurement(STEP * i, rate) for i, rate in enumerate(rates)], STEP)


def make_wave(count: int, seed: int) -> list[float]:
    generator = np.random.default_rng(seed)
    middle = [300.0 - 200.0 * math.cos(2.0 * math.pi * i / 700.0) for i in range(count)]
    return [rate * math.exp(generator.normal(0.0, 0.03)) for rate in middle]


def test_the_band_covers_a_wave_as_often_as_was_asked():
    wave = make_wave(2000, seed=4)
    covered: dict[int, list[bool]] = {1: [], 10: [], 30: []}
    for moment in range(700, 1960, 18):
        for band in band_leads(measure(wave[:moment]), list(covered), 0.9).bands:
            covered[band.steps].append(band.lower <= wave[moment + band.steps - 1] <= band.upper)
    for lead, found in covered.items():
        assert np.mean(found) == pytest.approx(0.9, abs=0.08), lead


def test_the_band_follows_the_level():
    wave = make_wave(1400, seed=5)
    night, day = (band_leads(measure(wave[:moment]), [1], 0.9).bands[0] for moment in (1400, 1050))
    widths = [(one.upper - one.lower) / one.expected for one in (night, day)]
    assert day.expected > 3.0 * night.expected
    assert widths[0] < 2.5 * widths[1]


def test_steps_between_the_leads_lie_on_straight_lines():
    rates = make_wave(400, seed=6)
    each = forecast_each_band(measure(rates), 20, 0.9).bands
    assert [one.steps for one in each] == list(range(1, 21))
    at_leads = band_leads(measure(rates), [8, 12], 0.9).bands
    assert tuple(replace(one, loss=None) for one in (each[7], each[11])) == at_leads
    assert (each[7].loss or 0.0) > 0.0
    assert each[9].upper == pytest.approx((at_leads[0].upper + at_leads[1].upper) / 2.0)
    assert all(0.0 <= one.lower <= one.expected <= one.upper for one in each)


def test_leads_are_dense_near_now():
    assert list_leads(1, 1000) == [1]
    assert list_leads(20, 1000) == [1, 2, 3, 4, 6, 8, 12, 16, 24]
    assert list_leads(24, 1000) == [1, 2, 3, 4, 6, 8, 12, 16, 24]
    assert list_leads(20, 23) == list_leads(500, 23) == [1, 2, 3, 4, 6, 8, 12, 16, 23]


def test_a_constant_rate_has_a_band_without_width_and_says_so():
    found = forecast_each_band(measure([50.0] * 60), 5, 0.9)
    assert {(one.lower, one.expected, one.upper) for one in found.bands} == {(50.0, 50.0, 50.0)}
    assert [one.code for one in found.diagnostics] == ["constant-rate"]


def test_a_short_history_tells_only_of_near_steps():
    with pytest.raises(WorkloadTooShort):
        forecast_each_band(measure(make_wave(29, seed=7)), 5, 0.9)
    found = forecast_each_band(measure(make_wave(30, seed=7)), 500, 0.9)
    assert len(found.bands) == 10
    assert [one.code for one in found.diagnostics] == ["shorter-look-ahead"]
