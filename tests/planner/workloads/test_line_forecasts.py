"""Lines through the newest rates: least squares by numpy, errors of the past in units of the level."""

import numpy as np
import pytest

from planner.workloads.line_forecasts import (
    TriedForecast,
    find_levels,
    fit_lines,
    take_history,
    take_known,
    try_candidates,
)
from planner.workloads.series import Measurement, regularise_workload

RATES = np.random.default_rng(3).gamma(9.0, 20.0, 200)


def test_a_line_is_the_least_squares_line_of_its_window():
    lines = fit_lines(RATES)
    moments = lines.ends.shape[1]
    for window in (4, 12, 48):
        row = lines.names.index(f"trend of {window}")
        for now in (160, 199):
            slope, _ = np.polyfit(np.arange(window), RATES[now - window + 1 : now + 1], 1)
            value = np.polyval(
                np.polyfit(np.arange(window), RATES[now - window + 1 : now + 1], 1), window + 4
            )
            place = row, now - len(RATES) + moments
            assert lines.slopes[place] == pytest.approx(slope)
            assert lines.after(5)[place] == pytest.approx(value)
            assert lines.highest(5)[place] == pytest.approx(max(value, value - 4 * slope))
    assert lines.after(9)[lines.names.index("mean of 6"), -1] == pytest.approx(RATES[-6:].mean())


def test_windows_take_no_more_than_a_third_of_the_rates():
    lines = fit_lines(RATES[:12])
    assert lines.names == ("mean of 1", "mean of 3", "trend of 4")
    assert lines.ends.shape == lines.slopes.shape == (3, 9)


def test_the_level_is_a_mean_of_the_rates_so_far_over_a_floor():
    weight, level, expected = 1.0 / 30.0, RATES[0], []
    for rate in RATES:
        level = (1.0 - weight) * level + weight * rate
        expected.append(level + 0.6 * RATES.mean())
    assert find_levels(RATES) == pytest.approx(expected)


def test_errors_follow_the_level():
    """A tenth too high and too low by turns: at a level ten times as high the errors are ten times as large."""
    turns = np.tile([0.9, 1.1], 300)
    level = np.repeat([100.0, 1000.0], 600)
    rates = level * np.concatenate([turns, turns])
    for known in (600, 1200):
        found = try_candidates(("level",), level[np.newaxis, :known], rates[1:known], level[:known], (0.9,))
        assert found.now == level[known - 1]
        assert found.find_quantile(0.8) == pytest.approx(1.1 * found.now)
        assert found.find_quantile(0.2) == pytest.approx(0.9 * found.now)


def test_the_loss_is_that_of_quantiles_learned_from_the_older_half():
    level, rates = np.full(9, 2.0), np.array([0.0, 3.0, 1.0, 4.0, 2.0, 6.0, 0.0, 2.0, 5.0])
    found = try_candidates(("level",), level[np.newaxis], rates[1:], level, (0.5,))
    learned = np.median((rates[1:5] - 2.0) / 2.0)
    expected = np.mean(0.5 * np.abs((rates[5:] - 2.0) / 2.0 - learned) * 2.0)
    assert found.find_loss(level, (0.5,)) == pytest.approx(expected)


def test_the_tail_is_smaller_where_few_errors_are_independent():
    errors = np.arange(1000.0)
    many, few = (TriedForecast(0.0, errors, (), pieces) for pieces in (20.0, 5.0))
    assert many.find_quantile(0.95) == pytest.approx(np.quantile(errors, 0.95))
    assert few.find_quantile(0.95) == pytest.approx(np.quantile(errors, 1.0 - 0.05 * 0.25))
    assert few.find_quantile(0.05) == pytest.approx(np.quantile(errors, 0.05 * 0.25))
    assert few.middle == many.middle == pytest.approx(499.5)


def test_what_lies_before_a_long_gap_is_left_out():
    def at(minutes: range) -> list[Measurement]:
        return [Measurement(60.0 * minute, 5.0) for minute in minutes]

    assert take_history([*at(range(50)), *at(range(340, 360))], 60.0) == [
        *at(range(50)),
        *at(range(340, 360)),
    ]
    assert take_history([*at(range(50)), *at(range(360, 380))], 60.0) == at(range(360, 380))
    assert take_history([], 60.0) == []


@pytest.mark.parametrize(("gap", "first"), [(300, 40), (301, 350)])
def test_the_newest_measured_rates_without_a_long_gap_are_known(gap: int, first: int) -> None:
    steps = [*range(50), *range(49 + gap, 449 + gap)]
    workload = regularise_workload([Measurement(60.0 * step, float(step)) for step in steps], 60.0)
    known = take_known(workload, 410)
    assert (known.rates[0], known.rates[-1]) == (first, 448.0 + gap)
    assert known.start_seconds == 60.0 * first
    assert known.filled_steps == (tuple(range(10, 9 + gap)) if gap == 300 else ())
    assert take_known(workload, 7).rates == workload.rates[-7:]
