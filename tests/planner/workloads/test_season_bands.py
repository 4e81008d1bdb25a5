"""Bands from seasons: the season found, coverage, and nothing but the known rates."""

import numpy as np
import pytest

from planner.arrays import Floats, slide_max
from planner.workloads.rates_ahead import KnownHistory, band_leads
from planner.workloads.season_bands import SeasonBands, find_season, forecast_by_seasons
from planner.workloads.series import (
    ConstantWorkload,
    InvalidSchedule,
    Measurement,
    Workload,
    WorkloadTooShort,
    regularise_workload,
)

DAY = 96


def waves(days: int, season: int = DAY, seed: int = 0) -> Floats:
    """Waves of a season with noise of a tenth."""
    steps = np.arange(days * DAY)
    noise = 0.1 * np.random.default_rng(seed).standard_normal(len(steps))
    return 100.0 * np.exp(np.sin(2.0 * np.pi * steps / season) + noise)


def workload_of(rates: Floats) -> Workload:
    return regularise_workload([Measurement(900.0 * i, float(rate)) for i, rate in enumerate(rates)])


@pytest.mark.parametrize("season", [40, 96, 130])
def test_the_length_of_a_season_is_found(season: int) -> None:
    found = find_season(waves(8, season), DAY)
    assert found is not None
    assert found.steps % season in {0, 1, season - 1}
    assert found.likeness > 0.9


def test_noise_has_no_season() -> None:
    assert find_season(100.0 + np.random.default_rng(0).standard_normal(800), DAY) is None


def test_bands_hold_as_often_as_they_say_and_are_narrower_than_those_of_lines() -> None:
    rates, held, widths, errors = waves(12, seed=1), [], [], []
    for known in range(8 * DAY, 12 * DAY - 40, 7):
        bands = SeasonBands(rates[:known], [DAY])
        for lead in (1, 20, 40):
            band = bands.band(lead, 0.9)
            came = rates[known + lead - 1]
            held.append(band.lower <= came <= band.upper)
            widths.append((band.upper - band.lower) / came)
            errors.append(abs(band.expected / came - 1.0))
    assert 0.84 < np.mean(held) < 0.96
    assert np.mean(errors) < 0.15
    lines = band_leads(KnownHistory(workload_of(rates[:1000])), [20], 0.9).bands[0]
    ours = SeasonBands(rates[:1000], [DAY]).band(20, 0.9)
    assert ours.upper - ours.lower < 0.6 * (lines.upper - lines.lower)


def test_no_feature_of_a_past_moment_knows_a_later_step() -> None:
    rates, origin = waves(4), 300
    changed = np.concatenate((rates[: origin + 1], 7.0 * rates[origin + 1 :]))
    bands = [SeasonBands(one, [DAY, 40]) for one in (rates, changed)]
    bands[1].logs[: origin + 1] = bands[0].logs[: origin + 1]  # the offset is half the mean of all rates
    for one in bands:
        one.use_values(one.logs)
    for lead in (1, 39, 40, 95, 96, 97):
        for is_highest in (False, True):
            rows = []
            for one in bands:
                came, after = (
                    slide_max(values[1:], lead) if is_highest else values[lead:]
                    for values in (one.logs, one._smoothed)
                )
                rows.append(one._features(np.array([origin]), lead, came, after))
            assert rows[0] == pytest.approx(rows[1])


def test_a_job_that_comes_every_half_hour_is_expected_at_its_minute_of_the_day() -> None:
    """Of many moments only some are learned from: those must have the minute of now, whatever it is."""
    random = np.random.default_rng(7)
    day, steps = 1440, np.arange(5 * 1440)
    came = np.repeat(random.random(len(steps) // 30) < 0.9, 30) & (steps % 30 < 2)
    rates = np.exp(2.2 * came + 0.05 * random.standard_normal(len(steps)))
    for minute in (0, 1, 2):
        known = 4 * day + 616 + minute
        band = SeasonBands(rates[:known], [day]).band(15, 0.9)
        assert (band.upper > 5.0) == (minute < 2), (minute, band)


def test_bands_are_narrow_where_the_rate_is_low_if_it_varies_little_there() -> None:
    random = np.random.default_rng(8)
    on = np.repeat(np.arange(40) % 2, random.integers(60, 140, 40))
    rates = np.where(on, 100.0, 20.0) * np.exp(np.where(on, 0.2, 0.01) * random.standard_normal(len(on)))
    widths: dict[int, list[float]] = {}
    for known in range(len(on) - 300, len(on), 7):
        band = SeasonBands(rates[:known], []).band(1, 0.9)
        widths.setdefault(int(on[known - 10 : known].mean() * 2), []).append(band.upper - band.lower)
    assert np.median(widths[0]) < 10.0
    assert np.median(widths[2]) > 40.0


def test_the_forecast_names_its_season_and_reaches_a_third_of_the_known_rates() -> None:
    found = forecast_by_seasons(workload_of(waves(5)), 400, 0.95)
    assert len(found.expected) == len(found.lower) == len(found.upper) == 160
    assert (found.lower <= found.expected).all()
    assert (found.expected <= found.upper).all()
    assert (found.lower >= 0.0).all()
    assert {one.code for one in found.diagnostics} == {"season-found", "shorter-look-ahead"}
    assert "after 24 h" in found.diagnostics[0].detail or "after 1 d" in found.diagnostics[0].detail
    assert found.kind == "seasons"


def test_rates_of_zero_have_finite_bands() -> None:
    rates = np.random.default_rng(2).poisson(0.3, 400).astype(float)
    found = forecast_by_seasons(workload_of(rates), 30, 0.95)
    assert np.isfinite(found.upper).all()
    assert (found.upper < 10.0).all()
    assert (found.lower == 0.0).all()


def test_what_cannot_be_forecast_is_refused() -> None:
    with pytest.raises(WorkloadTooShort):
        forecast_by_seasons(workload_of(waves(1)[:59]), 10, 0.95)
    with pytest.raises(ConstantWorkload):
        forecast_by_seasons(workload_of(np.full(100, 3.0)), 10, 0.95)
    with pytest.raises(InvalidSchedule):
        forecast_by_seasons(workload_of(waves(2)), 10, 1.0)
