"""E[T], the expected sojourn time: the total time in operators per external tuple.

    E[T](k) = (1/λ0) Σ λᵢ (Wᵢ(kᵢ) + 1/μᵢ)                    (DRS, eq. 4)
    T_L     = Σ vᵢ/μᵢ,   vᵢ = λᵢ/λ0                            its lower bound: no tuple waits

Every sum is exact (fsum) over rounded terms, so that E[T] of a plan for a target is at or below the target whichever
part of the program sums it. The paper's Algorithm 2, line 5 sums 1/μᵢ without visits, which is no lower bound.
"""

from collections.abc import Sequence
from math import fsum

import numpy as np

from planner.arrays import Counts, Floats
from planner.queueing.stations import Stations

ROUNDING = 1e-13  # a plain sum of some million terms is closer to the exact one, relative


def expected_sojourn_seconds(
    stations: Stations, counts: Sequence[int] | Counts, external_rate: float
) -> float:
    """E[T] with `counts` processors; inf where an operator is unstable."""
    return sum_sojourns(stations, stations.queues.wait_seconds(counts), external_rate)


def sum_sojourns(stations: Stations, waits: Sequence[float] | Floats, external_rate: float) -> float:
    """E[T] at given waits; `external_rate` is above 0."""
    return sum_work(stations.arrival_rate, waits, stations.service_rate) / external_rate


def sum_work(
    rates: Sequence[float] | Floats, waits: Sequence[float] | Floats, service_rates: Sequence[float] | Floats
) -> float:
    """Σ rᵢ(Wᵢ + 1/μᵢ): λ0·E[T] where r are arrival rates, E[T] where r are visits."""
    if isinstance(waits, np.ndarray):
        return fsum((np.asarray(rates) * (waits + 1.0 / np.asarray(service_rates))).tolist())
    return fsum([r * (wait + 1.0 / mu) for r, wait, mu in zip(rates, waits, service_rates, strict=True)])


def find_lower_bound(stations: Stations, external_rate: float) -> float:
    """T_L, by the sum that E[T] is: where no tuple waits the two are equal to the last bit."""
    size = len(stations)
    waits = np.zeros(size) if isinstance(stations.arrival_rate, np.ndarray) else [0.0] * size
    return sum_sojourns(stations, waits, external_rate)


def sum_services(visits: Sequence[float], service_rates: Sequence[float] | Floats) -> float:
    """Σ vᵢ/μᵢ, the time in service of one external tuple: E[T] where no stream enters."""
    return fsum([count / mu for count, mu in zip(visits, service_rates, strict=True)])


def meets_target(
    stations: Stations, waits: Sequence[float] | Floats, external_rate: float, t_max_seconds: float
) -> bool:
    """Whether E[T] ≤ t_max_seconds, without tolerance; a plain sum of arrays decides where rounding cannot matter."""
    if isinstance(waits, np.ndarray):
        arrival, service = np.asarray(stations.arrival_rate), np.asarray(stations.service_rate)
        roughly = float(np.sum(arrival * (waits + 1.0 / service))) / external_rate
        if abs(roughly - t_max_seconds) > ROUNDING * t_max_seconds:
            return roughly <= t_max_seconds
    return sum_sojourns(stations, waits, external_rate) <= t_max_seconds
