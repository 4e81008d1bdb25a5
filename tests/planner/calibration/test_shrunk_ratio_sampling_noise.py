"""The noise of a mean wait against the exact one of M/M/1, and against queues simulated tuple by tuple."""

from heapq import heapreplace
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.calibration.shrunk_ratio import (
    UNKNOWN_NOISE,
    Waits,
    find_bursts,
    find_noise,
    find_variability,
    guess_probability,
)
from planner.queueing.erlang import wait_seconds, waiting_probability
from planner.values import IdcPoint, OperatorLoad


@pytest.mark.parametrize("rho", [0.2, 0.5, 0.8, 0.95])
def test_that_of_the_exact_single_queue(rho: float):
    """Daley (1968): n·Var of the mean of n waits of M/M/1 is ρ(2 + 5ρ − 4ρ² + ρ³)/(1 − ρ)⁴ at μ = 1."""
    exact = (2.0 + 5.0 * rho - 4.0 * rho**2 + rho**3) / (rho * (1.0 - rho) ** 2) / 1e6
    found = find_noise(Waits(1e6, rho, rho, 2.0))
    assert found == pytest.approx(exact, rel=0.1)


def simulate_waits(rho: float, servers: int, tuples: int) -> np.ndarray:
    """The waits of an M/M/k queue, tuple by tuple."""
    random = np.random.default_rng(7)
    arrivals = np.cumsum(random.exponential(1.0 / (rho * servers), tuples)).tolist()
    services = random.exponential(1.0, tuples).tolist()
    free, waits = [0.0] * servers, []
    for arrival, service in zip(arrivals, services, strict=True):
        start = max(arrival, free[0])
        heapreplace(free, start + service)
        waits.append(start - arrival)
    return np.array(waits)


@pytest.mark.parametrize(("rho", "servers"), [(0.6, 4), (0.8, 4), (0.8, 16)])
def test_that_of_simulated_queues_with_many_servers(rho: float, servers: int):
    waits = simulate_waits(rho, servers, 400_000)
    means = waits.reshape(-1, 1000).mean(axis=1)
    seen = means.var() / waits.mean() ** 2
    probability = float((waits > 0.0).mean())
    assert find_noise(Waits(1000.0, rho, probability, 2.0)) == pytest.approx(seen, rel=0.4)


@pytest.mark.parametrize(("rho", "servers"), [(0.5, 1), (0.8, 4), (0.6, 16)])
def test_the_probability_to_wait_is_that_of_erlang(rho: float, servers: int):
    wait = wait_seconds(rho * servers, 1.0, servers, 1.0, 1.0, "mmk")
    guessed = guess_probability(wait * servers, rho, 2.0)
    assert guessed == pytest.approx(waiting_probability(rho * servers, 1.0, servers), rel=1e-9)
    assert guess_probability(wait, rho, 0.0) == 1.0


@given(st.floats(0.0, 1.2), st.floats(0.0, 1.0), st.floats(0.0, 1e6), st.floats(0.0, 1e9))
def test_it_is_a_number_and_falls_with_more_tuples(
    rho: float, probability: float, variability: float, tuples: float
):
    few, many = (find_noise(Waits(count, rho, probability, variability)) for count in (tuples, 2.0 * tuples))
    assert 0.0 <= many <= few < inf


def test_an_unknown_number_of_tuples_is_taken_for_a_short_interval():
    assert find_noise(Waits(None, 0.5, 0.5, 2.0)) == UNKNOWN_NOISE


def test_bursts_count_over_their_longest_window_wherever_they_are_measured():
    bursty = OperatorLoad(arrival_idc=(IdcPoint(0.1, 2.0), IdcPoint(10.0, 9.0)))
    assert find_bursts([OperatorLoad(), bursty]) == 9.0
    assert find_bursts([OperatorLoad()]) == 0.0
    assert find_variability(OperatorLoad(arrival_scv=3.0), 9.0, "shared", 4) == 10.0
    assert find_variability(OperatorLoad(arrival_scv=30.0, service_scv=0.5), 9.0, None, 4) == 30.5


@pytest.mark.parametrize(("queueing", "arrivals"), [("round-robin", 3.0), ("random", 3.0), ("keyed", 3.0)])
def test_an_instance_sees_a_calmer_stream(queueing: str, arrivals: float):
    assert find_variability(OperatorLoad(service_scv=0.5), 9.0, queueing, 4) == arrivals + 0.5
