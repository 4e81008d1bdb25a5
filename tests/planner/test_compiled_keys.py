"""Keys of roots."""

import numpy as np

from planner.arrays import Floats
from planner.compiled import compiled, hash_key


@compiled
def hash_keys(count: int, station: int) -> Floats:
    keys = np.empty(count)
    for root in range(count):
        keys[root] = hash_key(root, station)
    return keys


def test_keys_are_even_and_differ_between_stations():
    here, there = hash_keys(100_000, 0), hash_keys(100_000, 1)
    for keys in (here, there):
        counts, _ = np.histogram(keys, 20, (0.0, 1.0))
        assert np.sum((counts - 5_000) ** 2 / 5_000) < 43.8  # χ² with 19 degrees of freedom, 0.1%
    assert abs(np.corrcoef(here, there)[0, 1]) < 0.01
    assert abs(np.corrcoef(here[1:], here[:-1])[0, 1]) < 0.01
    assert hash_keys(10, 0).tolist() == here[:10].tolist()
