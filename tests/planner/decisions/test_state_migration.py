"""Keys that move: as few as can be, each owned once before and after."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.decisions.state_migration import OwnersLeft, State, keep_owners, plan_migration, repartition
from planner.errors import InvalidState
from planner.situations.situation import estimate
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology


def count_least_moves(owners: tuple[int, ...], after: int) -> int:
    """Over every even assignment there is, the fewest groups that change hands."""
    share, larger = divmod(len(owners), after)
    allowed = sorted([share + 1] * larger + [share] * (after - larger))
    return min(
        sum(one != other for one, other in zip(owners, settled, strict=True))
        for settled in product(range(after), repeat=len(owners))
        if sorted(settled.count(instance) for instance in range(after)) == allowed
    )


@given(st.lists(st.integers(0, 3), min_size=1, max_size=7), st.integers(1, 4))
@settings(max_examples=60)
def test_no_even_assignment_moves_fewer(owners: list[int], after: int):
    settled, moves = repartition(owners, after)
    moved = sum(move.last - move.first + 1 for move in moves)
    assert moved == count_least_moves(tuple(owners), after)
    assert moved == sum(one != other for one, other in zip(owners, settled, strict=True))


@given(st.integers(1, 300), st.integers(1, 40), st.integers(1, 40))
def test_every_key_is_owned_once_and_the_moves_lead_from_before_to_after(
    groups: int, before: int, after: int
):
    migration = plan_migration(State(groups), before, after, 10.0, 1.0)
    owners = [group * before // groups for group in range(groups)]
    for move in migration.moves:
        for group in range(move.first, move.last + 1):
            assert owners[group] == move.source != move.target
            owners[group] = move.target
    assert tuple(owners) == migration.owners
    held = [owners.count(instance) for instance in range(after)]
    assert sum(held) == groups
    assert max(held) - min(held) <= 1
    assert migration.moved_key_groups == sum(move.last - move.first + 1 for move in migration.moves)


def test_the_same_number_moves_nothing():
    migration = plan_migration(State(128, 1e9, (1e8,), (1e8,)), 7, 7, 10.0, 1.0)
    assert migration.moves == ()
    assert migration.repartition_seconds == 0.0


def test_doubling_moves_half():
    migration = plan_migration(State(128), 4, 8, 10.0, 1.0)
    assert migration.moved_key_groups == 64
    assert [(move.source, move.target) for move in migration.moves] == [(0, 4), (1, 5), (2, 6), (3, 7)]


def test_repartitioning_takes_as_long_as_its_slowest_instance_and_less_with_more_of_them():
    # Es-Stream, Theorem 1 and Fig. 20: 42 MB of state.
    state = State(128, 42e6, (100e6, 50e6), (12.5e6,))
    times = [plan_migration(state, 2, after, 10.0, 1.0).repartition_seconds or 0.0 for after in (3, 4, 6, 8)]
    assert times[1] == pytest.approx(42e6 / 4 / 50e6 + 42e6 / 4 / 12.5e6)
    assert times == sorted(times, reverse=True)


def test_repair_grows_with_the_checkpoint_interval():
    # Es-Stream, Theorem 2: in proportion, by the slower of receiving and serving.
    def repair(interval: float, replay_rate: float) -> float | None:
        state = State(8, checkpoint_interval_seconds=interval, replay_rate=replay_rate)
        return plan_migration(state, 2, 4, 1800.0, 600.0).repair_seconds

    assert repair(2.0, 1e4) == pytest.approx(2.0 * 450.0 / 600.0)
    assert repair(4.0, 1e4) == pytest.approx(4.0 * 450.0 / 600.0)
    assert repair(2.0, 300.0) == pytest.approx(2.0 * 450.0 / 300.0)
    assert plan_migration(State(8), 2, 4, 1800.0, 600.0).repair_seconds is None


def test_what_does_not_fit_is_refused():
    with pytest.raises(InvalidState, match="owners"):
        plan_migration(State(4, owners=(0, 1, 2, 0)), 2, 3, 1.0, 1.0)
    with pytest.raises(InvalidState, match="computing"):
        plan_migration(State(4, 1.0, (1.0, 2.0), (1.0,)), 3, 4, 1.0, 1.0)


def test_owners_that_the_last_change_left_hold_while_as_many_instances_run():
    load = Load(9.0, {"one": OperatorLoad(5.0), "other": OperatorLoad(5.0)})
    topology = Topology((Operator("one"), Operator("other")), (Edge("one", "other"),), (Entry("one"),))
    current = estimate(topology, load, {"one": 3, "other": 2})
    states = {"one": State(4), "other": State(4)}
    left = OwnersLeft(3, (2, 1, 0, 0))
    assert keep_owners(states, current, {"one": left, "other": left, "gone": left}) == {
        "one": State(4, owners=(2, 1, 0, 0)),
        "other": State(4),  # two instances run now
    }
    assert keep_owners({"one": State(5)}, current, {"one": left}) == {"one": State(5)}, "other key groups"
