"""The processor time of an allocation, as ratios of times measured side by side in one run.

Small: beside DRS's Algorithm 1 taken literally (eqs. 1–3 and 5), in plain Python too, at N = 3 and the K_max of
their Table II. Large: beside one vectorised evaluation of the wait of every operator, at the counts found and
under the same model.
"""

from collections.abc import Callable
from dataclasses import replace
from math import exp, inf, lgamma, log
from statistics import median
from time import process_time

import numpy as np

from planner.allocation.allocate import allocate_budget, allocate_target
from planner.queueing.array_queues import wait_in_services
from planner.queueing.sojourns import expected_sojourn_seconds
from planner.queueing.stations import NO_BOUND, Stations

TABLE_II = (12, 24, 48, 96, 192)
SHARES = (0.55, 0.35, 0.1)
"""The shares of the operators in the offered load: two heavy and one light, as in DRS's video topology."""


def wait_as_written(arrival_rate: float, service_rate: float, k: int, scv: float) -> float:
    """The wait by equations 1–3 and 5 of DRS, term by term; A^l/l! by logarithms, since factorials are large."""
    load = arrival_rate / service_rate
    if load >= k:
        return inf
    log_load = log(load)
    last = exp(k * log_load - lgamma(k + 1.0)) / (1.0 - load / k)
    total = sum(exp(state * log_load - lgamma(state + 1.0)) for state in range(k)) + last
    return scv * last / total / (k * service_rate - arrival_rate)


def wait_by_products(arrival_rate: float, service_rate: float, k: int, scv: float) -> float:
    """The same wait with each term computed from the term before, which makes DRS's Algorithm 1 faster."""
    load = arrival_rate / service_rate
    if load >= k:
        return inf
    term = total = 1.0
    for state in range(1, k):
        term *= load / state
        total += term
    last = term * load / k / (1.0 - load / k)
    return scv * last / (total + last) / (k * service_rate - arrival_rate)


Wait = Callable[[float, float, int, float], float]


def allocate_literally(stations: Stations, k_max: int, wait: Wait) -> list[int]:
    """DRS's Algorithm 1, which computes every δ in each round; in line 7, ≤ would spend K_max + 1 processors."""
    rows = list(
        zip(
            stations.arrival_rate,
            stations.service_rate,
            [(a + s) / 2.0 for a, s in zip(stations.arrival_scv, stations.service_scv, strict=True)],
            strict=True,
        )
    )
    counts = [int(arrival / service) + 1 for arrival, service, _ in rows]
    while sum(counts) < k_max:
        deltas = [
            arrival * (wait(arrival, service, k, scv) - wait(arrival, service, k + 1, scv))
            for (arrival, service, scv), k in zip(rows, counts, strict=True)
        ]
        counts[deltas.index(max(deltas))] += 1
    return counts


def time_median(call: Callable[[], object], least_seconds: float = 0.1) -> float:
    """The median processor time of a call in seconds, over five calls or more and `least_seconds` or more."""
    times: list[float] = []
    begin = process_time()
    while len(times) < 5 or process_time() - begin < least_seconds:
        start = process_time()
        call()
        times.append(process_time() - start)
    return median(times)


def build_small(offered: float, scvs: tuple[float, float]) -> Stations:
    """Three operators that share an offered load."""
    service = (10.0, 25.0, 50.0)
    arrival = [offered * share * mu for share, mu in zip(SHARES, service, strict=True)]
    return Stations(arrival, service, [scvs[0]] * 3, [scvs[1]] * 3, [1] * 3, [NO_BOUND] * 3)


def build_large(size: int, k_max: int) -> Stations:
    """Operators of unequal load with √A/2 to √A spare processors each, and SCVs from 0.3 to 2."""
    rng = np.random.default_rng(7)
    share = rng.uniform(0.2, 1.8, size)
    load = share / share.sum() * k_max
    load = np.maximum(load - np.sqrt(load) * rng.uniform(0.5, 1.0, size), 0.05)
    service = rng.uniform(0.5, 5.0, size)
    scvs = rng.uniform(0.3, 2.0, (2, size))
    ones = np.ones(size, np.int64)
    return Stations(load * service, service, scvs[0], scvs[1], ones, ones * NO_BOUND)


def print_small() -> None:
    """Three operators with K_max of DRS's Table II: with a constant load, and with a load that grows with it."""
    print(
        "N = 3: times faster than DRS's Algorithm 1 (its waits term by term as written | by running products)"
    )
    print(f"{'K_max':>8} {'a/s':>8} {'load stays':>18} {'load grows':>18}")
    for scvs in ((1.0, 1.0), (0.6, 1.7), (0.5, 0.7)):
        for k_max in TABLE_II:
            cells = [compare_small(build_small(offered, scvs), k_max) for offered in (7.0, 0.6 * k_max)]
            print(f"{k_max:>8} {scvs[0]:>4}/{scvs[1]:<3} {cells[0]:>18} {cells[1]:>18}")


def compare_small(stations: Stations, k_max: int) -> str:
    """Both ratios of one case, measured in turns."""
    # Anew each time: stations remember the gains that were asked of them.
    ours = time_median(lambda: allocate_budget(replace(stations), k_max))
    written = time_median(lambda: allocate_literally(stations, k_max, wait_as_written))
    products = time_median(lambda: allocate_literally(stations, k_max, wait_by_products))
    return f"{written / ours:.1f} | {products / ours:.1f}"


def print_large() -> None:
    """Prints the time of an allocation for 1,000 and 100,000 operators beside the time to compute all waits once."""
    print("\nN operators: in units of one vectorised evaluation of all waits (ggk-whitt)")
    print(f"{'N':>8} {'K':>12} {'min_latency':>12} {'min_processors':>15} {'evaluation ms':>14}")
    for size in (1_000, 100_000):
        for k_max in (10**6, 10**7, 10**9):
            stations = build_large(size, k_max)
            counts = allocate_budget(stations, k_max).counts
            queues, at = stations.arrays, np.array(counts, np.float64)
            target = expected_sojourn_seconds(stations, counts, 1.0) * (1.0 + 1e-9)
            one = time_median(lambda q=queues, k=at: wait_in_services(q, k))  # type: ignore[misc]
            budget = time_median(lambda s=stations, k=k_max: allocate_budget(replace(s), k))  # type: ignore[misc]
            goal = time_median(lambda s=stations, t=target: allocate_target(replace(s), t, 1.0))  # type: ignore[misc]
            print(f"{size:>8} {k_max:>12} {budget / one:>12.1f} {goal / one:>15.1f} {one * 1e3:>14.2f}")


def main() -> None:
    """Prints both tables."""
    print_small()
    print_large()


if __name__ == "__main__":
    main()
