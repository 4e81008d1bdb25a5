"""Who gives goes before who takes: whatever the order among those whose turn it is, the budget is never exceeded."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from planner.fleet.order import ShiftedTotal, Turn, order_changes

TOTALS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(-1, 1)), min_size=1, max_size=7)


@given(TOTALS, st.integers(0, 20), st.integers(0, 2**32))
def test_the_budget_is_never_exceeded_on_the_way(totals: list[tuple[int, int, int]], spare: int, seed: int):
    changes = [ShiftedTotal(f"t{i}", *one) for i, one in enumerate(totals)]
    running = sum(one.before for one in changes)
    budget = sum(one.after for one in changes) + spare
    turns = order_changes(changes, budget - running)
    left, done, random = {one.name: one for one in changes}, set[str](), Random(seed)
    while left:
        ready = [name for name in left if set(turns[name].after) <= done]
        assert ready, "somebody can always change"
        one = left.pop(random.choice(sorted(ready)))
        running += one.more
        done.add(one.name)
        assert one.more <= 0 or running <= budget


def test_a_taker_waits_for_no_more_givers_than_it_needs():
    changes = [
        ShiftedTotal("a", 9, 6),
        ShiftedTotal("b", 5, 4),
        ShiftedTotal("c", 2, 5),
        ShiftedTotal("d", 2, 4, priority=1),
        ShiftedTotal("e", 3, 3),
    ]
    assert order_changes(changes, free=2) == {
        "a": Turn(takers=("c",)),
        "b": Turn(),
        "c": Turn(after=("a",)),
        "d": Turn(),
        "e": Turn(),
    }
    assert [order_changes(changes, free=2)[one].number for one in "acd"] == [1, 2, 1]


def test_where_too_many_run_all_takers_wait():
    changes = [ShiftedTotal("a", 9, 6), ShiftedTotal("b", 9, 8), ShiftedTotal("c", 2, 3)]
    assert order_changes(changes, free=-3)["c"] == Turn(after=("a", "b"))
