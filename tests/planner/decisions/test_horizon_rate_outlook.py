"""The rate to be ready for, as a policy asks for it; and a day lived through with it."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from planner.decisions.horizon import (
    MOST_COOLDOWN_STEPS,
    NO_OUTLOOK,
    RateOutlook,
    count_cooldown_steps,
    forecast_each_step,
    look_out,
)
from planner.decisions.policy import Policy
from planner.workloads.weighed_forecast import look_ahead
from tests.planner.decisions.simulated_days import STEP, live_through, remember

POLICY = Policy(t_max_seconds=1.0, t_min_seconds=0.6, cooldown_seconds=5 * STEP)

WAVE = [50.0 + 10.0 * math.sin(i / 9.0) + (i * 7 % 5) for i in range(60)]


def look(rates: Sequence[float]) -> float | None:
    return look_out(remember(rates), POLICY).upper_rate


def test_it_looks_as_far_as_the_cooldown_at_the_policy_s_quantile():
    sure = replace(POLICY, qos_target=0.99)
    history = remember(WAVE)
    assert look_out(history, sure).rate == look_ahead(history.measurements, STEP, 5, 0.99)
    assert look_out(history, sure, steps=2).rate == look_ahead(history.measurements, STEP, 2, 0.99)


def test_too_few_rates_are_no_outlook_and_the_diagnostics_say_why():
    found = look_out(remember(WAVE[:7]), POLICY)
    assert (found.rate, found.upper_rate) == (None, None)
    assert [(one.code, found.missing in one.detail) for one in found.diagnostics] == [("no-look-ahead", True)]
    assert NO_OUTLOOK.diagnostics == ()
    assert RateOutlook(look_out(remember([5.0] * 40), POLICY).rate).diagnostics[0].code == "constant-rate"


@pytest.mark.parametrize(
    ("cooldown", "steps"), [(0.0, 1), (1.0, 1), (60.0, 1), (61.0, 2), (300.0, 5), (1e9, MOST_COOLDOWN_STEPS)]
)
def test_a_cooldown_counts_in_whole_intervals(cooldown: float, steps: int):
    assert count_cooldown_steps(replace(POLICY, cooldown_seconds=cooldown), STEP) == steps


def test_only_a_target_follows_the_rate_to_come():
    assert POLICY.is_looking_ahead
    assert not replace(POLICY, look_ahead=False).is_looking_ahead
    assert not Policy(k_max=9).is_looking_ahead


def test_each_step_is_forecast_as_far_as_the_policy_s_horizon():
    found = forecast_each_step(remember([5.0] * 40), replace(POLICY, horizon_seconds=8 * STEP), 2)
    assert (found.rates, found.step_seconds) == ((5.0,) * 8, STEP)
    short = forecast_each_step(remember(WAVE[:7]), POLICY, 2)
    assert (short.rates, "and 7 are known" in short.missing) == ((), True)


def make_day(minutes: int) -> list[float]:
    """Quiet, a ramp to five times as much, a plateau, and back; with noise that lasts some minutes."""
    generator = np.random.default_rng(4)
    corners = ([0.0, 0.1, 0.5, 0.7, 1.0], [8.0, 8.0, 40.0, 40.0, 8.0])
    rates, noise = [], 0.0
    for minute in range(minutes):
        noise = 0.8 * noise + generator.normal(0.0, 0.02)
        rates.append(float(np.interp(minute / minutes, *corners)) * math.exp(noise))
    return rates


def test_a_day_with_a_ramp_misses_a_third_as_often_for_an_eighth_more_processors():
    rates = make_day(360)
    before, ahead = (live_through(rates, replace(POLICY, look_ahead=one)) for one in (False, True))
    print(before, ahead)  # noqa: T201 -- for `pytest -rP`
    assert before.missed >= 20
    assert ahead.missed <= before.missed / 3.0
    assert ahead.processors <= 1.125 * before.processors
