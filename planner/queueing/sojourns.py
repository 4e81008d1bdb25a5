"""E[T] of a topology from the waits of its operators.

E[T] is the expected sojourn time, the total time in operators per external tuple. With the external rate λ0, and the
arrival rate λᵢ, mean wait Wᵢ and service rate μᵢ of operator i at kᵢ processors:

    E[T](k) = (1/λ0) Σ λᵢ (Wᵢ(kᵢ) + 1/μᵢ)                    (DRS, eq. 4)
    T_L     = Σ vᵢ/μᵢ,   vᵢ = λᵢ/λ0                            its lower bound, with all waits 0

A visit to an operator with a delay takes dᵢ longer: Wᵢ + dᵢ stands for Wᵢ.

Every sum is exact (fsum) over rounded terms, so each part of the program gets the same E[T] to the last bit, and a plan
for a target never exceeds the target by rounding. Algorithm 2, line 5 of the paper sums 1/μᵢ without visits, which is
not a lower bound.
"""

from collections.abc import Sequence
from math import fsum

import numpy as np

from planner.arrays import Counts, Floats
from planner.queueing.stations import Stations

ROUNDING = 1e-13  # the relative error of a plain sum of some million terms is smaller


def expected_sojourn_seconds(
    stations: Stations, counts: Sequence[int] | Counts, external_rate: float
) -> float:
    """E[T] with `counts` processors; inf where an operator is unstable."""
    return sum_sojourns(stations, stations.queues.wait_seconds(counts), external_rate)


def sum_sojourns(stations: Stations, waits: Sequence[float] | Floats, external_rate: float) -> float:
    """E[T], the mean total time of an external tuple in seconds, at given waits; `external_rate` is above 0."""
    beyond = stations.add_delays(waits)
    return sum_work(stations.arrival_rate, beyond, stations.service_rate) / external_rate


def sum_work(
    rates: Sequence[float] | Floats, waits: Sequence[float] | Floats, service_rates: Sequence[float] | Floats
) -> float:
    """The sum Σ rᵢ(Wᵢ + 1/μᵢ) of rates × time at each operator, with waits W and service rates μ.

    The sum is λ0·E[T] where r are arrival rates, and E[T] where r are visits per external tuple.
    """
    if isinstance(waits, np.ndarray):
        return fsum((np.asarray(rates) * (waits + 1.0 / np.asarray(service_rates))).tolist())
    return fsum([r * (wait + 1.0 / mu) for r, wait, mu in zip(rates, waits, service_rates, strict=True)])


def find_lower_bound(stations: Stations, external_rate: float) -> float:
    """T_L, the mean time of an external tuple without any wait; the same sum as E[T], to the last bit."""
    size = len(stations)
    waits = np.zeros(size) if isinstance(stations.arrival_rate, np.ndarray) else [0.0] * size
    return sum_sojourns(stations, waits, external_rate)


def sum_unhindered(stations: Stations, visits: Sequence[float]) -> float:
    """The time of one external tuple in services and delays, without any wait."""
    if stations.delays is None:
        return sum_services(visits, stations.service_rate)
    return sum_work(visits, stations.delays, stations.service_rate)


def sum_services(visits: Sequence[float], service_rates: Sequence[float] | Floats) -> float:
    """The time in service of one external tuple, Σ vᵢ/μᵢ with visits v and service rates μ."""
    return fsum([count / mu for count, mu in zip(visits, service_rates, strict=True)])


def meets_target(
    stations: Stations, waits: Sequence[float] | Floats, external_rate: float, t_max_seconds: float
) -> bool:
    """Whether E[T] ≤ t_max_seconds, exactly; for arrays a plain sum decides unless rounding could matter."""
    if isinstance(waits, np.ndarray):
        arrival, service = np.asarray(stations.arrival_rate), np.asarray(stations.service_rate)
        beyond = np.asarray(stations.add_delays(waits))
        roughly = float(np.sum(arrival * (beyond + 1.0 / service))) / external_rate
        if abs(roughly - t_max_seconds) > ROUNDING * t_max_seconds:
            return roughly <= t_max_seconds
    return sum_sojourns(stations, waits, external_rate) <= t_max_seconds
