"""A queue for each processor: the wait of M/G/1, and the fewest processors beside brute force."""

from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.allocation.allocate import EvenSplit
from planner.queueing.erlang import wait_seconds
from planner.queueing.stations import NO_BOUND, Stations

ROWS = st.lists(st.tuples(st.floats(0.1, 12.0), st.floats(0.0, 4.0)), min_size=1, max_size=3)


def build(rows: list[tuple[float, float]], most: int = NO_BOUND, model: str = "ggk-whitt") -> Stations:
    """Operators of the given loads and service SCVs; service rates 2, 3, 4."""
    rates = [2.0 + i for i in range(len(rows))]
    arrival = [load * mu for (load, _), mu in zip(rows, rates, strict=True)]
    ones = [1.0] * len(rows)
    return Stations(arrival, rates, ones, [s for _, s in rows], [1] * len(rows), [most] * len(rows), model)


@given(ROWS, st.integers(1, 20))
def test_an_instance_waits_as_pollaczek_and_khinchine_say(rows: list[tuple[float, float]], more: int):
    stations = build(rows)
    queues = EvenSplit.prepare(stations)
    counts = queues.floor + more
    expected = 0.0
    for rate, mu, s, k in zip(
        stations.arrival_rate, stations.service_rate, stations.service_scv, counts.tolist(), strict=True
    ):
        rho = rate / k / mu
        expected += rate * (1.0 + s) / 2.0 * rho / (mu * (1.0 - rho))
    assert queues.waiting(counts) == pytest.approx(expected, rel=1e-9)


def test_one_processor_waits_as_the_shared_queue_of_one_processor():
    for model in ("mmk", "ggk"):
        stations = build([(0.8, 2.5)], model=model)
        wait = wait_seconds(1.6, 2.0, 1, 1.0, 2.5, model)
        assert EvenSplit.prepare(stations).waiting([1]) == pytest.approx(1.6 * wait, rel=1e-12)


@settings(max_examples=60)
@given(ROWS, st.floats(0.05, 30.0), st.integers(0, 8), st.sampled_from([NO_BOUND, 14]))
def test_no_fewer_processors_reach_the_limit(
    rows: list[tuple[float, float]], waiting: float, spare: int, bound: int
):
    queues = EvenSplit.prepare(build(rows, bound))
    most = int(queues.floor.sum()) + spare
    found = queues.allocate(waiting, most)
    assert np.all((found >= queues.floor) & (found <= queues.ceiling))
    enough = [
        sum(counts)
        for extra in product(range(spare + 1), repeat=len(rows))
        if queues.waiting(counts := [int(k) + d for k, d in zip(queues.floor, extra, strict=True)]) <= waiting
        and all(k <= top for k, top in zip(counts, queues.ceiling, strict=True))
    ]
    fewest = min([total for total in enough if total <= most], default=min(most, int(queues.ceiling.sum())))
    assert int(found.sum()) == fewest


def test_an_operator_that_cannot_keep_up_waits_for_ever():
    queues = EvenSplit.prepare(build([(3.5, 1.0), (0.5, 1.0)]))
    assert queues.waiting([3, 1]) == inf
    assert queues.waiting([4, 1]) < inf
    idle = EvenSplit.prepare(build([(0.0, 1.0)]))
    assert idle.waiting([1]) == 0.0
