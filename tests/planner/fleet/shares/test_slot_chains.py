"""The slots of topologies whose threads share them, beside every split."""

from itertools import product

import pytest

from planner.errors import BudgetTooSmall
from planner.fleet.claims import Member, make_claim
from planner.fleet.footprint import Footprint
from planner.fleet.plan import plan_fleet
from planner.fleet.shares.slot_chains import SlotChain
from planner.placements.profiles import Profile, ProfilePoint
from planner.situations.situation import Situation, survey_load
from planner.values import DEFAULT_MODEL, Edge, Entry, Load, Operator, OperatorLoad, Topology
from tests.planner.fleet.fleet_cases import make_member

FOUR = Profile("four", tuple(ProfilePoint(k, 10.0 * k, 0.25 * k, 0.1 * k) for k in range(1, 5)))
"""Four threads fill a slot."""


def make_situation(rate: float = 40.0) -> Situation:
    """Two operators of which a thread serves 10/s."""
    topology = Topology((Operator("a"), Operator("b")), (Edge("a", "b"),), (Entry("a"),))
    load = Load(rate, {name: OperatorLoad(10.0) for name in "ab"})
    return survey_load(topology, load, DEFAULT_MODEL, is_open=True)


def share_slots(*shared: str, **terms: object) -> Member:
    """A topology of these two operators; the threads of those named share slots."""
    footprint = Footprint(["a", "b"], dict.fromkeys(shared, FOUR))
    return Member("t", make_situation(), footprint=footprint, **terms)  # type: ignore[arg-type]


def find_best(member: Member, slots: int) -> float:
    """The least E[T] of all splits that fit into so many slots."""
    situation, footprint = member.situation, member.footprint
    assert footprint is not None
    fitting = [one for one in product(range(5, 30), repeat=2) if footprint.count_slots(one) <= slots]
    return min(situation.sum_sojourns(situation.wait_seconds(one)) for one in fitting)


@pytest.mark.parametrize("shared", [("a", "b"), ("a",), ()])
def test_each_number_of_slots_has_a_good_split(shared: tuple[str, ...]):
    """Waits are at most 1.6 times those of the best of all splits, which is not searched for."""
    member = share_slots(*shared)
    claim = make_claim(member)
    chain, first = SlotChain.draw(claim, 5), claim.measure(claim.floors)
    assert chain.most == 5
    for more in range(6):
        assert claim.measure(chain.split(more)) <= first + more
        assert chain.seconds[more] == pytest.approx(claim.find_seconds(chain.split(more)))
        least, lower = find_best(member, first + more), member.situation.find_lower_bound()
        assert chain.seconds[more] - lower <= 1.6 * (least - lower)
    assert all(one >= other for one, other in zip(chain.seconds, chain.seconds[1:], strict=False))


def test_a_fleet_shares_slots():
    """Twelve threads of the one take three slots."""
    sharing, plain = share_slots("a", "b", t_max_seconds=0.25), make_member("plain", 20.0, 0.12)
    plan = plan_fleet([sharing, plain], 7, unit="slot")
    shares = {one.member.name: one for one in plan.shares}
    assert plan.fits
    assert shares["t"].slots + shares["plain"].slots == plan.needed == 7
    assert (shares["t"].total, shares["t"].slots) == (12, 3)
    with pytest.raises(BudgetTooSmall, match=r"^5 slots in all are 1 too few: at least 6 are needed"):
        plan_fleet([sharing, plain], 5, unit="slot")


def test_one_more_slot_never_lengthens_the_weighted_time():
    members = [share_slots("a", "b", t_max_seconds=0.25), make_member("plain", 20.0, 0.12, weight=3.0)]
    times = [
        sum(one.member.weight * one.seconds for one in plan_fleet(members, slots, unit="slot").shares)
        for slots in range(6, 16)
    ]
    assert times == sorted(times, reverse=True)
