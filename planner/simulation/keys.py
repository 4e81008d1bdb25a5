"""The key of a root at a station, as a number in [0, 1): the same root has the same key there in every simulation."""

import numpy as np

from planner.simulation.compiled import inlined


@inlined
def hash_key(root: int, station: int) -> float:
    """The finaliser of splitmix64 (Steele, Lea and Flood 2014)."""
    mixed = np.uint64(root) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(station + 1) * np.uint64(
        0xD1B54A32D192ED03
    )
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed = mixed ^ (mixed >> np.uint64(31))
    return float(mixed >> np.uint64(11)) / 9007199254740992.0
