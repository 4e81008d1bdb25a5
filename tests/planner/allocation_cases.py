"""Operators to allocate, and greedy one processor at a time, for the tests of the allocation room."""

from dataclasses import replace
from heapq import heapify, heapreplace

import numpy as np

from planner.queueing.erlang import least_stable_processors, wait_seconds
from planner.queueing.stations import NO_BOUND, Stations
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
