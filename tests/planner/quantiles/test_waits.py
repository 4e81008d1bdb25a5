"""Waits by instance: what a key finds, and when some tuple could wait longer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.quantiles.waits import InstanceWaits, Wait, search_cells, search_ends, spread_evenly

PARTS = np.array([0.5, 0.3, 0.2])
HOT = InstanceWaits.prepare(PARTS, np.array([4.0, 1.0, 0.0]), np.array([0.8, 0.5, 0.0]))
waits = st.builds(lambda delay, part: Wait(delay * part, part), st.floats(0.0, 10.0), st.floats(0.0, 1.0))


def test_a_key_finds_its_instance():
    keys = np.array([0.0, 0.49, 0.5, 0.79, 0.81, 1.0])
    assert HOT.find_instances(keys).tolist() == [0, 0, 1, 1, 2, 2]
    assert HOT.delays.tolist() == [5.0, 2.0, 0.0]
    assert not HOT.is_none
    assert InstanceWaits.prepare(PARTS, np.zeros(3), np.zeros(3)).is_none


def test_the_mean_wait_is_that_of_its_instances():
    draws = np.random.default_rng(1)
    at = HOT.find_instances(draws.random(100_000))
    waited = (
        draws.standard_exponential(100_000) * HOT.delays[at] * (draws.random(100_000) < HOT.probabilities[at])
    )
    assert np.mean(waited) == pytest.approx(0.5 * 4.0 + 0.3 * 1.0, rel=0.03)


@given(waits, waits)
def test_a_wait_is_longer_where_more_tuples_wait_or_wait_longer(one: Wait, other: Wait):
    longer = not one.is_none and (
        one.probability > other.probability * (1 + 1e-9)
        or one.delay_seconds > other.delay_seconds * (1 + 1e-9)
    )
    assert one.is_longer_than(other) == longer
    assert spread_evenly(one).is_longer_than(spread_evenly(other)) == longer
    assert not one.is_longer_than(one)


def test_one_longer_instance_is_enough():
    hotter = InstanceWaits.prepare(PARTS, np.array([4.0, 1.2, 0.0]), np.array([0.8, 0.5, 0.0]))
    assert hotter.is_longer_than(HOT)
    assert not HOT.is_longer_than(hotter)
    assert HOT.is_longer_than(Wait(4.0, 1.0))
    assert not HOT.is_longer_than(Wait(5.0, 1.0))
    wider = InstanceWaits.prepare(
        np.array([0.6, 0.2, 0.2]), np.array([4.0, 1.0, 0.0]), np.array([0.8, 0.5, 0.0])
    )
    assert wider.is_longer_than(HOT)


@given(
    st.lists(st.floats(1e-9, 1.0), min_size=1, max_size=200),
    st.sampled_from([1, 2, 64, 8192]),
    st.integers(0, 2**32 - 1),
)
def test_cells_find_the_same_instances_as_a_search(parts: list[float], cells: int, seed: int):
    ends = np.cumsum(parts) / np.sum(parts)
    keys = np.concatenate(
        [np.random.default_rng(seed).random(300), ends[ends < 1.0], [0.0, 0.5, 1.0 - 2**-53, 1.0]]
    )
    assert np.array_equal(search_cells(ends, keys, cells), search_ends(ends, keys))


@pytest.mark.parametrize("instances", [3, 300])
def test_many_keys_get_the_instances_that_they_get_one_by_one(instances: int):
    waits = InstanceWaits.prepare(np.linspace(1.0, 2.0, instances), np.ones(instances), np.ones(instances))
    keys = np.random.default_rng(1).random(140_000)
    some = slice(0, 140_000, 100)
    assert np.array_equal(waits.find_instances(keys)[some], waits.find_instances(keys[some]))
