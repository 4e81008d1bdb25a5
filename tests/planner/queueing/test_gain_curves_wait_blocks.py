"""Waits that are computed for several operators at once are those of each by itself."""

from math import inf

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.queueing.gain_curves import BLOCK, TOGETHER, WaitBlocks, find_first, wait_or_inf
from planner.queueing.queueings import Inflow
from planner.queueing.stations import NO_BOUND, Stations
from planner.values import InstanceLoad
from tests.planner.queueing.instances.instance_cases import OWN, inflows

SIZE = 3


def build(rates: list[float], known: list[Inflow]) -> Stations:
    ones = [1.0] * len(rates)
    least, most = [1] * len(rates), [NO_BOUND] * len(rates)
    return Stations(rates, ones, ones, ones, least, most, "ggk-whitt", known)


def prepare(stations: Stations) -> WaitBlocks:
    return WaitBlocks(stations.prepare_general(range(len(stations))))


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(OWN).flatmap(inflows), min_size=SIZE, max_size=SIZE),
    st.lists(st.floats(0.0, 40.0), min_size=SIZE, max_size=SIZE),
    st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(1, 150)), min_size=1, max_size=6),
)
def test_a_wait_is_the_same_whatever_was_asked_before(
    known: list[Inflow], rates: list[float], asked: list[tuple[int, int]]
):
    stations = build(rates, known)
    blocks = prepare(stations)
    for place, k in asked:
        blocks.fill(place, k)
        assert k in blocks.known[place]
    for place, waits in enumerate(blocks.known):
        counts = np.array(list(waits), np.int64)
        alone = (
            build([rates[place]], [known[place]]).prepare_general([0]).select(np.zeros(len(counts), np.intp))
        )
        assert list(waits.values()) == wait_or_inf(alone, counts).tolist()


def test_where_one_is_asked_the_blocks_of_like_queues_are_filled_too():
    blocks = prepare(build([4.0, 40.0, 4.0], [Inflow("random")] * 3))
    blocks.fill(0, 6)  # two more than needed: as 20 more at ten times the load
    assert [sorted(one) for one in blocks.filled] == [[1], [find_first(60)], [1]]
    assert all(len(waits) == BLOCK for waits in blocks.known)
    blocks.fill(0, 17)  # the next block of each, as greedy goes on
    assert 17 in blocks.known[2]


def test_many_operators_are_filled_some_at_a_time():
    blocks = prepare(build([4.0] * (TOGETHER + 2), [Inflow("random")] * (TOGETHER + 2)))
    blocks.fill(TOGETHER, 6)
    assert [bool(one) for one in blocks.filled] == [False] * TOGETHER + [True] * 2


def test_exact_counts_are_computed_where_several_are_missing():
    blocks = prepare(build([4.0, 9.0], [Inflow("random")] * 2))
    blocks.fill_exactly([(0, 5), (1, 9)])
    assert blocks.known[0].keys() == {5}
    assert blocks.known[1] == {9: inf}
    blocks.fill_exactly([(0, 5), (1, 10)])  # one is left to the block that its curve asks for
    assert blocks.known[1].keys() == {9}


def test_nothing_is_guessed_for_operators_without_work_or_at_absurd_counts():
    idle = Inflow("keyed", instances=(InstanceLoad("0", 0.7), InstanceLoad("1", 0.3)))
    blocks = prepare(build([4.0, 0.0], [Inflow("random"), idle]))
    blocks.fill(0, 2**50)
    blocks.fill(1, 3)
    assert [sorted(one) for one in blocks.filled] == [[find_first(2**50)], [1]]
    blocks.fill(0, 5)
    assert blocks.filled[1] == {1}
