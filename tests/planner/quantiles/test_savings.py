"""Savings: processors are removed and moved until no neighbour holds, in large steps first."""

from itertools import product

import pytest

from planner.quantiles.savings import Counts, OutOfWork, list_moves, list_removals, save_processors
from tests.planner.plan_cases import list_neighbours


class Waits:
    """Allocations whose time is the sum of weight/(processors − load) over the operators; it must not exceed 1."""

    def __init__(self, loads: Counts, weights: tuple[float, ...], most_looks: int = 10**9) -> None:
        self.floors = tuple(load + 1 for load in loads)
        self.ceilings = tuple(1000 for _ in loads)
        self.loads, self.weights, self.looks_left = loads, weights, most_looks

    def rank(self, counts: Counts) -> float:
        self.looks_left -= 1
        if self.looks_left < 0:
            raise OutOfWork
        terms = zip(self.weights, counts, self.loads, strict=True)
        return sum(weight / (count - load) for weight, count, load in terms)

    def may_hold(self, counts: Counts) -> bool:
        return self.rank(counts) <= 1.0

    holds = may_hold


def test_an_operator_that_has_too_many_gives_them_up_for_fewer_at_another():
    """15 + 48 = 63 hold, and no processor can be removed from either."""
    judge, start = Waits((5, 45), (0.95, 2.7)), (15, 48)
    assert judge.holds(start)
    assert not any(judge.holds(fewer) for fewer in list_removals(judge, start, 1))
    every = product(range(6, 64), range(46, 64))
    assert sum(save_processors(judge, start)[0]) == min(
        sum(counts) for counts in every if judge.holds(counts)
    )


@pytest.mark.parametrize("start", [(400, 300, 500), (40, 60, 90), (900, 40, 60)])
def test_no_neighbour_holds_in_the_end(start: Counts):
    judge = Waits((20, 30, 50), (2, 1, 3))
    counts, is_tight = save_processors(judge, start)
    assert is_tight
    assert judge.holds(counts)
    assert not any(judge.holds(fewer) for fewer in list_neighbours(counts) if min(fewer) > 0)


def test_without_work_left_the_last_allocation_that_holds_is_the_answer():
    judge = Waits((20, 30), (2, 1), most_looks=12)
    counts, is_tight = save_processors(judge, (200, 200))
    assert not is_tight
    assert sum(counts) < 400
    assert Waits((20, 30), (2, 1)).holds(counts)


def test_moves_keep_to_floors_and_ceilings():
    judge = Waits((5, 45), (1, 2))
    judge.ceilings = (9, 1000)
    assert set(list_moves(judge, (9, 48), 1)) == {(7, 49)}
    assert set(list_moves(judge, (7, 60), 1)) == {(8, 58)}
