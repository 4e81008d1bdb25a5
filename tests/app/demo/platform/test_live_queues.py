"""Queues that serve tuple by tuple: as a plain loop does, and as queueing theory says."""

import numpy as np
import pytest

from app.demo.platform.live_queues import LiveQueues, find_departures
from planner.arrays import Floats


def serve_one_by_one(arrivals: Floats, seconds: Floats, free_at: float) -> list[float]:
    left = []
    for arrival, length in zip(arrivals, seconds, strict=True):
        free_at = max(free_at, arrival) + length
        left.append(free_at)
    return left


def test_departures_are_those_of_a_plain_loop():
    draw = np.random.default_rng(1)
    arrivals = np.sort(draw.uniform(0.0, 10.0, 200))
    seconds = draw.exponential(0.05, 200)
    assert find_departures(arrivals, seconds, 0.7) == pytest.approx(serve_one_by_one(arrivals, seconds, 0.7))


def test_the_mean_time_is_that_of_an_m_m_1_queue_and_no_tuple_is_lost():
    draw, station, arrived, served = (
        np.random.default_rng(2),
        LiveQueues(np.zeros(1), deals_in_turn=True),
        0,
        [],
    )
    for step in range(2000):
        arrivals = np.sort(draw.uniform(step * 5.0, step * 5.0 + 5.0, draw.poisson(5.0 * 7.0)))
        arrived += len(arrivals)
        served.append(station.serve(arrivals, step * 5.0 + 5.0, 10.0, 1.0, draw).sojourn_seconds)
    times = np.concatenate(served)
    assert len(times) + len(station.coming) == arrived
    assert times.mean() == pytest.approx(1.0 / (10.0 - 7.0), rel=0.05)


def test_more_instances_take_over_what_waits_after_the_pause():
    draw, station = np.random.default_rng(3), LiveQueues(np.zeros(1), deals_in_turn=True)
    overloaded = station.serve(np.linspace(0.0, 4.9, 200), 5.0, 10.0, 1.0, draw)
    assert len(overloaded.left_at) + station.waiting == 200
    assert station.waiting > 100
    station.rescale(10, 7.0)
    relieved = station.serve(np.empty(0), 10.0, 10.0, 1.0, draw)
    assert station.waiting == 0
    assert relieved.left_at.min() > 7.0
