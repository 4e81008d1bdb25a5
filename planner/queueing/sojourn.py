"""E[T], the expected sojourn time: the total time in operators per external tuple (DRS, eq. 4)."""

from collections.abc import Sequence
from math import fsum

import numpy as np

from planner.arrays import Floats
from planner.queueing.stations import Stations


def sum_sojourns(stations: Stations, waits: Sequence[float] | Floats, external_rate: float) -> float:
    """E[T] at given waits."""
    if isinstance(waits, np.ndarray):
        arrival, service = np.asarray(stations.arrival_rate), np.asarray(stations.service_rate)
        terms = (arrival * (waits + 1.0 / service)).tolist()
    else:
        rows = zip(stations.arrival_rate, stations.service_rate, waits, strict=True)
        terms = [arrival * (wait + 1.0 / service) for arrival, service, wait in rows]
    return fsum(terms) / external_rate
