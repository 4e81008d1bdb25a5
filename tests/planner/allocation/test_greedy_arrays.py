"""Greedy in arrays: many operators, large ones among small ones, and a billion processors."""

import numpy as np
import pytest

from planner.allocation.allocate import allocate_budget, allocate_target
from planner.queueing.sojourns import expected_sojourn_seconds
from planner.queueing.stations import NO_BOUND, Stations
from tests.planner.allocation_cases import (
    EXTERNAL_RATE,
    allocate_one_by_one,
    build_stations,
    list_least,
    queue_length,
)


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
    assert sum(counts) == total
    chosen = rng.choice(size, 300, replace=False)
    arrival, service, a, s = (
        [float(column[i]) for i in chosen]
        for column in (loads, ones, stations.arrival_scv, stations.service_scv)
    )
    few = Stations(arrival, service, a, s, [1] * 300, [NO_BOUND] * 300)
    lengths = [[queue_length(few, j, counts[i] + d) for d in (-1, 0, 1)] for j, i in enumerate(chosen)]
    assert max(here - after for _, here, after in lengths) <= min(
        before - here for before, here, _ in lengths
    )


@pytest.mark.parametrize("size", [3, 80])
def test_one_huge_operator_among_small_ones_takes_many_in_a_row(size: int):
    stations = build_stations([2.5e8] + [5.0] * (size - 1))
    total = sum(list_least(stations)) + 5 * size + 9_000
    counts = allocate_budget(stations, total).counts
    assert sum(counts) == total
    lengths = [[queue_length(stations, i, k + d) for d in (-1, 0, 1)] for i, k in enumerate(counts)]
    assert max(here - after for _, here, after in lengths) <= min(
        before - here for before, here, _ in lengths
    )
    target = expected_sojourn_seconds(stations, counts, EXTERNAL_RATE)
    assert allocate_target(stations, target, EXTERNAL_RATE).counts == counts


@pytest.mark.parametrize("total", [20_000, 100_000])
def test_a_thousand_operators_get_what_one_by_one_gives_them(total: int):
    rng = np.random.default_rng(total)
    loads = rng.uniform(0.1, 1.9, 1000) * total / 1000
    loads = np.maximum(loads - rng.uniform(0.5, 1.5, 1000) * np.sqrt(loads), 0.1)
    scvs = (rng.uniform(0.2, 3.0, 1000).tolist(), rng.uniform(0.2, 3.0, 1000).tolist())
    stations = build_stations(loads.tolist(), scvs)
    counts, expected = allocate_one_by_one(stations, total)
    assert allocate_budget(stations, total).counts == counts
    target = expected * (1.0 + 1e-9)
    met = allocate_target(stations, target, EXTERNAL_RATE).counts
    assert met == allocate_one_by_one(stations, total, target)[0]
