"""The distribution of the coming rates: as often exceeded as it says, wider where days before were wilder."""

import numpy as np
import pytest
from scipy.signal import lfilter

from planner.arrays import Floats
from planner.workloads.rate_distribution import RateDistribution
from planner.workloads.series import Window


def daily_rates(days: int, seed: int) -> Floats:
    """A daily rhythm with noise that keeps for an hour, three times as wild by day."""
    generator = np.random.default_rng(seed)
    time = np.arange(days * 1440) / 1440
    rhythm = np.sin(2 * np.pi * time)
    noise = generator.standard_normal(len(time)) * np.where(rhythm > 0, 0.03, 0.01)
    return np.asarray(100.0 * np.exp(0.5 * rhythm + lfilter([1.0], [1.0, -0.9], noise)))


def test_rates_exceed_the_distribution_s_quantiles_as_often_as_these_say() -> None:
    rates, distribution = daily_rates(5, 7), RateDistribution(Window(2, 11))
    exceeded = []
    for last in range(8, len(rates) - 12, 10):
        likely = distribution.likely_rates(rates[: last + 1])
        if last > 1440:
            ahead = rates[last + 2 : last + 12]
            exceeded.append([(ahead > np.quantile(likely, q)).mean() for q in (0.5, 0.9, 0.99)])
    assert np.mean(exceeded, axis=0) == pytest.approx([0.5, 0.1, 0.01], abs=0.02, rel=0.25)


def test_the_distribution_is_wider_where_the_same_hours_were_wilder_before() -> None:
    """Seen from an hour that is as calm as any: only the days before tell what is about to begin."""
    generator = np.random.default_rng(8)
    minute = np.arange(5 * 1440) % 1440
    noise = generator.standard_normal(len(minute)) * np.where((minute >= 300) & (minute < 420), 0.2, 0.01)
    rates, distribution = 100.0 * np.exp(noise), RateDistribution(Window(2, 11))

    def width(last: int) -> float:
        likely = distribution.likely_rates(rates[: last + 1])
        return float(np.log(np.quantile(likely, 0.95) / np.quantile(likely, 0.05)))

    before_the_wild_hours = width(4 * 1440 + 299)
    in_calm_hours = width(4 * 1440 + 900)
    assert before_the_wild_hours > 1.5 * in_calm_hours


def test_a_single_drop_out_does_not_send_the_vms_away() -> None:
    rates = daily_rates(2, 9)
    rates[-1] *= 0.05
    likely = RateDistribution(Window(2, 11)).likely_rates(rates)
    assert np.median(likely) > 0.8 * rates[-2]


@pytest.mark.parametrize(
    "rates", [np.zeros(300), np.full(300, 4.0), np.array([0.0, 5.0] * 150), np.array([3.0])]
)
def test_odd_workloads_still_have_an_distribution(rates: Floats) -> None:
    likely = RateDistribution(Window(2, 11)).likely_rates(rates)
    assert np.isfinite(likely).all()
    assert (np.diff(likely) >= 0).all()
    assert likely[0] >= 0


@pytest.mark.parametrize("day_steps", [1, 2, 24, 48])
@pytest.mark.parametrize("window", [Window(1, 1), Window(2, 49), Window(22, 31), Window(200, 209)])
def test_a_window_a_day_ahead_and_beyond_follows_the_newest_days_that_are_known(
    day_steps: int, window: Window
) -> None:
    rhythm = 1.0 + 0.6 * np.sin(2 * np.pi * np.arange(30 * 24 + 210) / max(day_steps, 4))
    known = len(rhythm) - 210
    likely = RateDistribution(window, day_steps).likely_rates(100.0 * rhythm[:known])
    assert np.isfinite(likely).all()
    if day_steps >= 24:
        ahead = 100.0 * rhythm[known + window.first - 1 : known + window.last]
        assert np.median(likely) == pytest.approx(np.median(ahead), rel=0.2)


def test_what_a_block_of_rates_ends_with_changes_no_forecast_made_before() -> None:
    """With hours as steps, the errors of the same hours before are younger than the window is long."""
    rates, window = daily_rates(1, 6)[::4], Window(2, 41)
    changed = np.concatenate((rates[:300], 9.0 * rates[300:310]))
    before, after = (RateDistribution(window, 24) for _ in range(2))
    before.likely_rates(rates[:310])
    after.likely_rates(changed)
    assert (before._spread_rows.all[:300] == after._spread_rows.all[:300]).all()


def test_rates_that_come_one_by_one_are_learned_as_those_that_come_together() -> None:
    """What is forecast depends on the rates seen, not on how often it was asked."""
    rates = daily_rates(1, 5)[:400]
    together, one_by_one = RateDistribution(Window(1, 5)), RateDistribution(Window(1, 5))
    for last in range(10, 391, 10):
        one_by_one.likely_rates(rates[:last])
    found = one_by_one.likely_rates(rates)
    assert found == pytest.approx(together.likely_rates(rates), rel=0.05)
