"""The index of dispersion beside known processes, and beside a direct count of bins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.measuring.columns import Floats, Integers, cut_segments
from ingest.measuring.dispersion import LEAST_BINS, SCALES, find_bin_lengths, find_dispersion, sum_squares
from tests.ingest.reference import NS

WINDOW_NS = 60 * NS
LENGTHS = find_bin_lengths(WINDOW_NS)
NO_TIME = np.zeros(1)


def measure(offsets: Integers, shortest_ns: float = 0.0, covered_ns: int = WINDOW_NS) -> Floats:
    """I(t) at all scales, of one window."""
    shortest, spots = np.array([shortest_ns]), cut_segments(np.zeros(len(offsets)))
    squares = sum_squares(offsets, spots, shortest, WINDOW_NS)
    tuples, covered = np.array([float(len(offsets))]), np.array([float(covered_ns)])
    found: Floats = find_dispersion(squares, tuples, covered, shortest, WINDOW_NS)[0]
    return found


def count_directly(offsets: Integers, length: int) -> float:
    """Variance over mean of the counts in bins; the last bin may be shorter."""
    counts = np.bincount(offsets // length, minlength=-(-WINDOW_NS // length))
    return float(counts.var() / counts.mean())


def make_poisson(count: int, seed: int) -> Integers:
    found: Integers = np.sort(np.random.default_rng(seed).integers(0, WINDOW_NS, count))
    return found


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, WINDOW_NS - 1), min_size=2, max_size=30))
def test_it_is_the_variance_over_the_mean_of_counts_in_bins(at: list[int]):
    offsets = np.sort(np.array(at))
    found = measure(offsets)
    for length, index in zip(LENGTHS[4:].tolist(), found[4:], strict=True):
        assert index == pytest.approx(count_directly(offsets, length), rel=1e-3, abs=1e-9)


def test_bins_double_up_to_a_128th_of_the_window():
    assert len(LENGTHS) == SCALES
    assert (np.diff(LENGTHS) == LENGTHS[:-1]).all()
    assert 127.9 < WINDOW_NS / LENGTHS[-1] <= 128
    assert find_bin_lengths(NS)[0] * 2**20 >= NS


def test_of_poisson_arrivals_it_is_one_at_every_scale():
    assert measure(make_poisson(200_000, seed=1)) == pytest.approx(np.ones(SCALES), abs=0.5)
    assert measure(make_poisson(200_000, seed=1))[:8] == pytest.approx(np.ones(8), abs=0.02)


def test_of_arrivals_like_a_clock_it_vanishes_beyond_their_gap():
    gap = int(LENGTHS[6])
    found = measure(np.arange(0, WINDOW_NS, gap))
    assert found[:6] == pytest.approx(1 - LENGTHS[:6] / gap, abs=1e-3), "bins with one arrival or none"
    assert found[6:] == pytest.approx(np.zeros(SCALES - 6), abs=1e-2)


@pytest.mark.parametrize("size", [3, 20])
def test_of_batches_it_is_their_size(size: int):
    found = measure(np.repeat(make_poisson(40_000, seed=2), size))
    assert found[:9] == pytest.approx(np.full(9, float(size)), rel=0.06)
    assert found == pytest.approx(np.full(SCALES, float(size)), rel=0.5)


def test_slow_waves_show_at_long_scales_only():
    """A rate that changes every half second, between 500 and 1500/s: I(t) = 1 + (variance of the rate) t / mean."""
    random, steps = np.random.default_rng(3), 120
    counts = random.poisson(np.where(np.arange(steps) % 2, 1500, 500) / 2)
    at = np.concatenate([n * 0.5 + random.uniform(0, 0.5, c) for n, c in enumerate(counts)])
    found = measure(np.sort((at * NS).astype(np.int64)))
    assert found[:7] == pytest.approx(1 + 500**2 / 1000 * LENGTHS[:7] / NS, rel=0.1)
    assert found[-2] > 20


def test_scales_of_few_bins_or_below_a_service_are_unknown():
    offsets = make_poisson(5000, seed=4)
    half = measure(offsets[offsets < WINDOW_NS // 2], covered_ns=WINDOW_NS // 2)
    assert np.isnan(half).tolist() == (WINDOW_NS / 2 / LENGTHS < LEAST_BINS).tolist()
    slow = measure(offsets, shortest_ns=float(LENGTHS[5]))
    assert np.isnan(slow).tolist() == (LENGTHS[5] / 2 >= LENGTHS).tolist()
    assert np.isnan(measure(offsets[:1])).all(), "one arrival has no variance"


def test_several_segments_are_measured_each():
    sizes = (3000, 10, 700)
    parts = [make_poisson(size, seed=size) for size in sizes]
    spots = cut_segments(np.repeat([0, 1, 2], sizes))
    shortest = np.array([float(LENGTHS[4]), 10.0, float(LENGTHS[8])])
    together = sum_squares(np.concatenate(parts), spots, shortest, WINDOW_NS)
    for part, found in zip(parts, together, strict=True):
        alone = sum_squares(part, cut_segments(np.zeros(len(part))), NO_TIME, WINDOW_NS)
        assert found.tolist() == alone[0].tolist()


def test_a_scale_that_one_part_of_a_window_left_out_is_unknown_and_not_too_small():
    """Services are long in the first half, whose short bins are therefore not counted."""
    offsets = make_poisson(20_000, seed=5)
    halves = [offsets[offsets < WINDOW_NS // 2], offsets[offsets >= WINDOW_NS // 2]]
    squares = sum(
        sum_squares(half, cut_segments(np.zeros(len(half))), np.array([shortest]), WINDOW_NS)
        for half, shortest in zip(halves, (float(LENGTHS[6]), 0.0), strict=True)
    )
    assert isinstance(squares, np.ndarray)
    whole = find_dispersion(squares, np.array([20_000.0]), np.array([6e10]), NO_TIME, WINDOW_NS)[0]
    assert np.isnan(whole).tolist() == [True] * 5 + [False] * (SCALES - 5)
