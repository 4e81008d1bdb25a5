"""The cost of processors over paths, and the time that a backlog takes."""

from math import inf, log

import numpy as np
import pytest

from planner.economics.costs import find_drain_seconds, roll


def weigh(
    rates: list[list[float]], totals: list[float], capacities: list[float], price: float = 100.0
) -> list[float]:
    out = np.empty(len(totals))
    paths = np.log(np.array(rates))
    weights = np.full(len(paths), 1.0 / len(paths))
    logs = np.log(np.array(capacities))
    roll(paths, weights, 1.0, np.array(totals), logs, logs + log(1.3), price, 2.0, out)
    return out.tolist()


def test_enough_processors_cost_their_minutes():
    assert weigh([[10.0] * 60], [8.0, 9.0], [20.0, 30.0]) == pytest.approx([480.0, 540.0])


def test_a_rate_at_the_capacity_is_late_half_of_the_time():
    (cost,) = weigh([[10.0, 1.0]], [8.0], [10.0])
    assert cost == pytest.approx(16.0 + 50.0)


def test_a_load_beyond_the_capacity_costs_a_further_change_and_more_processors():
    (cost,) = weigh([[20.0, 20.0]], [8.0], [10.0])
    late = 100.0
    further_change = 100.0 * (2.0 + 1.0 + 1.0)
    assert cost == pytest.approx(8.0 + late + further_change + 1.15 * 2.0 * 8.0, abs=0.1)


def test_paths_count_by_their_weight():
    calm, steep = weigh([[10.0] * 5], [8.0], [15.0]), weigh([[30.0] * 5], [8.0], [15.0])
    (both,) = weigh([[10.0] * 5, [30.0] * 5], [8.0], [15.0])
    assert both == pytest.approx(0.5 * (calm[0] + steep[0]))


def test_a_backlog_is_drained_by_the_spare_rate():
    seconds = find_drain_seconds(np.array([300.0]), 0.0, np.array([100.0]), 63.0, 0.5)
    assert seconds == pytest.approx(300.0 / (93.0 - 63.0))


def test_the_tuples_of_a_pause_wait_too():
    seconds = find_drain_seconds(np.array([0.0]), 20.0, np.array([100.0]), 63.0, 0.5)
    assert seconds == pytest.approx(20.0 + 20.0 * 63.0 / 30.0)


def test_a_backlog_that_grows_is_never_drained():
    assert find_drain_seconds(np.array([300.0, 300.0]), 0.0, np.array([100.0, 60.0]), 60.0, 0.5) == inf


def test_an_overload_is_never_drained_even_if_nothing_waits_yet():
    assert find_drain_seconds(np.array([0.0]), 0.0, np.array([100.0]), 101.0, 0.5) == inf


def test_an_ordinary_queue_is_no_backlog():
    assert find_drain_seconds(np.array([20.0]), 0.0, np.array([100.0]), 99.0, 0.5) == 0.0
