"""Forecasts judged from past moments: each knows what was known then, and its coverage is what it should be."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from planner.workloads.accuracy import RollingTerms, choose_origins, judge_forecasts
from planner.workloads.season_bands import MOST_STEPS_KNOWN
from planner.workloads.series import Measurement, Workload, WorkloadTooShort, regularise_workload
from planner.workloads.weighed_forecast import forecast_near, look_ahead

STEP = 60.0
TERMS = RollingTerms(leads=(1, 4, 16), origins=12, level=0.9, quantile=0.9)


def make_series(rates: Sequence[float | None]) -> Workload:
    return regularise_workload([Measurement(STEP * i, rate) for i, rate in enumerate(rates)], STEP)


def draw_ar(count: int, seed: int, phi: float = 0.8) -> list[float]:
    """An AR(1) process around 200: the deviation of its best forecast is known."""
    generator, value, found = np.random.default_rng(seed), 0.0, []
    for noise in generator.normal(0.0, 10.0, count):
        value = phi * value + noise
        found.append(200.0 + value)
    return found


def test_the_highest_rates_are_those_that_decisions_would_have_asked_for_then():
    rates = draw_ar(200, seed=2)
    found = judge_forecasts(make_series(rates), TERMS)
    measured = [Measurement(STEP * i, rate) for i, rate in enumerate(rates)]
    for place, lead in enumerate(TERMS.leads):
        # Further than a third of what is known, nothing is forecast.
        asked = [t for t in found.origins if t + lead <= len(rates) and lead <= t // 3]
        ahead = [look_ahead(measured[:t], STEP, lead, 0.9) for t in asked]
        came = [max(rates[t : t + lead]) for t in asked]
        one = found.peaks[place]
        assert one.judged == len(asked)
        assert one.covered == sum(a.upper_rate >= b for a, b in zip(ahead, came, strict=True))
        expected = sum(a.expected_rate - b for a, b in zip(ahead, came, strict=True)) / sum(came)
        assert one.mean_error == pytest.approx(expected)


def test_one_origin_is_judged_as_the_forecast_made_then():
    rates = draw_ar(121, seed=3)
    found = judge_forecasts(make_series(rates), replace(TERMS, leads=(1,), origins=1))
    then = forecast_near(make_series(rates[:120]), 1, 0.9)
    assert then.kind == "lines+seasons"
    assert found.origins == (120,)
    (one,) = found.rates
    assert one.mean_error == pytest.approx((then.expected[0] - rates[120]) / rates[120])
    assert bool(one.covered) is bool(then.lower[0] <= rates[120] <= then.upper[0])


def test_the_band_of_a_known_process_covers_what_it_should():
    near, far = judge_forecasts(
        make_series(draw_ar(1540, seed=4)), replace(TERMS, leads=(1, 8), origins=100)
    ).rates
    for one in (near, far):
        assert one.coverage == pytest.approx(0.9, abs=0.06)
        assert one.least_coverage is not None
        assert one.most_coverage is not None
        assert one.least_coverage <= 0.9 <= one.most_coverage
    # The best forecast has the mean absolute error of a Normal, 0.8 of its deviation: 10, and far ahead 10/0.6.
    # Lines do not know the process, and lose up to a fifth.
    for one, deviation in ((near, 10.0), (far, 10.0 / 0.6)):
        assert one.absolute_error is not None
        assert 0.9 < one.absolute_error * 200.0 / (0.8 * deviation) < 1.25


def test_steps_that_were_filled_in_neither_judge_nor_begin_a_forecast():
    rates: list[float | None] = list(draw_ar(160, seed=5))
    rates[130:150] = [None] * 20
    workload = make_series(rates)
    assert not set(choose_origins(workload, replace(TERMS, origins=200))) & set(range(131, 151))
    found = judge_forecasts(workload, replace(TERMS, leads=(4,), origins=200))
    at = [t for t in found.origins if t + 3 < 160 and t + 3 not in range(130, 150)]
    whole = [t for t in at if not set(range(t, t + 4)) & set(range(130, 150))]
    assert found.rates[0].judged == len(at)
    assert found.peaks[0].judged == len(whole)


def test_a_constant_rate_is_covered():
    found = judge_forecasts(make_series([50.0] * 120), TERMS)
    assert [one.coverage for one in (*found.rates, *found.peaks)] == [1.0] * 6
    assert [one.absolute_error for one in found.rates] == [0.0] * 3


def test_without_a_step_to_judge_by_there_is_no_accuracy():
    with pytest.raises(WorkloadTooShort):
        judge_forecasts(make_series(draw_ar(30, seed=6)), TERMS)
    found = judge_forecasts(make_series(draw_ar(31, seed=6)), TERMS).rates
    assert [one.judged for one in found] == [1, 0, 0]


def test_rates_before_the_day_and_the_history_of_its_first_moment_change_nothing():
    """The service therefore reads no more of what is stored (app/forecasts/workload/service.py)."""
    rates = np.random.default_rng(8).uniform(50.0, 150.0, MOST_STEPS_KNOWN + 400)
    measured = [Measurement(3600.0 * step, float(rate)) for step, rate in enumerate(rates)]
    whole, terms = regularise_workload(measured), RollingTerms((1, 6), 4, 0.9, 0.95)
    newest = regularise_workload(measured[-(whole.day_steps + MOST_STEPS_KNOWN + 1) :])
    found, expected = judge_forecasts(newest, terms), judge_forecasts(whole, terms)
    assert (found.rates, found.peaks) == (expected.rates, expected.peaks)
    assert found.rates[0].judged == len(found.origins) == 4
    fewer = regularise_workload(measured[-whole.day_steps - 100 :])
    assert judge_forecasts(fewer, terms).rates != expected.rates
