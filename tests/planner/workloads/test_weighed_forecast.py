"""Of lines and seasons the better one counts more, and a step has the same band however many steps are asked for."""

from collections.abc import Callable

import numpy as np
import pytest

from planner.arrays import Floats
from planner.workloads.rates_ahead import RateAhead, forecast_highest, read_history
from planner.workloads.season_bands import forecast_by_seasons
from planner.workloads.series import (
    ConstantWorkload,
    Measurement,
    Workload,
    WorkloadTooShort,
    regularise_workload,
)
from planner.workloads.weighed_forecast import forecast_by_both, forecast_near, look_ahead
from planner.workloads.workload_forecast import WorkloadForecast, forecast_by_lines, forecast_workload
from tests.planner.workloads.test_season_bands import DAY, waves, workload_of

ASKED = (30, 60, 61, 120, 240)
MADE_BY = (forecast_by_lines, forecast_by_seasons, forecast_by_both, forecast_workload)
KNOWN = (40, 65, 101, 190, 400, 1700)
"""Numbers of known steps: 240 steps ahead are within the reach of lines and seasons only for the largest of them."""

Make = Callable[[Workload, int, float], WorkloadForecast]


def measure(count: int) -> Workload:
    """Waves of four hours with noise, and a few minutes that were not measured."""
    random = np.random.default_rng(count)
    rates = 180.0 * np.exp(0.4 * np.sin(np.arange(count) / 38.0) + 0.05 * random.standard_normal(count))
    kept = [place for place in range(count) if place not in {7, 8, 20}]
    return regularise_workload([Measurement(60.0 * place, float(rates[place])) for place in kept])


@pytest.mark.parametrize("make", MADE_BY, ids=lambda one: one.__name__)
@pytest.mark.parametrize("count", KNOWN)
def test_a_step_has_the_same_band_however_many_steps_are_asked_for(make: Make, count: int) -> None:
    if make is not forecast_by_lines and make is not forecast_by_both and count < 101:
        count = 101
    workload = measure(count)
    bands = [
        np.array([found.expected, found.lower, found.upper])
        for found in (make(workload, steps, 0.95) for steps in ASKED)
    ]
    longest = bands[-1]
    for steps, band in zip(ASKED, bands, strict=True):
        assert band.shape[1] == min(steps, longest.shape[1])
        assert band.tolist() == longest[:, : band.shape[1]].tolist(), (count, steps)


def find_loss(forecast: WorkloadForecast, came: Floats) -> float:
    """The mean pinball loss of the bounds of 90%."""
    found = [
        np.maximum(share * (came - bound), (share - 1.0) * (came - bound)).mean()
        for share, bound in ((0.05, forecast.lower), (0.95, forecast.upper))
    ]
    return float(sum(found))


def test_of_lines_and_seasons_the_one_that_lost_less_counts_more() -> None:
    random = np.random.default_rng(3)
    walk = 100.0 * np.exp(np.cumsum(0.05 * random.standard_normal(12 * DAY)))
    for rates, by_seasons in ((waves(12, seed=2), True), (walk, False)):
        losses = []
        for known in range(8 * DAY, 12 * DAY - 40, 31):
            workload, came = workload_of(rates[:known]), rates[known : known + 40]
            made = [
                make(workload, 40, 0.9) for make in (forecast_by_lines, forecast_by_seasons, forecast_by_both)
            ]
            losses.append([find_loss(one, came) for one in made])
        lines, seasons, both = np.mean(losses, axis=0)
        assert (seasons < 0.7 * lines) == by_seasons
        assert both < 1.15 * min(lines, seasons)


def test_the_forecast_by_both_reaches_as_far_as_it_is_asked_to() -> None:
    rates = waves(20, seed=4)
    few, some, week = (workload_of(rates[:count]) for count in (40, 120, 1900))
    assert forecast_by_both(few, 13, 0.9).kind == "lines"
    near, on = forecast_by_both(some, 40, 0.9), forecast_by_both(some, 43, 0.9)
    assert near.kind == on.kind == "lines+seasons"
    assert on.upper.tolist() == [*near.upper, *forecast_workload(some, 43, 0.9).upper[40:]]
    beyond = {one.code: one.detail for one in on.diagnostics}["arma-beyond"]
    assert beyond.startswith("The 120 known steps allow such a forecast of 40 of the 43 steps.")
    far = forecast_by_both(week, 600, 0.9)
    assert (far.kind, len(far.expected)) == ("lines+seasons", 600)
    # Lines reach 480 steps ahead: beyond there are seasons alone.
    assert far.upper[480:].tolist() == forecast_by_seasons(week, 600, 0.9).upper[480:].tolist()
    assert "forecast-weighed" in {one.code for one in far.diagnostics}
    with pytest.raises(WorkloadTooShort):
        forecast_by_both(workload_of(rates[:29]), 5, 0.9)
    with pytest.raises(ConstantWorkload):
        forecast_by_both(workload_of(np.ones(200)), 5, 0.9)


def judge_highest(ahead: RateAhead, came: Floats) -> tuple[bool, float]:
    """Whether the highest rate that came was covered, and the pinball loss of the upper rate."""
    beyond = float(came.max()) - ahead.upper_rate
    return beyond <= 0.0, max(ahead.quantile * beyond, (ahead.quantile - 1.0) * beyond)


def measure_all(rates: Floats) -> list[Measurement]:
    return [Measurement(900.0 * place, float(rate)) for place, rate in enumerate(rates)]


def test_the_highest_of_the_next_rates_knows_the_days_before_and_is_covered_as_asked() -> None:
    rates = waves(12, seed=2)
    judged = []
    for known in range(8 * DAY, 12 * DAY - 8, 7):
        past, came = measure_all(rates[:known]), rates[known : known + 8]
        lines = forecast_highest(read_history(past, 900.0), 8, 0.9)
        judged.append([judge_highest(one, came) for one in (lines, look_ahead(past, 900.0, 8, 0.9))])
    (_, by_lines), (covered, by_both) = np.mean(judged, axis=0)
    assert by_both < 0.75 * by_lines
    assert covered == pytest.approx(0.9, abs=0.1)


def test_the_highest_rate_grows_with_the_rates_and_with_the_steps() -> None:
    past = measure_all(waves(6, seed=5))
    once, twice = (
        look_ahead([Measurement(one.at_seconds, scale * (one.rate or 0.0)) for one in past], 900.0, 5, 0.95)
        for scale in (1.0, 2.0)
    )
    assert twice.upper_rate == pytest.approx(2.0 * once.upper_rate)
    assert 0.0 < once.expected_rate < once.upper_rate
    assert "; seasons " in once.model
    assert once.history == len(past)
    uppers = [look_ahead(past, 900.0, steps, 0.95).upper_rate for steps in (1, 12, 48)]
    assert uppers == sorted(uppers)


def test_the_highest_of_few_rates_is_that_by_lines() -> None:
    past = measure_all(waves(6, seed=5)[:59])
    assert look_ahead(past, 900.0, 5, 0.95) == forecast_highest(read_history(past, 900.0), 5, 0.95)


def test_near_steps_are_those_of_the_whole_forecast() -> None:
    workload = measure(400)
    near, whole = forecast_near(workload, 240, 0.9), forecast_by_both(workload, 240, 0.9)
    assert len(near.upper) == 133
    assert near.upper.tolist() == whole.upper[:133].tolist()


def test_a_long_stretch_without_anything_is_named_and_a_single_zero_is_not() -> None:
    rates = waves(6, seed=5)
    rates[200] = 0.0
    assert "zero-stretch" not in {one.code for one in forecast_near(workload_of(rates), 10, 0.9).diagnostics}
    rates[300:340] = 0.0
    said = {one.code: one.detail for one in forecast_near(workload_of(rates), 10, 0.9).diagnostics}
    assert said["zero-stretch"].startswith("Nothing came for 40 steps, from 1970-01-04 03:00 to")
