"""Service rates from busy times, and how far those err."""

from typing import NamedTuple

from app.engines.flink.counters import VertexCounters
from app.engines.numbers import find_rate

QUIET = 0.05
"""Up to this relative error the busy time of an interval is used, and not that since the start."""


class ServiceRate(NamedTuple):
    """Records that one subtask serves per second of busy time; `noise` is how far the busy time errs, relative."""

    rate: float | None
    noise: float | None
    since_start: bool = False


def find_service_rate(
    served: float | None, counted: VertexCounters, life: VertexCounters, parallelism: int, seconds: float
) -> ServiceRate:
    """Records served per second of busy time: of the interval, or of the life where that errs less.

    `served` is the rate of the interval. Records of the life are taken in the proportion of those to what was counted.
    """
    if not served:
        return ServiceRate(None, None)
    records = served * seconds
    noise = counted.find_busy_noise(parallelism, records)
    own = find_rate(records, (counted.busy_ms or 0.0) / 1000.0)
    if own is not None and (noise is None or noise <= QUIET):
        return ServiceRate(own, noise)
    of_life = find_life_records(records, counted, life)
    life_noise = None if of_life is None else life.find_busy_noise(parallelism, of_life)
    since_start = find_rate(of_life, (life.busy_ms or 0.0) / 1000.0)
    if since_start is None or (
        own is not None and (life_noise is None or noise is None or life_noise >= noise)
    ):
        return ServiceRate(own, noise)
    return ServiceRate(since_start, life_noise, since_start=True)


def find_life_records(records: float, counted: VertexCounters, life: VertexCounters) -> float | None:
    """Records of the whole life of a vertex, counted as those of the interval."""
    for of_interval, of_life in (
        (counted.records_in, life.records_in),
        (counted.records_out, life.records_out),
    ):
        if of_interval and of_life is not None:
            return records * of_life / of_interval
    return None
