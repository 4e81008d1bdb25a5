"""Allocations beside brute force, and beside a greedy of its own, one processor at a time."""

from dataclasses import replace
from heapq import heapify, heapreplace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.allocation.allocate import Allocated, allocate_budget, allocate_target
from planner.errors import BoundTooSmall, BudgetTooSmall, TargetUnreachable
from planner.queueing.sojourn import expected_sojourn_seconds
from planner.queueing.stations import FEW_OPERATORS, NO_BOUND, Stations
from planner.queueing.waiting import least_stable_processors, wait_seconds
from planner.values import Model

EXTERNAL_RATE = 2.0


def build_stations(
    loads: list[float], scvs: tuple[list[float], list[float]] | None = None, model: Model = "ggk-whitt"
) -> Stations:
    """Operators of the given loads; service rates that are powers of two leave equal loads exactly equal."""
    size = len(loads)
    service = [2.0 ** (i % 3) for i in range(size)]
    arrival = [load * mu for load, mu in zip(loads, service, strict=True)]
    a, s = scvs or ([1.0] * size, [1.0] * size)
    return Stations(arrival, service, a, s, [1] * size, [NO_BOUND] * size, model)


def draw_stations(
    rng: np.random.Generator, size: int, model: Model, *, alike: bool, bounded: bool
) -> Stations:
    """Random operators; `alike` repeats a few kinds, so that gains tie by the dozen."""
    loads = rng.choice([0.7, 5.0, 20.0], size) if alike else 10 ** rng.uniform(-2, 2, size)
    scvs = rng.choice([0.3, 1.0, 2.0], size).tolist(), rng.choice([0.3, 1.0, 2.0], size).tolist()
    stations = build_stations(loads.tolist(), scvs, model)
    if not bounded:
        return stations
    floor = np.array(list_least(stations)) + np.where(rng.random(size) < 0.3, rng.integers(0, 9, size), 0)
    ceiling = np.where(rng.random(size) < 0.4, floor + rng.integers(0, 12, size), NO_BOUND)
    return replace(stations, min_processors=floor.tolist(), max_processors=ceiling.tolist())


def list_least(stations: Stations) -> list[int]:
    rows = zip(stations.arrival_rate, stations.service_rate, stations.min_processors, strict=True)
    return [max(least_stable_processors(arrival, service), least) for arrival, service, least in rows]


def queue_length(stations: Stations, i: int, k: int) -> float:
    arrival, service = stations.arrival_rate[i], stations.service_rate[i]
    a, s = stations.arrival_scv[i], stations.service_scv[i]
    return arrival * wait_seconds(arrival, service, k, a, s, stations.model)


def allocate_one_by_one(stations: Stations, total: int, target: float = -1.0) -> tuple[list[int], float]:
    """Greedy, with its gains by subtraction of waits and its sum kept as it goes; returns counts and E[T]."""
    counts = list_least(stations)
    lengths = [queue_length(stations, i, k) for i, k in enumerate(counts)]
    base = sum(a / s for a, s in zip(stations.arrival_rate, stations.service_rate, strict=True))
    waiting, spent = sum(lengths), sum(counts)

    def offer(i: int) -> tuple[float, int]:
        if counts[i] >= stations.max_processors[i]:
            return 0.0, i
        return queue_length(stations, i, counts[i] + 1) - lengths[i], i

    heap = [offer(i) for i in range(len(counts))]
    heapify(heap)
    while spent < total and heap[0][0] < 0.0 and (waiting + base) / EXTERNAL_RATE > target:
        change, i = heap[0]
        counts[i], spent, waiting = counts[i] + 1, spent + 1, waiting + change
        lengths[i] = queue_length(stations, i, counts[i])
        heapreplace(heap, offer(i))
    return counts, (waiting + base) / EXTERNAL_RATE


@settings(max_examples=40)
@given(
    st.lists(st.floats(0.05, 6.0), min_size=2, max_size=3),
    st.integers(0, 7),
    st.sampled_from(["mmk", "ggk", "ggk-whitt"]),
    st.lists(st.floats(0.0, 3.0), min_size=6, max_size=6),
)
def test_no_split_of_the_budget_beats_the_answer(
    loads: list[float], spare: int, model: Model, scvs: list[float]
):
    size = len(loads)
    stations = build_stations(loads, (scvs[:size], scvs[3 : 3 + size]), model)
    least = list_least(stations)
    answer = allocate_budget(stations, sum(least) + spare)
    best = min(
        expected_sojourn_seconds(
            stations, [k + more for k, more in zip(least, extra, strict=True)], EXTERNAL_RATE
        )
        for extra in product(range(spare + 1), repeat=size)
        if sum(extra) <= spare
    )
    found = expected_sojourn_seconds(stations, answer.counts, EXTERNAL_RATE)
    assert found == pytest.approx(best, rel=1e-13)


@pytest.mark.parametrize("model", ["mmk", "ggk", "ggk-whitt"])
@pytest.mark.parametrize("size", [1, 3, 10, FEW_OPERATORS, FEW_OPERATORS + 1, 200])
@pytest.mark.parametrize(("alike", "bounded"), [(False, False), (False, True), (True, False), (True, True)])
def test_budget_and_target_are_what_one_by_one_ends_with(
    size: int, model: Model, *, alike: bool, bounded: bool
):
    rng = np.random.default_rng([size, alike, bounded, len(model)])
    stations = draw_stations(rng, size, model, alike=alike, bounded=bounded)
    needed = sum(list_least(stations))
    for spare in (0, 1, size // 2, 3 * size, 9 * size):
        counts, expected = allocate_one_by_one(stations, needed + spare)
        if not alike:
            answer = allocate_budget(stations, needed + spare)
            assert answer.optimal
            assert answer.counts.tolist() == counts
            assert answer.unused_processors == needed + spare - sum(counts)
        else:
            check_ties(stations, allocate_budget(stations, needed + spare), needed + spare)
        # a hair above E[T] of these counts: one processor fewer does not meet it
        met = allocate_target(stations, expected * (1.0 + 1e-12), EXTERNAL_RATE)
        assert int(met.counts.sum()) <= sum(counts)
        if not alike:
            first = allocate_one_by_one(stations, 10**9, expected * (1.0 + 1e-12))[0]
            assert met.counts.tolist() == first


def check_ties(stations: Stations, answer: Allocated, total: int) -> None:
    """Of operators that are equal, who comes first has one more at most, and never one fewer."""
    kinds: dict[tuple[float, ...], list[int]] = {}
    arrays = (stations.arrival_scv, stations.service_scv, stations.min_processors, stations.max_processors)
    for i, k in enumerate(answer.counts.tolist()):
        load = stations.arrival_rate[i] / stations.service_rate[i]
        kinds.setdefault((load, *(column[i] for column in arrays)), []).append(k)
    assert int(answer.counts.sum()) + answer.unused_processors == total
    for counts in kinds.values():
        assert counts == sorted(counts, reverse=True)
        assert counts[0] - counts[-1] <= 1


@pytest.mark.parametrize("total", [20_000, 100_000])
def test_a_thousand_operators_get_what_one_by_one_gives_them(total: int):
    rng = np.random.default_rng(total)
    loads = rng.uniform(0.1, 1.9, 1000) * total / 1000
    loads = np.maximum(loads - rng.uniform(0.5, 1.5, 1000) * np.sqrt(loads), 0.1)
    scvs = (rng.uniform(0.2, 3.0, 1000).tolist(), rng.uniform(0.2, 3.0, 1000).tolist())
    stations = build_stations(loads.tolist(), scvs)
    counts, expected = allocate_one_by_one(stations, total)
    assert allocate_budget(stations, total).counts.tolist() == counts
    target = expected * (1.0 + 1e-9)
    met = allocate_target(stations, target, EXTERNAL_RATE).counts
    assert met.tolist() == allocate_one_by_one(stations, total, target)[0]


@pytest.mark.parametrize("size", [7, 1000])
@pytest.mark.parametrize("model", ["mmk", "ggk-whitt"])
def test_equal_operators_share_evenly_and_the_first_come_first(size: int, model: Model):
    stations = build_stations([12.0] * size, ([0.5] * size, [1.7] * size), model)
    for more in (0, 1, size // 3, size - 1):
        counts = allocate_budget(stations, 16 * size + more).counts.tolist()
        assert counts == [17] * more + [16] * (size - more)
        target = expected_sojourn_seconds(stations, counts, EXTERNAL_RATE)
        assert allocate_target(stations, target, EXTERNAL_RATE).counts.tolist() == counts


@pytest.mark.parametrize("size", [5, 100])
def test_a_target_met_to_the_last_bit_is_met_and_the_next_float_below_is_not(size: int):
    rng = np.random.default_rng(size)
    stations = draw_stations(rng, size, "ggk-whitt", alike=False, bounded=False)
    counts = allocate_budget(stations, sum(list_least(stations)) + 2 * size).counts
    exact = expected_sojourn_seconds(stations, counts, EXTERNAL_RATE)
    assert allocate_target(stations, exact, EXTERNAL_RATE).counts.tolist() == counts.tolist()
    below = allocate_target(stations, float(np.nextafter(exact, 0.0)), EXTERNAL_RATE)
    assert int(below.counts.sum()) == int(counts.sum()) + 1


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 70), st.integers(0, 500))
def test_one_more_processor_never_slows_a_topology(seed: int, size: int, spare: int):
    rng = np.random.default_rng(seed)
    stations = draw_stations(rng, size, "ggk-whitt", alike=bool(seed % 2), bounded=bool(seed % 3))
    needed = sum(list_least(stations))
    fewer, more = (allocate_budget(stations, needed + spare + extra) for extra in (0, 1))
    for answer, total in ((fewer, needed + spare), (more, needed + spare + 1)):
        assert int(answer.counts.sum()) + answer.unused_processors == total
        assert np.all(answer.counts >= list_least(stations))
        assert np.all(answer.counts <= np.array(stations.max_processors))
    slower, faster = (expected_sojourn_seconds(stations, x.counts, EXTERNAL_RATE) for x in (fewer, more))
    assert faster <= slower
    assert np.all(more.counts >= fewer.counts)


def test_the_budget_is_spent_and_never_overspent():
    # Algorithm 1 of the DRS paper, line 7, loops while Σk ≤ K_max and so returns K_max + 1
    stations = build_stations([3.0, 4.5, 0.4])
    for total in range(10, 60):
        assert int(allocate_budget(stations, total).counts.sum()) == total


@pytest.mark.parametrize("size", [3, 80])
def test_what_no_operator_gains_by_stays_unused(size: int):
    stations = build_stations([3.0, 0.0, 250.0] + [0.5] * (size - 3))
    answer = allocate_budget(stations, 10**9)
    assert int(answer.counts.sum()) + answer.unused_processors == 10**9
    assert int(answer.counts.sum()) < 1000 * size
    assert answer.counts[1] == 1
    lower = sum(a / s for a, s in zip(stations.arrival_rate, stations.service_rate, strict=True))
    assert expected_sojourn_seconds(stations, answer.counts, 1.0) == pytest.approx(lower, rel=1e-15)


@pytest.mark.parametrize("size", [3, 80])
@pytest.mark.parametrize("scv", [0.0, 1.0])
def test_operators_at_which_nothing_waits_keep_their_least(size: int, scv: float):
    stations = replace(build_stations([3.0 * scv] * size), arrival_scv=[0.0] * size, service_scv=[0.0] * size)
    answer = allocate_budget(stations, 10 * size)
    assert answer.counts.tolist() == list_least(stations)
    lower = expected_sojourn_seconds(stations, answer.counts, 1.0)
    assert allocate_target(stations, lower, 1.0).counts.tolist() == answer.counts.tolist()


@pytest.mark.parametrize("size", [3, 80])
def test_a_budget_too_small_says_what_each_operator_needs(size: int):
    names = [f"operator-{i}" for i in range(size)]
    with pytest.raises(BudgetTooSmall) as caught:
        allocate_budget(build_stations([2.5] * size), 3 * size - 1, names)
    assert caught.value.needed == 3 * size
    assert caught.value.per_operator == dict.fromkeys(names, 3)


@pytest.mark.parametrize("size", [3, 80])
def test_a_bound_below_the_least_stable_count_names_its_operator(size: int):
    stations = replace(build_stations([2.5] * size), max_processors=[9] * (size - 1) + [2])
    with pytest.raises(BoundTooSmall, match="last needs at least 3"):
        allocate_budget(stations, 999, ["x"] * (size - 1) + ["last"])
    with pytest.raises(BoundTooSmall, match="last needs at least 3"):
        allocate_target(stations, 999.0, 1.0, ["x"] * (size - 1) + ["last"])


@pytest.mark.parametrize("size", [3, 80])
def test_the_bound_of_a_target_counts_visits(size: int):
    # Algorithm 2 of the DRS paper, line 5, sums 1/μ without them; and it never ends at T_max = T_L
    stations = build_stations([2.5] * size)
    lower = 2.5 * size / 4.0
    assert sum(1.0 / mu for mu in stations.service_rate) != pytest.approx(lower)
    for target in (lower, 0.5 * lower):
        with pytest.raises(TargetUnreachable) as caught:
            allocate_target(stations, target, 4.0)
        assert caught.value.lower_bound_seconds == pytest.approx(lower)
        assert not caught.value.bounded
    close = allocate_target(stations, lower * (1 + 1e-14), 4.0)
    assert expected_sojourn_seconds(stations, close.counts, 4.0) <= lower * (1 + 1e-14)


@pytest.mark.parametrize("size", [3, 80])
def test_bounds_raise_the_bound_of_a_target(size: int):
    stations = replace(build_stations([2.5] * size), max_processors=[4] * size)
    best = expected_sojourn_seconds(stations, [4] * size, 1.0)
    assert allocate_target(stations, best, 1.0).counts.tolist() == [4] * size
    with pytest.raises(TargetUnreachable) as caught:
        allocate_target(stations, float(np.nextafter(best, 0.0)), 1.0)
    assert caught.value.lower_bound_seconds == best
    assert caught.value.bounded


def test_a_billion_processors_stop_at_one_gain():
    rng = np.random.default_rng(11)
    size, total = 20_000, 10**9
    loads = rng.uniform(0.2, 1.8, size) * total / size
    loads -= rng.uniform(0.5, 1.0, size) * np.sqrt(loads)
    loads *= total / (loads.sum() + 0.7 * np.sqrt(loads).sum())
    ones = np.ones(size)
    stations = Stations(
        loads, ones, rng.uniform(0.2, 3, size), rng.uniform(0.2, 3, size), [1] * size, [NO_BOUND] * size
    )
    counts = allocate_budget(stations, total).counts
    assert int(counts.sum()) == total
    chosen = rng.choice(size, 300, replace=False)
    arrival, service, a, s = (
        [float(column[i]) for i in chosen]
        for column in (loads, ones, stations.arrival_scv, stations.service_scv)
    )
    few = Stations(arrival, service, a, s, [1] * 300, [NO_BOUND] * 300)
    lengths = [[queue_length(few, j, int(counts[i]) + d) for d in (-1, 0, 1)] for j, i in enumerate(chosen)]
    assert max(here - after for _, here, after in lengths) <= min(
        before - here for before, here, _ in lengths
    )


@pytest.mark.parametrize("size", [3, 80])
def test_one_huge_operator_among_small_ones_takes_many_in_a_row(size: int):
    stations = build_stations([2.5e8] + [5.0] * (size - 1))
    total = sum(list_least(stations)) + 5 * size + 9_000
    counts = allocate_budget(stations, total).counts
    assert int(counts.sum()) == total
    lengths = [[queue_length(stations, i, int(k) + d) for d in (-1, 0, 1)] for i, k in enumerate(counts)]
    assert max(here - after for _, here, after in lengths) <= min(
        before - here for before, here, _ in lengths
    )
    target = expected_sojourn_seconds(stations, counts, EXTERNAL_RATE)
    assert allocate_target(stations, target, EXTERNAL_RATE).counts.tolist() == counts.tolist()
