"""Sources of random numbers."""

from itertools import product

import pytest

from planner.errors import InvalidLoad
from planner.simulation.arrivals import ARRIVALS, COPIES, SERVICES, check_seed, make_random


def test_the_same_seed_and_purpose_give_the_same_numbers():
    assert make_random(5, SERVICES, 2).random(9).tolist() == make_random(5, SERVICES, 2).random(9).tolist()


def test_seeds_purposes_and_places_do_not_share_numbers():
    kinds = list(product((0, 1, 2), (ARRIVALS, SERVICES, COPIES), (0, 1, 2)))
    assert len({make_random(*kind).random() for kind in kinds}) == len(kinds)


def test_a_seed_below_zero_is_refused():
    check_seed(0)
    with pytest.raises(InvalidLoad, match="at least 0"):
        check_seed(-1)
