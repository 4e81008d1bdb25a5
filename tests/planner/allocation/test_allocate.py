"""Allocations beside brute force, and beside a greedy of its own, one processor at a time."""

from contextlib import suppress
from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.allocation.allocate import Allocated, allocate_budget, allocate_target
from planner.errors import BoundTooSmall, BudgetTooSmall, TargetUnreachable
from planner.plans.optimal import min_latency, min_processors
from planner.queueing.sojourns import expected_sojourn_seconds, find_lower_bound
from planner.queueing.stations import FEW_OPERATORS, Stations
from planner.values import Edge, Load, Model, Operator, OperatorLoad, Topology
from tests.planner.allocation_cases import (
    EXTERNAL_RATE,
    allocate_one_by_one,
    build_stations,
    draw_stations,
    list_least,
)


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
            assert answer.counts == counts
            assert answer.unused_processors == needed + spare - sum(counts)
        else:
            check_ties(stations, allocate_budget(stations, needed + spare), needed + spare)
        # a hair above E[T] of these counts: one processor fewer does not meet it
        met = allocate_target(stations, expected * (1.0 + 1e-12), EXTERNAL_RATE)
        assert sum(met.counts) <= sum(counts)
        if not alike:
            first = allocate_one_by_one(stations, 10**9, expected * (1.0 + 1e-12))[0]
            assert met.counts == first


def check_ties(stations: Stations, answer: Allocated, total: int) -> None:
    """Of operators that are equal, who comes first has one more at most, and never one fewer."""
    kinds: dict[tuple[float, ...], list[int]] = {}
    arrays = (stations.arrival_scv, stations.service_scv, stations.min_processors, stations.max_processors)
    for i, k in enumerate(answer.counts):
        load = stations.arrival_rate[i] / stations.service_rate[i]
        kinds.setdefault((load, *(column[i] for column in arrays)), []).append(k)
    assert sum(answer.counts) + answer.unused_processors == total
    for counts in kinds.values():
        assert counts == sorted(counts, reverse=True)
        assert counts[0] - counts[-1] <= 1


@pytest.mark.parametrize("size", [7, 1000])
@pytest.mark.parametrize("model", ["mmk", "ggk-whitt"])
def test_equal_operators_share_evenly_and_the_first_come_first(size: int, model: Model):
    stations = build_stations([12.0] * size, ([0.5] * size, [1.7] * size), model)
    for more in (0, 1, size // 3, size - 1):
        counts = allocate_budget(stations, 16 * size + more).counts
        assert counts == [17] * more + [16] * (size - more)
        target = expected_sojourn_seconds(stations, counts, EXTERNAL_RATE)
        assert allocate_target(stations, target, EXTERNAL_RATE).counts == counts


@pytest.mark.parametrize("size", [5, 100])
def test_a_target_met_to_the_last_bit_is_met_and_the_next_float_below_is_not(size: int):
    rng = np.random.default_rng(size)
    stations = draw_stations(rng, size, "ggk-whitt", alike=False, bounded=False)
    counts = allocate_budget(stations, sum(list_least(stations)) + 2 * size).counts
    exact = expected_sojourn_seconds(stations, counts, EXTERNAL_RATE)
    assert allocate_target(stations, exact, EXTERNAL_RATE).counts == counts
    below = allocate_target(stations, float(np.nextafter(exact, 0.0)), EXTERNAL_RATE)
    assert sum(below.counts) == sum(counts) + 1


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 70), st.integers(0, 500))
def test_one_more_processor_never_slows_a_topology(seed: int, size: int, spare: int):
    rng = np.random.default_rng(seed)
    stations = draw_stations(rng, size, "ggk-whitt", alike=bool(seed % 2), bounded=bool(seed % 3))
    needed = sum(list_least(stations))
    fewer, more = (allocate_budget(stations, needed + spare + extra) for extra in (0, 1))
    for answer, total in ((fewer, needed + spare), (more, needed + spare + 1)):
        assert sum(answer.counts) + answer.unused_processors == total
        assert np.all(np.array(answer.counts) >= list_least(stations))
        assert np.all(np.array(answer.counts) <= stations.max_processors)
    slower, faster = (expected_sojourn_seconds(stations, x.counts, EXTERNAL_RATE) for x in (fewer, more))
    assert faster <= slower
    assert np.all(np.array(more.counts) >= fewer.counts)


def test_the_budget_is_spent_and_never_overspent():
    # Algorithm 1 of the DRS paper, line 7, loops while Σk ≤ K_max and so returns K_max + 1
    stations = build_stations([3.0, 4.5, 0.4])
    for total in range(10, 60):
        assert sum(allocate_budget(stations, total).counts) == total


@pytest.mark.parametrize("size", [3, 80])
def test_what_no_operator_gains_by_stays_unused(size: int):
    stations = build_stations([3.0, 0.0, 250.0] + [0.5] * (size - 3))
    answer = allocate_budget(stations, 10**9)
    assert sum(answer.counts) + answer.unused_processors == 10**9
    assert sum(answer.counts) < 1000 * size
    assert answer.counts[1] == 1
    lower = sum(a / s for a, s in zip(stations.arrival_rate, stations.service_rate, strict=True))
    assert expected_sojourn_seconds(stations, answer.counts, 1.0) == pytest.approx(lower, rel=1e-15)


@pytest.mark.parametrize("size", [3, 80])
@pytest.mark.parametrize("scv", [0.0, 1.0])
def test_operators_at_which_nothing_waits_keep_their_least(size: int, scv: float):
    stations = replace(build_stations([3.0 * scv] * size), arrival_scv=[0.0] * size, service_scv=[0.0] * size)
    answer = allocate_budget(stations, 10 * size)
    assert answer.counts == list_least(stations)
    lower = expected_sojourn_seconds(stations, answer.counts, 1.0)
    assert allocate_target(stations, lower, 1.0).counts == answer.counts


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
def test_a_bound_that_no_budget_helps_is_named_before_the_budget(size: int):
    stations = replace(build_stations([2.5] * size), max_processors=[9] * (size - 1) + [2])
    with pytest.raises(BoundTooSmall):
        allocate_budget(stations, 1)


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
def test_a_target_at_the_bound_is_refused_at_once_although_one_operator_never_waits(size: int):
    stations = build_stations([2.5] * (size - 1) + [0.0])
    lower = find_lower_bound(stations, 4.0)
    with pytest.raises(TargetUnreachable) as caught:
        allocate_target(stations, lower, 4.0)
    assert (caught.value.lower_bound_seconds, caught.value.waits) == (lower, False)


@pytest.mark.parametrize("size", [3, 80])
def test_bounds_raise_the_bound_of_a_target(size: int):
    stations = replace(build_stations([2.5] * size), max_processors=[4] * size)
    best = expected_sojourn_seconds(stations, [4] * size, 1.0)
    assert allocate_target(stations, best, 1.0).counts == [4] * size
    with pytest.raises(TargetUnreachable) as caught:
        allocate_target(stations, float(np.nextafter(best, 0.0)), 1.0)
    assert caught.value.lower_bound_seconds == best
    assert caught.value.bounded


@pytest.mark.parametrize("seed", range(40))
def test_a_plan_for_a_target_meets_it_or_is_refused(seed: int):
    """Waits of regular arrivals that are split stay for some processors before they fall again."""
    random = Random(seed)
    queueings = ("shared", "round-robin", "random", "keyed")
    operators = tuple([Operator(name, queueing=random.choice(queueings)) for name in "abc"])
    topology = Topology(operators, (Edge("a", "b", random.choice((0.5, 1.5))), Edge("b", "c")))
    load = Load(
        10.0,
        {
            name: OperatorLoad(
                random.choice((9.0, 15.0, 40.0)),
                arrival_scv=random.choice((0.0, 0.1, 1.0)),
                service_scv=random.choice((0.0, 0.3, 1.0)),
            )
            for name in "abc"
        },
    )
    target = min_latency(topology, load, 40).lower_bound_seconds * random.uniform(1.001, 2.0)
    with suppress(TargetUnreachable):
        found = min_processors(topology, load, target).estimate.expected_sojourn_seconds
        assert found is not None
        assert found <= target
