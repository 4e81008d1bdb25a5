"""Counts of few things: their bands are whole counts with about the wanted probability."""

from math import exp, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.workloads.count_bands import CountBands, find_band, find_unit, forecast_counts
from planner.workloads.series import Measurement, Workload, regularise_workload
from planner.workloads.weighed_forecast import forecast_by_both, look_ahead

SECONDS = 60.0


def make_workload(counts: np.ndarray, unit: float = 1.0 / SECONDS) -> Workload:
    return regularise_workload(
        [Measurement(SECONDS * i, float(unit * one)) for i, one in enumerate(counts)], SECONDS
    )


def draw(steps: int, mean: float = 0.7, seed: int = 1) -> np.ndarray:
    """Counts whose mean rises and falls with the day."""
    day = np.sin(np.arange(steps) * 2.0 * np.pi / 1440)
    return np.random.default_rng(seed).poisson(mean * (1.0 + 0.6 * day)).astype(float)


def poisson_mass(mean: float, lower: int, upper: int) -> float:
    return sum(exp(-mean) * mean**one / factorial(one) for one in range(lower, upper + 1))


@given(mean=st.floats(0.01, 12.0), level=st.floats(0.5, 0.99))
def test_beyond_each_bound_lies_no_more_than_half_and_a_narrower_band_would_leave_more(
    mean: float, level: float
) -> None:
    lower, upper = map(int, find_band(mean, 1.0, level))
    tail = (1.0 - level) / 2.0
    assert poisson_mass(mean, 0, lower - 1) <= tail + 1e-9 <= poisson_mass(mean, 0, lower) + 2e-9
    assert 1.0 - poisson_mass(mean, 0, upper) <= tail + 1e-6
    assert 1.0 - poisson_mass(mean, 0, upper - 1) >= tail - 1e-6


def test_counts_that_vary_more_have_wider_bands() -> None:
    uppers = [find_band(2.0, dispersion, 0.95)[1] for dispersion in (1.0, 2.0, 8.0)]
    assert uppers == sorted(uppers)
    assert uppers[0] < uppers[2]


def test_the_bands_of_counts_are_whole_counts_and_hold() -> None:
    counts = draw(7 * 1440)
    held = []
    for known in np.linspace(3000, len(counts) - 61, 10).astype(int):
        made = forecast_by_both(make_workload(counts[:known]), 60, 0.95)
        assert made.kind == "counts"
        for bounds in (made.lower * SECONDS, made.upper * SECONDS):
            assert np.abs(bounds - np.rint(bounds)).max() < 1e-9
        came = counts[known : known + 60] / SECONDS
        held += list((made.lower - 1e-9 <= came) & (came <= made.upper + 1e-9))
    assert 0.94 <= np.mean(held) <= 0.995
    means = [CountBands(counts, (1440,)).band(lead, 0.95).expected for lead in (1, 360)]
    assert means == pytest.approx([0.7, 1.12], abs=0.25)


@pytest.mark.parametrize(
    ("rates", "unit"),
    [
        (draw(300), 1.0),
        (draw(300) / 7.0, 1.0 / 7.0),
        (draw(300, 300.0), None),  # many things
        (draw(300) + 1.0, None),  # never nothing
        (np.zeros(300), None),
        (np.random.default_rng(1).exponential(1.0, 300) * (draw(300) > 0), None),
    ],
)
def test_only_whole_multiples_of_a_unit_are_counts(rates: np.ndarray, unit: float | None) -> None:
    assert find_unit(make_workload(rates, 1.0)) == (unit if unit is None else pytest.approx(unit))


def test_what_was_not_measured_is_no_fraction_of_a_count() -> None:
    rates: list[float | None] = [*draw(300), None, None, 2.0]
    workload = regularise_workload([Measurement(SECONDS * i, one) for i, one in enumerate(rates)], SECONDS)
    assert find_unit(workload) == 1.0


def test_a_stretch_of_zeros_that_is_too_long_for_chance_is_named() -> None:
    counts = draw(2000)
    known = [one.code for one in forecast_counts(make_workload(counts), 1.0 / SECONDS, 10, 0.95).diagnostics]
    assert "sparse-counts" in known
    assert "zero-stretch" not in known
    counts[600:720], counts[[599, 720]] = 0.0, 1.0
    said = {
        one.code: one.detail
        for one in forecast_counts(make_workload(counts), 1.0 / SECONDS, 10, 0.95).diagnostics
    }
    assert said["zero-stretch"].startswith("Nothing came for 120 steps")
    assert "from 1970-01-01 10:00 to 1970-01-01 12:00" in said["zero-stretch"]


def test_the_highest_of_the_next_counts_is_a_whole_count_that_is_seldom_exceeded() -> None:
    counts = draw(5 * 1440)
    kept = []
    for known in range(3 * 1440, 5 * 1440 - 15, 97):
        past = [Measurement(SECONDS * i, float(one) / SECONDS) for i, one in enumerate(counts[:known])]
        ahead = look_ahead(past, SECONDS, 15, 0.9)
        most = SECONDS * ahead.upper_rate
        assert most == pytest.approx(round(most))
        assert (ahead.model, ahead.history) == ("counts", known)
        kept.append(counts[known : known + 15].max() <= most + 1e-9)
    assert 0.85 <= np.mean(kept) <= 1.0


def test_the_highest_of_independent_counts_has_the_product_of_their_probabilities() -> None:
    bands = CountBands(draw(2000, seed=3), [])
    bands.__dict__["_expect"] = lambda _: (0.8, 1.0)
    found = bands.highest(4, 0.95)[1]
    below = [poisson_mass(0.8, 0, int(one)) ** 4 for one in (found - 1.0, found)]
    assert below[0] < 0.95 <= below[1]
