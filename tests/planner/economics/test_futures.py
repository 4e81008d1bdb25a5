"""Paths of the rate: a ramp goes on, a step does not, and nothing goes far beyond what was seen."""

import numpy as np
import pytest

from planner.economics.futures import BEYOND_SEEN, Futures, find_levels, look_into_futures, take_logs


def vary(rates: np.ndarray, noise: float = 0.03) -> np.ndarray:
    return rates * np.exp(noise * np.random.default_rng(1).standard_normal(len(rates)))


def find_mean(futures: Futures, minutes: int) -> float:
    return float(np.exp((futures.paths[:, round(minutes / futures.step) - 1] * futures.weights).sum()))


def test_weights_sum_to_one():
    for count in (1, 2, 10, 100, 1_000):
        rates = vary(np.full(count, 20.0))
        assert look_into_futures(rates, 1.0).weights.sum() == pytest.approx(1.0)
        unlike_all = np.append(rates, 400.0)
        assert look_into_futures(unlike_all, 1.0).weights.sum() == pytest.approx(1.0)


def test_a_constant_rate_stays():
    futures = look_into_futures(vary(np.full(300, 20.0)), 1.0)
    assert find_mean(futures, 30) == pytest.approx(20.0, rel=0.06)


def test_a_ramp_goes_on():
    rates = vary(10.0 * 4.0 ** np.clip((np.arange(240) - 200) / 60.0, 0.0, None))
    assert find_mean(look_into_futures(rates, 1.0), 20) > 1.2 * rates[-1]


def test_a_finished_step_is_not_extrapolated():
    rates = vary(np.where(np.arange(210) < 200, 10.0, 20.0))
    futures = look_into_futures(rates, 1.0)
    assert find_mean(futures, 30) == pytest.approx(20.0, rel=0.12)
    assert futures.level.slope == pytest.approx(0.0, abs=0.005)


def test_a_jump_is_the_level_at_once():
    rates = vary(np.where(np.arange(201) < 200, 10.0, 20.0))
    level = look_into_futures(rates, 1.0).level
    assert np.exp(level.value) == pytest.approx(rates[-1])
    assert level.fresh_jump == pytest.approx(np.log(2.0), abs=0.15)


def test_a_jump_seen_once_may_go_on():
    """Half of the jump may have been within the first interval."""
    once = look_into_futures(vary(np.where(np.arange(201) < 200, 10.0, 15.0)), 1.0)
    twice = look_into_futures(vary(np.where(np.arange(202) < 200, 10.0, 15.0)), 1.0)
    assert once.find_highest() > 1.2 * twice.find_highest()
    assert twice.level.fresh_jump == 0.0


def test_no_path_goes_far_beyond_what_was_seen():
    rates = vary(np.full(300, 20.0), 0.1)
    futures = look_into_futures(rates, 1.0)
    assert np.exp(futures.paths.max()) <= rates.max() * np.exp(BEYOND_SEEN) * 1.001


def test_longer_intervals_see_the_same():
    minutes = 10.0 * 4.0 ** np.clip((np.arange(240) - 200) / 60.0, 0.0, None)
    by_five = look_into_futures(minutes.reshape(-1, 5).mean(axis=1), 5.0)
    assert by_five.paths.shape[1] == 12
    assert find_mean(by_five, 20) > 1.2 * minutes[-1]


def test_minutes_without_tuples_have_a_finite_logarithm():
    assert np.isfinite(take_logs(np.array([0.0, 3.0, 0.0]))).all()
    assert np.isfinite(take_logs(np.zeros(3))).all()


@pytest.mark.parametrize("since", [2, 3, 4, 5, 8])
def test_a_step_has_no_slope_whatever_the_noise_beside_it(since: int):
    for seed in range(20):
        noise = np.exp(0.06 * np.random.default_rng(seed).standard_normal(200 + since))
        rates = np.where(np.arange(200 + since) < 200, 10.0, 20.0) * noise
        assert look_into_futures(rates, 1.0).level.slope < 0.02


def test_a_dip_of_some_minutes_is_no_lower_level_of_a_quarter_of_an_hour():
    noisy = vary(np.full(300, 20.0))
    futures = look_into_futures(np.append(noisy, [18.5, 18.4, 18.6]), 1.0)
    assert np.exp(futures.level.value) < 18.7
    calm = futures.calm_down()
    assert np.exp(calm.level.value) == pytest.approx(20.0, rel=0.02)
    assert (calm.paths > futures.paths).all()


def test_the_level_of_a_quarter_of_an_hour_follows_a_slope_and_begins_at_a_jump():
    falling = vary(40.0 * np.exp(-0.03 * np.clip(np.arange(300) - 250, 0, None)), 0.005)
    assert np.exp(look_into_futures(falling, 1.0).calm_down().level.value) == pytest.approx(
        falling[-1], rel=0.1
    )
    fallen = vary(np.where(np.arange(210) < 200, 40.0, 20.0))
    assert np.exp(look_into_futures(fallen, 1.0).calm_down().level.value) == pytest.approx(20.0, rel=0.05)


def test_noise_alone_is_no_jump():
    levels = find_levels(take_logs(vary(np.full(500, 20.0), 0.1)), 1.0)
    assert levels.is_jump.sum() <= 3


def test_a_jump_back_to_rates_that_were_seen_goes_on_to_the_highest_of_them_at_most():
    calm = vary(np.full(200, 20.0))
    back = look_into_futures(np.append(calm, [2.0] * 20 + [20.0]), 1.0)
    assert back.level.fresh_jump > 1.0
    assert back.find_highest() < 1.5 * calm.max()
    half_way = look_into_futures(np.append(calm, [2.0] * 20 + [10.0]), 1.0)
    assert half_way.find_highest() > calm.mean()
    beyond = look_into_futures(np.append(calm, [2.0] * 20 + [40.0]), 1.0)
    assert beyond.find_highest() > 80.0


def test_what_is_left_between_many_jumps_is_no_slope():
    """Minutes of a server that failed and recovered: of five stretches, two have no jump."""
    calm = 70.0 * np.exp(0.15 * np.random.default_rng(1).standard_normal(40))
    newest = [86, 85, 87, 80, 80, 95, 73, 90, 74, 35, 98, 92, 74, 73, 81, 65, 62, 26, 31, 11, 67, 72]
    assert abs(look_into_futures(np.append(calm, newest), 1.0).level.slope) < 0.01
