"""The state of greedy on many operators: the next and the last processors beside a heap of plain gains."""

from heapq import heapify, heapreplace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.allocation.greedy_state import GreedyState, apply_steps, is_state_falling, order_last, order_next
from planner.queueing.erlang import wait_seconds
from planner.queueing.stations import NO_BOUND, Stations
from tests.planner.allocation_cases import build_stations, draw_stations, list_least


def start(stations: Stations) -> GreedyState:
    """Every operator at its least count."""
    floor = np.array(list_least(stations))
    return GreedyState(stations.arrays, floor, np.array(stations.max_processors), floor)


def measure_gain(stations: Stations, i: int, k: int) -> float:
    """λ(W(k) − W(k+1)), by subtraction."""
    rate, mu = stations.arrival_rate[i], stations.service_rate[i]
    a, s = stations.arrival_scv[i], stations.service_scv[i]
    waits = [wait_seconds(rate, mu, n, a, s, stations.model) for n in (k, k + 1)]
    return rate * (waits[0] - waits[1])


def take_one_by_one(stations: Stations, want: int) -> list[int]:
    """The operators that receive the next processors, from a heap; among equals the first."""
    counts = list_least(stations)
    heap = [(-measure_gain(stations, i, k), i) for i, k in enumerate(counts)]
    heapify(heap)
    taken = []
    for _ in range(want):
        _, i = heap[0]
        taken.append(i)
        counts[i] += 1
        gain = measure_gain(stations, i, counts[i]) if counts[i] < stations.max_processors[i] else 0.0
        heapreplace(heap, (-gain, i))
    return taken


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_the_next_and_the_last_processors_are_those_of_a_heap(seed: int, want: int):
    stations = draw_stations(np.random.default_rng(seed), 12, "ggk-whitt", alike=False, bounded=False)
    state, taken = start(stations), take_one_by_one(stations, want)
    operators, log_gains = order_next(state, want)
    assert operators.tolist() == taken[: len(operators)]
    assert len(operators) == min(want, 12)
    assert log_gains.tolist() == sorted(log_gains, reverse=True)
    apply_steps(state, operators, 1)
    back, _ = order_last(state, len(operators))
    assert back.tolist() == operators.tolist()[: len(back)][::-1] or sorted(back.tolist()) == sorted(
        operators.tolist()[len(operators) - len(back) :]
    )
    apply_steps(state, back, -1)
    assert int(state.counts.sum()) == sum(list_least(stations)) + len(operators) - len(back)


def test_a_large_operator_takes_many_processors_in_a_row():
    stations = build_stations([5e5] + [2.0] * 60)
    state = start(stations)
    operators, _ = order_next(state, 61)
    assert operators.tolist() == [0] * 61


def test_among_equal_operators_the_first_receives_and_the_last_gives_back():
    state = start(build_stations([3.0] * 50))
    operators, _ = order_next(state, 5)
    assert operators.tolist() == [0, 1, 2, 3, 4]
    apply_steps(state, operators, 1)
    back, _ = order_last(state, 2)
    assert back.tolist() == [4, 3]


def test_an_operator_at_its_bound_is_offered_nothing():
    stations = build_stations([3.0] * 50)
    floor = np.array(list_least(stations))
    state = GreedyState(stations.arrays, floor, floor, floor)
    assert order_next(state, 3)[0].size == 0
    assert order_last(state, 3)[0].size == 0
    assert np.all(state.offered() == -np.inf)


def test_the_number_that_waits_and_the_line_through_a_count_are_those_of_the_waits():
    stations = build_stations([0.5 + 0.7 * i for i in range(50)])
    state = start(stations)
    lengths = [
        rate * wait_seconds(rate, mu, k, 1.0, 1.0, stations.model)
        for rate, mu, k in zip(
            stations.arrival_rate, stations.service_rate, list_least(stations), strict=True
        )
    ]
    assert state.waiting() == pytest.approx(sum(lengths), rel=1e-10)
    exact = [measure_gain(stations, i, k) for i, k in enumerate(list_least(stations))]
    assert np.exp(state.log_next).tolist() == pytest.approx(exact, rel=1e-9)
    log_least = float(np.median(state.log_next))
    assert np.array_equal(state.misplaced(log_least), state.log_next > log_least)
    assert np.all(state.predict(log_least) >= state.floor)


def test_gains_that_grow_are_noticed():
    stations = build_stations([3.0] * 50, ([0.5] * 50, [1.7] * 50), "ggk-whitt")
    floor = np.array(list_least(stations))
    state = GreedyState(stations.arrays, floor, np.full(50, NO_BOUND), floor + 2)
    assert is_state_falling(state)
    state.log_last[7] = state.log_next[7] - 1e-3
    assert not is_state_falling(state)
