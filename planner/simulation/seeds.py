"""Sources of random numbers that differ by what they are for, and are the same for the same seed."""

import numpy as np

from planner.errors import InvalidLoad

ARRIVALS, SERVICES, CHOICES, COPIES, EVENTS = range(5)


def check_seed(seed: int) -> None:
    """Raise InvalidLoad for a seed below 0."""
    if seed < 0:
        raise InvalidLoad(f"seed is {seed}: give a whole number of at least 0.", "", "seed")


def make_random(seed: int, purpose: int, place: int = 0) -> np.random.Generator:
    """The source for one purpose at one station or link: what happens elsewhere does not change its numbers."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence((seed, purpose, place))))
