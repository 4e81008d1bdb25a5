"""Eq. 22: an instance has room where no resource goes above its limit."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from planner.nodes.usage import NOTHING, ROUNDING, Usage, has_room

TENTHS = st.integers(0, 10)
THREE = st.tuples(TENTHS, TENTHS, TENTHS)


def as_usage(tenths: tuple[int, int, int]) -> Usage:
    return Usage(*(one / 10 for one in tenths))


@given(THREE, THREE, THREE)
def test_there_is_room_where_exact_sums_stay_within_every_limit(
    used: tuple[int, int, int], taken: tuple[int, int, int], limits: tuple[int, int, int]
):
    """In tenths: the sum of 0.1 and 0.2 is no more than 0.3, whatever doubles make of it."""
    sums = [Fraction(one + other, 10) for one, other in zip(used, taken, strict=True)]
    exact = all(one <= Fraction(most, 10) for one, most in zip(sums, limits, strict=True))
    assert has_room(as_usage(used), as_usage(taken), as_usage(limits)) == exact


def test_one_resource_too_many_is_no_room():
    limits = Usage(0.9, 0.9, 0.9)
    assert has_room(Usage(0.5, 0.5, 0.5), Usage(0.4, 0.4, 0.4), limits)
    for instance in (Usage(0.5, 0.1, 0.1), Usage(0.1, 0.5, 0.1), Usage(0.1, 0.1, 0.5)):
        assert not has_room(Usage(0.5, 0.5, 0.5), instance, limits)
    assert not has_room(Usage(0.9 + 2 * ROUNDING, 0.0), NOTHING, limits)
