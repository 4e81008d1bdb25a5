"""Means with intervals: their formula, how often they hold, and where there is none."""

import numpy as np
import pytest
from scipy import stats

from planner.simulation.measures import Tally, find_half_width
from planner.simulation.results import ServedVisits
from tests.planner.simulation.systems import simulate_one, wait_of_pollaczek


def test_batches_of_one_size_have_the_interval_of_student():
    means = np.random.default_rng(1).normal(3.0, 0.5, 30)
    low, high = stats.t.interval(0.95, 29, means.mean(), stats.sem(means))
    assert find_half_width(means * 40.0, np.full(30, 40.0)) == pytest.approx((high - low) / 2.0)


def test_a_ratio_counts_the_scatter_of_both_sums():
    """Sums in fixed proportion to their sizes leave the ratio certain."""
    sizes = np.random.default_rng(1).uniform(10.0, 20.0, 30)
    assert find_half_width(sizes * 0.7, sizes) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(("batches", "sizes"), [(9, 50.0), (30, 0.0)])
def test_too_little_has_no_interval(batches: int, sizes: float):
    assert find_half_width(np.ones(batches), np.full(batches, sizes)) is None


def test_intervals_hold_the_exact_mean_in_about_95_of_100_runs():
    """Of 100 intervals that hold in 95%, 88 to 99 do (binomial, 99.5%)."""
    exact = wait_of_pollaczek(0.7, 1.0)
    held = 0
    for seed in range(100):
        one = simulate_one(0.7, roots=30_000, seed=seed).operators[0]
        assert one.half_width_seconds is not None
        held += abs(one.wait_seconds - exact) < one.half_width_seconds
    assert 88 <= held <= 99


def test_the_warm_up_is_cut_off_and_the_rest_is_cut_into_batches():
    arrivals = np.arange(1.0, 401.0)
    tally = Tally.start(arrivals, 100, 1)
    roots = np.arange(400)
    wait = np.where(roots < 100, 1000.0, 2.0)
    tally.record(ServedVisits(0, roots * 0, roots, arrivals, arrivals + wait, arrivals + wait + 0.5))
    assert (tally.mean_by_visit(0, 0), tally.mean_by_visit(0, 1), tally.visits_by_root(0)) == (2.0, 2.5, 1.0)
    assert tally.sums[0, :, 2].tolist() == [10.0] * 30 + [100.0]
    assert tally.count_events() == 800
    total = tally.measure_totals([0.5])
    assert (total.mean_seconds, total.half_width_seconds) == (2.5, 0.0)
    assert [(one.quantile, one.seconds) for one in total.quantiles] == [(0.5, 2.5)]


def test_a_station_that_no_tuple_visits_has_no_interval():
    tally = Tally.start(np.arange(1.0, 401.0), 0, 1)
    assert tally.mean_by_visit(0, 0) == 0.0
    assert tally.half_width_by_visit(0, 0) is None
    assert tally.measure_completions([]).mean_seconds == 0.0
