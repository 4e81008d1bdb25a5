"""What each vertex did in an interval: rates by the vertex's own clock, from counters alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from app.engines.flink.counters import SHORTEST_SECONDS, ZERO, VertexCounters, subtract_counters
from app.engines.flink.documents import VertexState
from app.engines.flink.samples import JobSample
from app.engines.flink.services import ServiceRate, find_service_rate
from app.engines.flink.sources import count_at_source, find_pending, find_pending_growth
from app.engines.flink.subtasks import SubtaskActivity, is_saturated, list_subtasks
from app.engines.numbers import find_rate


class VertexActivity(NamedTuple):
    """What one vertex did; rates per second; None: not known.

    `served` counts records that it took up, for a source those that its source operator emitted.
    """

    vertex: VertexState
    counted: VertexCounters
    seconds: float | None
    served: float | None
    sent: float | None
    service: ServiceRate
    is_source: bool = False
    has_own_count: bool = False
    pending: float | None = None
    subtasks: tuple[SubtaskActivity, ...] = ()
    pending_growth: float | None = None

    @property
    def is_saturated(self) -> bool:
        """Whether it, or one of its subtasks, had no idle time left: then records may wait for it."""
        records = self.counted.records_out if self.is_source else self.counted.records_in
        return is_saturated(self.counted, records) or any(one.is_saturated for one in self.subtasks)

    @property
    def entered(self) -> float | None:
        """Of a source, records per second that came to it: without idle time left, what it serves and what piles up."""
        if self.served is None or self.pending_growth is None or not self.is_saturated:
            return self.served
        return max(self.served + self.pending_growth, 0.0)

    @property
    def is_waiting(self) -> bool:
        """Whether it is a source whose busy time is not measured: a legacy source, which only waits for its input."""
        return self.is_source and self.counted.busy_ms is None


@dataclass(frozen=True, slots=True)
class JobInterval:
    """An interval between two samples, or from the start of the job to its only sample."""

    seconds: float
    end_ms: float | None
    has_clock: bool
    activities: Mapping[str, VertexActivity]
    later: JobSample
    earlier: JobSample | None

    @property
    def since_start(self) -> bool:
        """Whether it is the whole life of the job's present tasks."""
        return self.earlier is None


def measure(earlier: JobSample | None, later: JobSample) -> JobInterval | None:
    """What happened between two samples, or since the start; None where no time passed."""
    counted = {
        vertex: subtract_counters(
            after.counters, ZERO if earlier is None else earlier.job.vertices[vertex].counters
        )
        for vertex, after in later.job.vertices.items()
    }
    clocks = [
        seconds
        for vertex, counters in counted.items()
        if (seconds := counters.find_seconds(later.job.vertices[vertex].parallelism)) is not None
    ]
    seconds = median(clocks) if clocks else find_answer_gap(earlier, later)
    if seconds is None or seconds < SHORTEST_SECONDS:
        return None
    activities = {
        vertex: observe(vertex, counters, seconds, earlier, later) for vertex, counters in counted.items()
    }
    return JobInterval(seconds, later.job.at_ms, bool(clocks), activities, later, earlier)


def find_answer_gap(earlier: JobSample | None, later: JobSample) -> float | None:
    """The time between the two documents, or since the start of the job, by the engine's clock."""
    started = later.job.running_ms or later.job.started_ms
    before = started if earlier is None else earlier.job.at_ms
    return None if before is None or later.job.at_ms is None else (later.job.at_ms - before) / 1000.0


def observe(
    vertex: str, counted: VertexCounters, seconds: float, earlier: JobSample | None, later: JobSample
) -> VertexActivity:
    """The activity of one vertex; its own clock, where it has one, is nearer to its counters than any other."""
    state = later.job.vertices[vertex]
    is_source = not later.job.inputs.get(vertex)
    own = counted.find_seconds(state.parallelism)
    own = own if own is not None and own >= SHORTEST_SECONDS else None
    clock = own or seconds
    sent = find_rate(counted.records_out, clock)
    served = find_rate(counted.records_in, clock)
    busy = find_busy(counted, clock)
    by_source = count_at_source(vertex, sent, busy, earlier, later) if is_source else None
    if is_source:
        served = by_source if by_source is not None else (sent if sent or sends_on(vertex, later) else None)
    return VertexActivity(
        state,
        counted,
        own,
        served,
        sent,
        find_service_rate(served, counted, state.counters, state.parallelism, clock),
        is_source,
        by_source is not None,
        find_pending(later.metrics.get(vertex)) if is_source else None,
        list_subtasks(vertex, earlier, later),
        find_pending_growth(vertex, earlier, later) if is_source else None,
    )


def find_busy(counted: VertexCounters, seconds: float) -> float | None:
    """Busy seconds of all subtasks per second."""
    return None if counted.busy_ms is None else max(counted.busy_ms, 0.0) / 1000.0 / seconds


def sends_on(vertex: str, sample: JobSample) -> bool:
    """Whether a vertex sends to another; one that holds its whole chain has 0 records out whatever it does."""
    return any(one.vertex == vertex for inputs in sample.job.inputs.values() for one in inputs)
