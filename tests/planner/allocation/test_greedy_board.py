"""Boards filled up to a budget: the largest that a request may ask for takes little work too."""

from fractions import Fraction

import numpy as np
import pytest

from planner.allocation.allocate import Allocated, allocate_budget, fill_up, set_board
from planner.arrays import Counts
from planner.queueing.array_queues import Look
from planner.queueing.instances.instance_curves import DifferenceCurve
from planner.queueing.mixed_queues import MixedQueues
from planner.queueing.queueings import Inflow
from planner.queueing.stations import NO_BOUND, Stations
from planner.values import InstanceLoad, Model, Queueing

LARGEST = 10**12
HOT = tuple(InstanceLoad(str(i), share) for i, share in enumerate([0.04] + [0.0384] * 25))
INFLOWS = {
    "shared": Inflow(),
    "round-robin": Inflow("round-robin"),
    "round-robin of 4 senders": Inflow("round-robin", 4.0),
    "random": Inflow("random"),
    "keyed": Inflow("keyed"),
    "keyed with a hot instance": Inflow("keyed", instances=HOT),
    "four at a time": Inflow("random", concurrency=4),
}


def build(size: int, inflow: Inflow, model: Model = "ggk-whitt", top: int = NO_BOUND) -> Stations:
    """Operators of several loads whose tuples reach processors in one way."""
    rng = np.random.default_rng(size)
    loads, a, s = (rng.uniform(low, high, size).tolist() for low, high in ((1, 20), (0.3, 2), (0.3, 2)))
    return Stations(loads, [1.0] * size, a, s, [1] * size, [top] * size, model, [inflow] * size)


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of gains that greedy has computed; a search that goes on and on fails instead."""
    done = [0]
    look_at, find_gain = MixedQueues.look_at, DifferenceCurve.find_gain

    def count(more: int) -> None:
        done[0] += more
        assert done[0] < 30_000, "greedy looks at ever more gains"

    def look_and_count(queues: MixedQueues, counts: Counts, floor: Counts) -> Look:
        count(len(counts))
        return look_at(queues, counts, floor)

    def find_and_count(curve: DifferenceCurve, k: int) -> float:
        count(1)
        return find_gain(curve, k)

    monkeypatch.setattr(MixedQueues, "look_at", look_and_count)
    monkeypatch.setattr(DifferenceCurve, "find_gain", find_and_count)
    return done


def check_sums(found: Allocated, total: int) -> None:
    assert sum(found.counts) + found.unused_processors == total
    assert found.unused_processors >= 0


@pytest.mark.parametrize("inflow", INFLOWS.values(), ids=INFLOWS)
@pytest.mark.parametrize("size", [5, 60])
def test_a_budget_of_any_size_takes_little_work(size: int, inflow: Inflow, work: list[int]):
    for total in (10**7, LARGEST):
        work[0] = 0
        check_sums(allocate_budget(build(size, inflow), total), total)


@pytest.mark.usefixtures("work")
@pytest.mark.parametrize("size", [5, 60])
def test_processors_that_shorten_no_wait_stay_unused_at_any_budget(size: int):
    stations = build(size, INFLOWS["round-robin"])
    found = [allocate_budget(stations, total) for total in (10**7, LARGEST)]
    assert found[0].counts == found[1].counts
    assert all(one.optimal for one in found)
    assert [one.unused_processors for one in found] == [t - sum(found[0].counts) for t in (10**7, LARGEST)]


@pytest.mark.parametrize("queueing", ["random", "keyed"])
@pytest.mark.parametrize(("size", "total"), [(5, 10**7), (60, 10**8)])
def test_what_is_called_optimal_is_so_in_exact_fractions(queueing: Queueing, size: int, total: int):
    stations = build(size, Inflow(queueing), "mmk")
    found = allocate_budget(stations, total)
    assert found.optimal
    assert sum(found.counts) == total
    rows = [(Fraction(load), k) for load, k in zip(stations.arrival_rate, found.counts, strict=True)]
    following = [load**2 / ((k - load) * (k + 1 - load)) for load, k in rows]
    last = [load**2 / ((k - 1 - load) * (k - load)) for load, k in rows]
    assert max(following) <= min(last)


@pytest.mark.parametrize("size", [5, 60])
def test_the_largest_budget_is_split_as_well_as_doubles_can_show(size: int):
    stations = build(size, Inflow("keyed"), "mmk")
    found = allocate_budget(stations, LARGEST)
    check_sums(found, LARGEST)
    assert not found.optimal  # gains do not show which of two processors is worth more
    loads = [Fraction(load) for load in stations.arrival_rate]
    waiting = sum(load**2 / (k - load) for load, k in zip(loads, found.counts, strict=True))
    least = sum(loads) ** 2 / (LARGEST - sum(loads))  # where processors could be divided
    assert waiting <= least * Fraction(1_000_001, 1_000_000)


@pytest.mark.parametrize("size", [5, 60])
def test_what_is_left_over_is_spread_within_the_bounds(size: int):
    stations = build(size, Inflow("random"), top=10**6)
    board = set_board(stations)
    board.spread(3 * 10**5)
    assert 3 * 10**5 - size <= board.total - sum(board.floors) <= 3 * 10**5
    board.spread(LARGEST)
    assert max(board.list_counts()) <= 10**6
    board.spread(-LARGEST)
    assert board.list_counts() == list(board.floors)
    assert fill_up(board, LARGEST)
    assert board.list_counts() == [10**6] * size
