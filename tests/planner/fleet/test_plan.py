"""Plans of fleets beside every possible share, and their laws."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import BoundTooSmall, BudgetTooSmall
from planner.fleet.claims import Member, make_claim
from planner.fleet.plan import FleetPlan, plan_fleet
from planner.situations.situation import survey_load
from planner.values import DEFAULT_MODEL, Entry, Load, Operator, OperatorLoad, Topology
from tests.planner.fleet.fleet_cases import SmallFleet, make_fleet, make_member, pick


def judge(fleet: SmallFleet, plan: FleetPlan) -> tuple[float, ...]:
    return fleet.judge([share.seconds for share in plan.shares])


@pytest.mark.parametrize("has_groups", [False, True])
def test_a_plan_is_the_best_of_all_shares(*, has_groups: bool) -> None:
    compared = short = 0
    for seed in range(100):
        fleet, k_max = make_fleet(seed, has_groups=has_groups)
        best = fleet.find_best(k_max)
        if best is None:
            with pytest.raises(BudgetTooSmall) as caught:
                plan_fleet(fleet.members, k_max)
            assert caught.value.needed == k_max + 1
            continue
        plan = plan_fleet(fleet.members, k_max)
        assert judge(fleet, plan) == pytest.approx(best, rel=1e-9, abs=1e-12), seed
        assert sum(share.total for share in plan.shares) + plan.unused == k_max
        compared += 1
        short += not plan.fits
    assert compared > 80
    assert 20 < short < 80


@given(seed=st.integers(0, 10**6), has_groups=st.booleans(), more=st.integers(0, 12))
@settings(max_examples=12)
def test_one_more_processor_never_lengthens_what_counts(*, seed: int, has_groups: bool, more: int) -> None:
    """The lateness of the highest priority never grows; where it stays, that of the next; and so on to E[T]."""
    fleet, k_max = make_fleet(seed, has_groups=has_groups)
    try:
        one = judge(fleet, plan_fleet(fleet.members, k_max + more))
    except BudgetTooSmall:
        return
    other = judge(fleet, plan_fleet(fleet.members, k_max + more + 1))
    assert pick([one, other]) == pytest.approx(other, rel=1e-9)


@given(seed=st.integers(0, 10**6), has_groups=st.booleans(), more=st.integers(0, 12))
@settings(max_examples=12)
def test_no_bound_is_broken_and_no_priority_inverted(*, seed: int, has_groups: bool, more: int) -> None:
    fleet, k_max = make_fleet(seed, has_groups=has_groups)
    try:
        plan = plan_fleet(fleet.members, k_max + more)
    except BudgetTooSmall:
        return
    assert sum(share.total for share in plan.shares) + plan.unused == k_max + more
    for share in plan.shares:
        member, stations = share.member, share.member.situation.stations
        assert all(k >= least for k, least in zip(share.counts, stations.min_processors, strict=True))
        assert all(k <= most for k, most in zip(share.counts, stations.max_processors, strict=True))
        assert member.most is None or share.total <= member.most
        assert share.total >= min(member.floor, member.most or member.floor) or plan.unused
        if share.meets is False and share.total < share.needed:
            lower = [one for one in plan.shares if one.member.priority < member.priority]
            assert all(one.total <= sum(make_claim(one.member).floors) for one in lower)
            assert share.lost


def test_one_more_says_what_the_next_processor_brings() -> None:
    fleet, k_max = make_fleet(3)
    plan = plan_fleet(fleet.members, k_max + 2)
    for share in plan.shares:
        situation, names = share.member.situation, share.member.situation.names
        if share.next_operator is None:
            continue
        counts = list(share.counts)
        counts[names.index(share.next_operator)] += 1
        change = situation.sum_sojourns(situation.wait_seconds(counts)) - share.seconds
        assert share.one_more_seconds == pytest.approx(change, rel=1e-9)


def test_a_processor_counts_only_down_to_the_target() -> None:
    """The seventh of a would shorten E[T] more than that of b, but a misses its target by a hair."""
    nearly = make_claim(make_member("a", 40.0, None)).find_seconds([6]) * 0.9999
    members = [make_member("a", 40.0, nearly), make_member("b", 40.0, 0.105, weight=0.9)]
    plan = plan_fleet(members, 13)
    assert [share.total for share in plan.shares] == [6, 7]
    assert [share.needed for share in plan.shares] == [7, 7]


def test_a_price_leaves_processors_unused_that_gain_less() -> None:
    members = [make_member("a", 40.0, None), make_member("b", 10.0, None)]
    free = plan_fleet(members, 30)
    price = 1e-3
    priced = plan_fleet(members, 30, price)
    assert free.unused == 0 < priced.unused
    for share in priced.shares:
        claim = make_claim(share.member)
        assert share.one_more_seconds is not None
        assert -share.one_more_seconds < price
        fewer = [share.counts[0] - 1]
        assert fewer[0] < claim.floors[0] or claim.find_seconds(fewer) - share.seconds >= price


def test_a_topology_that_cannot_keep_up_keeps_what_runs() -> None:
    topology = Topology((Operator("a", max_processors=2),), (), (Entry("a"),))
    load = Load(100.0, {"a": OperatorLoad(10.0)})
    broken = Member("broken", survey_load(topology, load, DEFAULT_MODEL), running=[2])
    plan = plan_fleet([make_member("a", 40.0, None), broken], 9)
    assert [(member.name, type(error)) for member, error in plan.held] == [("broken", BoundTooSmall)]
    assert plan.shares[0].total == 7
    assert not plan.fits


def test_an_idle_topology_takes_only_its_least_processors() -> None:
    plan = plan_fleet([make_member("a", 40.0, 0.2), make_member("idle", 0.0, 0.2)], 20)
    assert [share.total for share in plan.shares] == [19, 1]
    assert plan.fits
    assert plan.optimal


def test_a_budget_beyond_all_use_is_answered_at_once_and_not_called_the_best() -> None:
    """Where each processor has a queue, one more always gains something."""
    topology = Topology((Operator("a", queueing="round-robin"),), (), (Entry("a"),))
    situation = survey_load(topology, Load(40.0, {"a": OperatorLoad(10.0)}), DEFAULT_MODEL, is_open=True)
    plan = plan_fleet([Member("own", situation, 0.2), make_member("shared", 40.0, 0.2)], 10**12)
    assert plan.fits
    assert not plan.optimal
    assert 10**11 < plan.unused < 10**12 - plan.needed


def test_a_fleet_of_nobody_leaves_all_unused() -> None:
    plan = plan_fleet([], 5)
    assert (plan.fits, plan.unused, plan.shares) == (True, 5, [])
