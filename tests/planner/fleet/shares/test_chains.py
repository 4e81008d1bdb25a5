"""The exact chain of a topology beside every split."""

from random import Random

import pytest

from planner.fleet.claims import make_claim
from planner.fleet.shares.chains import draw_chain
from tests.planner.fleet.fleet_cases import SmallFleet, make_fleet


@pytest.mark.parametrize("seed", range(12))
def test_a_chain_has_the_best_split_of_each_number(seed: int) -> None:
    fleet, _ = make_fleet(Random(seed).randint(0, 10**6), has_groups=True)
    for member in fleet.members:
        claim = make_claim(member)
        chain = draw_chain(claim, 6)
        first, best = SmallFleet.list_chain(fleet, member)
        assert first == sum(claim.floors)
        assert chain.seconds.tolist() == pytest.approx(best[: chain.most + 1], rel=1e-10)
        for more in range(chain.most + 1):
            counts = chain.split(more)
            assert sum(counts) <= first + more
            assert claim.find_seconds(counts) == pytest.approx(chain.seconds[more], rel=1e-10)
