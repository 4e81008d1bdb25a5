"""The board of a fleet: gains in weighted seconds, and last processors that gain less."""

import pytest

from planner.fleet.claims import make_claim
from planner.fleet.shares.pool import Pool
from tests.planner.fleet.fleet_cases import make_member


def test_gains_on_the_board_are_weighted_seconds() -> None:
    claims = [make_claim(make_member("a", 40.0, None, weight=3.0)), make_claim(make_member("b", 90.0, None))]
    pool = Pool.for_times(claims, [claim.floors for claim in claims])
    assert pool.take(4) == 4
    taken = pool.split()
    total = sum(c.member.weight * c.find_seconds(k) for c, k in zip(claims, taken, strict=True))
    gains, kinds = pool.list_back(2)
    assert kinds.tolist() == [1, 1]
    pool.give_back(2)
    left = sum(c.member.weight * c.find_seconds(k) for c, k in zip(claims, pool.split(), strict=True))
    assert left - total == pytest.approx(gains.sum(), rel=1e-9)


def test_the_last_processor_gains_only_down_to_the_target() -> None:
    claim = make_claim(make_member("a", 40.0, 0.12))
    pool = Pool.for_lateness([claim])
    before = claim.find_seconds([claim.needs[0] - 1])
    assert pool.lasts.gains.tolist() == pytest.approx([(before - 0.12) / 0.12], rel=1e-9)
    assert pool.take(claim.missing) == claim.missing
    assert pool.split() == [claim.needs]
    pool.give_back(1)
    assert pool.split() == [[claim.needs[0] - 1]]


def test_a_board_takes_no_more_than_gains_anything() -> None:
    claim = make_claim(make_member("a", 40.0, 0.12))
    pool = Pool.for_lateness([claim])
    assert pool.take(1000) == claim.missing
