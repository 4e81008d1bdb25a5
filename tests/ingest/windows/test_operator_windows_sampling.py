"""What a sample says of all tuples, beside what all of them say."""

from collections.abc import Callable

import numpy as np
import pytest

from ingest.measuring.columns import Floats, Integers, cut_segments
from ingest.measuring.dispersion import find_bin_lengths, find_dispersion, sum_squares
from ingest.windows.operator_windows import Sampling, find_sampling
from tests.ingest.reference import NS, scv

WINDOW_NS = 3600 * NS
LENGTHS = find_bin_lengths(WINDOW_NS)
ZERO = np.zeros(1)


def tell(every: float, *, logged: int = 1, sampled: int = 1, thinned: int = 0) -> Sampling:
    return Sampling(*(np.array([n]) for n in (every * logged, logged, sampled, thinned)))


def make_poisson(seed: int) -> Integers:
    found: Integers = np.sort(np.random.default_rng(seed).integers(0, WINDOW_NS, 720_000))
    return found


def make_bursts(seed: int) -> Integers:
    """A rate that changes each minute, and batches of three."""
    random = np.random.default_rng(seed)
    counts = random.poisson(np.where(np.arange(60) % 3 == 0, 8000, 2000))
    at = np.concatenate([minute + random.uniform(0, 1, count) for minute, count in enumerate(counts)])
    return np.repeat(np.sort((at * 60 * NS).astype(np.int64)), 3)


def measure(at: Integers) -> Floats:
    squares = sum_squares(at, cut_segments(np.zeros(len(at))), ZERO, WINDOW_NS)
    return find_dispersion(squares, np.array([float(len(at))]), np.array([float(WINDOW_NS)]), ZERO, WINDOW_NS)


def scale(at: Integers, sampling: Sampling) -> Floats:
    """I(t) of all, from the sampled arrivals."""
    return sampling.scale_dispersion(measure(at).T, LENGTHS[:, None] * len(at) / WINDOW_NS)[:, 0]


@pytest.mark.parametrize("make", [make_poisson, make_bursts])
def test_the_dispersion_of_a_sample_by_chance_is_about_that_of_all(make: Callable[..., Integers]):
    at, random = make(seed=1), np.random.default_rng(2)
    samples = [at[random.random(len(at)) < 0.1] for _ in range(12)]
    found = np.mean([scale(sample, tell(10, thinned=1)) for sample in samples], axis=0)
    assert found[:10] == pytest.approx(measure(at)[0, :10], rel=0.15)
    assert found[10:] == pytest.approx(measure(at)[0, 10:], rel=0.5), "few bins"


@pytest.mark.parametrize("make", [make_poisson, make_bursts])
def test_the_dispersion_of_every_tenth_is_that_of_all_where_it_can_be_known(make: Callable[..., Integers]):
    """In bins of few tuples one of ten is there or not, whatever the others do."""
    at = make(seed=3)
    found = scale(at[::10], tell(10))
    assert np.isnan(found[:2]).all()
    known = ~np.isnan(found)
    assert known[8:].all()
    assert found[known] == pytest.approx(measure(at)[0, known], rel=0.25)


def test_the_dispersion_of_all_is_taken_as_it_is():
    at = make_poisson(seed=4)[:5000]
    assert scale(at, tell(1, sampled=0)).tolist() == pytest.approx(measure(at)[0].tolist(), nan_ok=True)


def test_the_variation_of_gaps_is_brought_to_that_of_all():
    at = make_poisson(seed=5)
    gaps = np.diff(at)
    nth = scv(np.diff(at[::10]))
    chance = scv(np.diff(at[np.random.default_rng(6).random(len(at)) < 0.1]))
    assert tell(10).scale(np.array([nth])) == pytest.approx(scv(gaps), rel=0.03)
    assert tell(10, thinned=1).scale(np.array([chance])) == pytest.approx(scv(gaps), rel=0.15)
    assert tell(10, thinned=1).scale(np.array([0.2])) == [0.0], "no variation is negative"


def test_what_was_sampled_in_both_ways_is_unknown():
    mixed = tell(10, logged=5, sampled=4, thinned=3)
    assert np.isnan(mixed.scale(np.array([1.0]))).all()
    assert np.isnan(mixed.scale_dispersion(np.ones((3, 1)), np.ones((3, 1)))).all()


def test_the_edges_of_a_window_are_added_up():
    edges = {
        "operator": np.array([1, 0, 1, 1]),
        "window": np.array([5, 5, 5, 6]),
        "weight": np.array([30, 2, 10, 7]),
        "tuples": np.array([3, 2, 10, 7]),
        "sampled": np.array([3, 0, 0, 0]),
        "thinned": np.array([3, 0, 0, 0]),
    }
    found = find_sampling(edges)
    assert [column.tolist() for column in found] == [[2, 40, 7], [2, 13, 7], [0, 3, 0], [0, 3, 0]]
    assert found.every.tolist() == pytest.approx([1, 40 / 13, 1])
