"""Greedy in plain floats: its moves beside a heap, and when it calls its answer the best."""

from itertools import accumulate

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planner.allocation.greedy_scalar import ScalarBoard, find_crossing, is_curve_falling
from planner.queueing.gain_curves import Curve, ScalarQueues
from planner.queueing.stations import Stations
from planner.queueing.waiting_models import weigh_operator
from tests.planner.allocation_cases import draw_stations

GAINS = st.lists(st.floats(1e-3, 1e3), min_size=4, max_size=6)


def plant_gains(gains: list[float]) -> Curve:
    """An operator of whose gains nothing is known but these, the last of them for ever after 0."""
    curve = Curve(0.5, 1.0, weigh_operator("ggk-whitt", 0.5, 0.2), 1)
    curve.update(enumerate([*gains, 0.0], start=1))
    left = list(accumulate(reversed(gains)))[::-1]
    curve._waits.update({k: waiting / 0.5 for k, waiting in enumerate([*left, 0.0], start=1)})
    return curve


@settings(max_examples=500)
@given(GAINS, st.data())
def test_the_answer_is_the_best_where_the_gains_around_it_fall(gains: list[float], data: st.DataObject):
    k = data.draw(st.integers(1, len(gains)))
    around = [*gains, 0.0][max(k - 2, 0) : k + 1]
    assert is_curve_falling(plant_gains(gains), k) == (around == sorted(around, reverse=True))


@settings(max_examples=300)
@given(st.floats(0.01, 300.0), st.floats(0.0, 9.0), st.floats(0.0, 9.0), st.integers(0, 40))
def test_gains_of_real_operators_fall(load: float, arrival_scv: float, service_scv: float, more: int):
    weights = weigh_operator("ggk-whitt", arrival_scv, service_scv)
    curve, alone = Curve(load, 1.0, weights, 1), Curve(load, 1.0, weights, 1)
    k = curve.floor + more
    assert is_curve_falling(curve, k)
    assert alone[k] >= alone[k + 1]


def build_board(seed: int, size: int) -> tuple[ScalarBoard, Stations]:
    stations = draw_stations(
        np.random.default_rng(seed), size, "ggk-whitt", alike=bool(seed % 2), bounded=True
    )
    return ScalarBoard(ScalarQueues(stations.curves), stations.max_processors), stations


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(0, 300))
def test_the_search_for_one_gain_lands_on_a_prefix_of_greedys_order(seed: int, size: int, spare: int):
    board, stations = build_board(seed, size)
    board.approach_total(board.total + spare)
    heap, _ = build_board(seed, size)
    heap.step(board.total - heap.total)
    assert board.list_counts() == heap.list_counts()
    assert all(k <= top for k, top in zip(board.list_counts(), stations.max_processors, strict=True))


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.floats(0.01, 20.0))
def test_the_search_for_a_number_that_waits_ends_within_one_processor_of_it(
    seed: int, size: int, limit: float
):
    board, _ = build_board(seed, size)
    assume(board.count_waiting() < 1e5)  # near saturation a running sum has no digits left
    board.approach_waiting(limit)
    floors, here = board.total == sum(board.floors), board.count_waiting()
    if here > limit * (1 + 1e-9):  # one processor short, or as many as the bounds allow
        assert not board.step(1) or board.count_waiting() <= limit * (1 + 1e-9)
    elif not floors:
        board.step(-1)
        board.step(-1)
        assert board.total == sum(board.floors) or board.count_waiting() > limit * (1 - 1e-9)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 60))
def test_what_is_given_back_is_what_was_taken_last(seed: int, size: int, steps: int):
    board, _ = build_board(seed, size)
    path = [board.list_counts().copy()]
    while len(path) <= steps and board.step(1):
        path.append(board.list_counts().copy())
    for counts in reversed(path[:-1]):
        assert board.step(-1)
        assert board.list_counts() == counts
    assert not board.step(-1)


@given(st.floats(0.5, 50.0), st.integers(0, 30), st.integers(0, 60))
def test_the_crossing_is_the_first_count_at_or_below_the_gain(load: float, start: int, ahead: int):
    curve = Curve(load, 1.0, weigh_operator("mmk", 1.0, 1.0), 1)
    k = curve.floor + ahead
    assert find_crossing(curve, curve.floor + start, curve[k], 10**9) == k
    assert find_crossing(curve, curve.floor + start, curve[k], curve.floor) == curve.floor
