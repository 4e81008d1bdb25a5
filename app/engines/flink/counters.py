"""Counters of a vertex, and what they say of an interval: only differences, never the meters that Flink derives.

Flink's `...PerSecond` meters divide by 60 s from the first second on, so they are wrong for a minute after each start.
"""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pydantic import JsonValue

from app.engines.numbers import divide, read_number

SHORTEST_SECONDS = 0.1  # rates of less time say nothing
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
    """What a vertex counted since its start, summed over its subtasks; None: not known."""

    records_in: float | None = None
    records_out: float | None = None
    busy_ms: float | None = None
    idle_ms: float | None = None
    back_pressured_ms: float | None = None

    @property
    def time_ms(self) -> float | None:
        """busy + idle + back-pressured: the time that passed, once for each subtask; None for a legacy source."""
        if self.busy_ms is None or self.idle_ms is None or self.back_pressured_ms is None:
            return None
        return self.busy_ms + self.idle_ms + self.back_pressured_ms

    @property
    def working_share(self) -> float | None:
        """The part of its time that a subtask was not idle: busy, or blocked with the next record at hand."""
        idle = divide(self.idle_ms, self.time_ms)
        return None if idle is None else 1.0 - idle

    @property
    def back_pressured_share(self) -> float | None:
        """The part of its time that a subtask was blocked by what follows."""
        return divide(self.back_pressured_ms, self.time_ms)

    def find_seconds(self, parallelism: int) -> float | None:
        """The time that passed for each subtask."""
        milliseconds = divide(self.time_ms, parallelism)
        return None if milliseconds is None else milliseconds / 1000.0

    def find_busy_noise(self, parallelism: int, records: float) -> float | None:
        """How far busy time errs, relative: at both ends, each subtask may be in an idle time that is not yet counted.

        √(2·parallelism) idle times of mean length, over the busy time.
        """
        idle_ms = divide(self.idle_ms, records)
        return None if idle_ms is None else divide(math.sqrt(2.0 * parallelism) * idle_ms, self.busy_ms)


ZERO = VertexCounters(0.0, 0.0, 0.0, 0.0, 0.0)


def read_counters(metrics: Mapping[str, JsonValue]) -> VertexCounters:
    """The counters in the `metrics` of a vertex or subtask; a count that Flink calls incomplete is unknown."""
    return VertexCounters(
        **{
            field: None if metrics.get(complete) is False else read_number(metrics.get(name))
            for field, (name, complete) in OF_DOCUMENTS.items()
        }
    )


def read_metric_counters(values: Mapping[str, float]) -> VertexCounters:
    """The counters among metrics by their names, as `subtasks/metrics?get=...` answers them."""
    return VertexCounters(**{field: values.get(name) for field, name in OF_METRICS.items()})


def add_counters(parts: Iterable[VertexCounters]) -> VertexCounters:
    """The sum over subtasks; what is unknown for one of them is unknown for all."""
    listed = list(parts)
    columns = [[part[place] for part in listed] for place in range(len(VertexCounters._fields))]
    sums = [None if not column or None in column else sum(filter(None, column)) for column in columns]
    return VertexCounters(*sums)


def subtract_counters(later: VertexCounters, earlier: VertexCounters) -> VertexCounters:
    """What was counted between two times."""
    pairs = zip(later, earlier, strict=True)
    return VertexCounters(*[None if a is None or b is None else a - b for a, b in pairs])


def went_down(later: VertexCounters, earlier: VertexCounters) -> bool:
    """Whether a counter fell: the vertex started anew in between.

    Busy time is left out, for it falls by itself: Flink takes what is neither idle nor back-pressured for busy, and an
    idle time that lasts is not yet counted as idle.
    """
    pairs = zip(later._replace(busy_ms=None), earlier._replace(busy_ms=None), strict=True)
    return any(a is not None and b is not None and a < b for a, b in pairs)
