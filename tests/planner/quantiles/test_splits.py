"""The splits of numbers of processors, and a search among numbers that keeps the order of questions."""

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.quantiles.simulated_search import list_near
from planner.quantiles.splits import Counts, Splits, find_first
from planner.situations.situation import survey_load
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology


def make_splits(floors: Counts, ceilings: Counts, groups: int | None = None) -> Splits:
    """Operators in a row, each with an offered load of its floor less a half; the last may deal out whole groups."""
    names = [f"op{i}" for i in range(len(floors))]
    operators = [Operator(name, max_processors=most) for name, most in zip(names, ceilings, strict=True)]
    if groups:
        operators[-1] = operators[-1]._replace(queueing="keyed", max_parallelism=groups)
    edges = tuple(Edge(one, two) for one, two in pairwise(names))
    loads = {name: OperatorLoad(10.0 / (floor - 0.5)) for name, floor in zip(names, floors, strict=True)}
    situation = survey_load(Topology(tuple(operators), edges, (Entry("op0"),)), Load(10.0, loads), "mmk")
    return Splits(situation, floors, ceilings)


def weigh(loads: tuple[float, ...], counts: Counts) -> float:
    """A time that falls with every processor, by ever smaller steps."""
    return sum((i + 1.0) / (count - load) for i, (count, load) in enumerate(zip(counts, loads, strict=True)))


@given(st.integers(0, 8), st.lists(st.tuples(st.integers(1, 4), st.integers(0, 4)), min_size=1, max_size=3))
def test_few_processors_have_all_their_splits(spare: int, bounds: list[tuple[int, int]]):
    floors, ceilings = tuple(low for low, _ in bounds), tuple(low + more for low, more in bounds)
    found = make_splits(floors, ceilings).list_all(sum(floors) + spare)
    every = product(*[range(low, high + 1) for low, high in zip(floors, ceilings, strict=True)])
    total = min(sum(floors) + spare, sum(ceilings))
    assert found is not None
    assert {one for one in found if sum(one) == total} == {one for one in every if sum(one) == total}


@pytest.mark.parametrize("total", [70, 300])
def test_moves_find_the_split_of_least_rank(total: int):
    splits, loads = make_splits((4, 6, 12), (1000, 1000, 1000)), (3.5, 5.5, 11.5)
    ranked = splits.improve(splits.allocate(total), total, lambda one: weigh(loads, one), 10_000)
    best = min(
        weigh(loads, (a, b, total - a - b)) for a in range(4, total - 18) for b in range(6, total - a - 11)
    )
    assert weigh(loads, ranked[0]) == pytest.approx(best, rel=1e-6)
    assert all(sum(one) <= total for one in ranked)


def test_moves_end_where_too_many_splits_were_ranked():
    splits, start = make_splits((4, 6, 12), (1000, 1000, 1000)), (100, 100, 100)
    assert splits.improve(start, 300, lambda one: weigh((3.5, 5.5, 11.5), one), 5) == [start]


def test_with_whole_groups_processors_move_from_one_useful_number_to_the_next():
    """Of 12 groups, 7 to 11 processors serve no more than 6."""
    splits = make_splits((3, 3), (100, 12), groups=12)
    assert splits.settle((20, 9)) == (20, 9)
    rank = splits.situation.wait_seconds
    ranked = splits.improve((20, 3), 23, lambda one: rank(one)[1], 1000)
    curve = splits.find_stairs(1)
    assert curve is not None
    assert {one[1] for one in ranked} <= set(curve.useful.counts)
    assert ranked[0][1] == 12
    assert sum(ranked[0]) <= 23


SETS = st.sets(st.integers(1, 200))


@given(SETS, SETS, st.integers(1, 60))
def test_what_holds_for_more_numbers_never_gets_a_larger_answer(some: set[int], more: set[int], least: int):
    def search(holding: set[int]) -> int | None:
        first = find_first(lambda total: total in holding, least, 256)
        near = () if first is None else list_near(first, 256)
        return next((total for total in near if total >= least and total in holding), None)

    few, many = search(some | {256}), search(some | more | {256})
    assert few is not None
    assert many is not None
    assert many <= few


@given(st.integers(1, 500), st.integers(1, 500))
def test_the_first_of_all_numbers_from_one_on_is_found(first: int, least: int):
    assert find_first(lambda total: total >= first, least, 1024) == max(first, least)
    assert find_first(lambda _: False, least, 1024) is None
