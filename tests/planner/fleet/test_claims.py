"""What topologies ask for: floors and needs."""

import pytest

from planner.errors import BudgetTooSmall
from planner.fleet.claims import find_needs, make_claim
from planner.situations.situation import survey_load
from planner.values import DEFAULT_MODEL, Entry, Load, Operator, OperatorLoad, Topology
from tests.planner.fleet.fleet_cases import make_member


def test_needs_are_the_fewest_for_the_target() -> None:
    claim = make_claim(make_member("a", 40.0, 0.12))
    assert claim.floors == [5]
    assert claim.find_seconds(claim.needs) <= 0.12 < claim.find_seconds([claim.needs[0] - 1])
    assert claim.limit_seconds == 0.12


@pytest.mark.parametrize(("floor", "most", "floors", "needs"), [(7, None, [7], [7]), (0, 6, [5], [6])])
def test_the_bounds_of_the_topology_bound_its_claim(
    floor: int, most: int | None, floors: list[int], needs: list[int]
) -> None:
    claim = make_claim(make_member("a", 40.0, 0.12, floor=floor, most=most))
    assert (claim.floors, claim.needs) == (floors, needs)


def test_a_bound_below_what_keeps_up_is_refused() -> None:
    with pytest.raises(BudgetTooSmall) as caught:
        make_claim(make_member("a", 40.0, 0.12, most=4))
    assert caught.value.needed == 5


def test_services_that_take_longer_than_the_target_are_no_claim() -> None:
    claim = make_claim(make_member("a", 40.0, 0.09))
    assert (claim.needs, claim.limit_seconds) == (claim.floors, None)


def test_bounds_that_forbid_the_target_leave_a_claim_near_it() -> None:
    topology = Topology((Operator("a", max_processors=6),), (), (Entry("a"),))
    situation = survey_load(topology, Load(40.0, {"a": OperatorLoad(10.0)}), DEFAULT_MODEL)
    at_most = situation.sum_sojourns(situation.wait_seconds([6]))
    needs, limit = find_needs(situation, 0.101)
    assert needs == [6]
    assert limit is not None
    assert at_most < limit < at_most + 0.25 * (at_most - 0.1) + 1e-12
