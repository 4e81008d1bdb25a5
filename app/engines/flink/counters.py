"""Counters of a vertex, and rates from their growth in an interval; Flink's own meters are never used.

Flink's `...PerSecond` meters divide by 60 s from the first second on, so they are wrong for a minute after each start.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from pydantic import JsonValue

from app.engines.numbers import divide, find_rate, read_number

SHORTEST_SECONDS = 0.1  # counters of a shorter time give no rates
QUIET = 0.05
"""Up to this relative error of the busy time, the busy time of the interval is used; above it, the busy time since
the start.
"""
OF_DOCUMENTS = {
    "records_in": ("read-records", "read-records-complete"),
    "records_out": ("write-records", "write-records-complete"),
    "busy_ms": ("accumulated-busy-time", ""),
    "idle_ms": ("accumulated-idle-time", ""),
    "back_pressured_ms": ("accumulated-backpressured-time", ""),
}
OF_METRICS = {
    "records_in": "numRecordsIn",
    "records_out": "numRecordsOut",
    "busy_ms": "accumulateBusyTimeMs",
    "idle_ms": "accumulateIdleTimeMs",
    "back_pressured_ms": "accumulateBackPressuredTimeMs",
}


class VertexCounters(NamedTuple):
    """The counters of a vertex since its start, summed over its subtasks; None: unknown."""

    records_in: float | None = None
    records_out: float | None = None
    busy_ms: float | None = None
    idle_ms: float | None = None
    back_pressured_ms: float | None = None

    @property
    def time_ms(self) -> float | None:
        """The elapsed milliseconds times the subtasks: the sum of busy, idle and back-pressured time; None for a legacy
        source.
        """
        if self.busy_ms is None or self.idle_ms is None or self.back_pressured_ms is None:
            return None
        return self.busy_ms + self.idle_ms + self.back_pressured_ms

    @property
    def working_share(self) -> float | None:
        """The share of time in which a subtask was not idle: it was busy, or blocked with the next record at hand."""
        idle = divide(self.idle_ms, self.time_ms)
        return None if idle is None else 1.0 - idle

    @property
    def back_pressured_share(self) -> float | None:
        """The share of time in which a subtask was blocked because the vertices after it took no more records."""
        return divide(self.back_pressured_ms, self.time_ms)

    def find_seconds(self, parallelism: int) -> float | None:
        """The elapsed seconds of each subtask: the time of all subtasks divided by their number."""
        milliseconds = divide(self.time_ms, parallelism)
        return None if milliseconds is None else milliseconds / 1000.0

    def find_busy_noise(self, parallelism: int, records: float) -> float | None:
        """The relative error of the busy time: an idle time that has not ended is missing at both ends of the interval.

        The error is estimated as √(2·parallelism) idle times of mean length, divided by the busy time.
        """
        idle_ms = divide(self.idle_ms, records)
        return None if idle_ms is None else divide(math.sqrt(2.0 * parallelism) * idle_ms, self.busy_ms)


ZERO = VertexCounters(0.0, 0.0, 0.0, 0.0, 0.0)


def read_counters(metrics: Mapping[str, JsonValue]) -> VertexCounters:
    """The counters in the `metrics` of a vertex or subtask; a counter that Flink marks as incomplete becomes None."""
    return VertexCounters(
        **{
            field: None if metrics.get(complete) is False else read_number(metrics.get(name))
            for field, (name, complete) in OF_DOCUMENTS.items()
        }
    )


def read_metric_counters(values: Mapping[str, float]) -> VertexCounters:
    """The counters among the answers of `subtasks/metrics?get=...`, which give each metric by its name."""
    return VertexCounters(**{field: values.get(name) for field, name in OF_METRICS.items()})


def subtract_counters(later: VertexCounters, earlier: VertexCounters) -> VertexCounters:
    """The growth of each counter of a vertex between two samples; busy time may be negative, because it can fall."""
    pairs = zip(later, earlier, strict=True)
    return VertexCounters(*[None if a is None or b is None else a - b for a, b in pairs])


def went_down(later: VertexCounters, earlier: VertexCounters) -> bool:
    """Whether a counter of the vertex fell between two samples, which means that the vertex was restarted.

    Busy time is left out, because it may fall without a restart: Flink counts as busy all time that is neither idle nor
    back-pressured, and an idle time is counted as idle only when it ends.
    """
    pairs = zip(later._replace(busy_ms=None), earlier._replace(busy_ms=None), strict=True)
    return any(a is not None and b is not None and a < b for a, b in pairs)


class ServiceRate(NamedTuple):
    """Records that one subtask serves per second of busy time; `noise` is the relative error of the busy time."""

    rate: float | None = None
    noise: float | None = None
    since_start: bool = False


def measure_service(
    served: float | None, counted: VertexCounters, life: VertexCounters, parallelism: int, seconds: float
) -> ServiceRate:
    """Records served per second of busy time in the interval, or over the vertex' life if that has the smaller
    error.

    `served` is the rate of the interval.
    """
    if not served:
        return ServiceRate()
    records = served * seconds
    rate = find_rate(records, (counted.busy_ms or 0.0) / 1000.0)
    noise = counted.find_busy_noise(parallelism, records)
    if rate is not None and (noise is None or noise <= QUIET):
        return ServiceRate(rate, noise)
    life_records = find_life_records(records, counted, life)
    life_rate = find_rate(life_records, (life.busy_ms or 0.0) / 1000.0)
    life_noise = None if life_records is None else life.find_busy_noise(parallelism, life_records)
    is_better = life_noise is not None and noise is not None and life_noise < noise
    if life_rate is None or (rate is not None and not is_better):
        return ServiceRate(rate, noise)
    return ServiceRate(life_rate, life_noise, since_start=True)


def find_life_records(records: float, counted: VertexCounters, life: VertexCounters) -> float | None:
    """Records served in the whole life of a vertex: the interval's `records`, scaled by the ratio of the counters in
    `life` to those in `counted`.
    """
    for of_interval, of_life in (
        (counted.records_in, life.records_in),
        (counted.records_out, life.records_out),
    ):
        if of_interval and of_life is not None:
            return records * of_life / of_interval
    return None
