"""The intervals between samples, and the rates of each vertex in them: from counters alone, by the tasks' clock."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from app.engines.flink.counters import (
    SHORTEST_SECONDS,
    ZERO,
    ServiceRate,
    VertexCounters,
    measure_service,
    subtract_counters,
)
from app.engines.flink.documents import VertexState
from app.engines.flink.samples import (
    JobSample,
    find_impossible_clock,
    find_moved_seconds,
    find_reset,
    has_moved,
)
from app.engines.flink.vertices import (
    SubtaskActivity,
    count_at_source,
    find_pending,
    find_pending_growth,
    is_saturated,
    list_subtasks,
)
from app.engines.numbers import find_rate

LEAST_SECONDS = 1.0


class VertexActivity(NamedTuple):
    """The activity of one vertex in an interval; rates are per second, None: unknown.

    `served` counts the records that it took up; for a source, the records that its source operator emitted. `seconds`
    is the time by the vertex's own clock.
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
        """Whether the vertex, or one of its subtasks, had no idle time left, so that records may wait for it."""
        records = self.counted.records_out if self.is_source else self.counted.records_in
        return is_saturated(self.counted, records) or any(one.is_saturated for one in self.subtasks)

    @property
    def entered(self) -> float | None:
        """Records per second that came to a source: those that it served, plus the growth of pending records if it had
        no idle time left.
        """
        if self.served is None or self.pending_growth is None or not self.is_saturated:
            return self.served
        return max(self.served + self.pending_growth, 0.0)

    @property
    def is_waiting(self) -> bool:
        """Whether the vertex is a source without a measured busy time: a legacy source, which only waits for
        its input.
        """
        return self.is_source and self.counted.busy_ms is None


@dataclass(frozen=True, slots=True)
class JobInterval:
    """The time between two samples of a job; if `earlier` is None, the time from the start of the tasks to the only
    sample.
    """

    seconds: float
    end_ms: float | None
    has_clock: bool
    activities: Mapping[str, VertexActivity]
    later: JobSample
    earlier: JobSample | None


def measure(earlier: JobSample | None, later: JobSample) -> JobInterval | None:
    """The interval between two samples, or since the start of the tasks if there is one sample; None if no
    time passed.
    """
    vertices = later.job.vertices
    counted = {
        vertex: subtract_counters(
            after.counters, ZERO if earlier is None else earlier.job.vertices[vertex].counters
        )
        for vertex, after in vertices.items()
    }
    found = [counters.find_seconds(vertices[vertex].parallelism) for vertex, counters in counted.items()]
    clocks = [seconds for seconds in found if seconds is not None]
    seconds = median(clocks) if clocks else find_answer_gap(earlier, later)
    if seconds is None or seconds < SHORTEST_SECONDS:
        return None
    activities = {
        vertex: observe(vertex, counters, seconds, earlier, later) for vertex, counters in counted.items()
    }
    return JobInterval(seconds, later.job.at_ms, bool(clocks), activities, later, earlier)


def find_answer_gap(earlier: JobSample | None, later: JobSample) -> float | None:
    """The seconds between two documents of a job by Flink's clock, or since the start of the job if `earlier`
    is None.
    """
    started = later.job.running_ms or later.job.started_ms
    before = started if earlier is None else earlier.job.at_ms
    return None if before is None or later.job.at_ms is None else (later.job.at_ms - before) / 1000.0


def observe(
    vertex: str, counted: VertexCounters, seconds: float, earlier: JobSample | None, later: JobSample
) -> VertexActivity:
    """The activity of one vertex, measured by its own clock if it has one, because this clock fits its counters
    best.
    """
    state = later.job.vertices[vertex]
    is_source = not later.job.inputs.get(vertex)
    own = counted.find_seconds(state.parallelism)
    own = own if own is not None and own >= SHORTEST_SECONDS else None
    clock = own or seconds
    sent, served = find_rate(counted.records_out, clock), find_rate(counted.records_in, clock)
    busy = None if counted.busy_ms is None else max(counted.busy_ms, 0.0) / 1000.0 / clock
    emitted = count_at_source(vertex, sent, busy, earlier, later) if is_source else None
    if is_source:
        served = emitted if emitted is not None else (sent if sent or sends_on(vertex, later) else None)
    return VertexActivity(
        state,
        counted,
        own,
        served,
        sent,
        measure_service(served, counted, state.counters, state.parallelism, clock),
        is_source,
        emitted is not None,
        find_pending(later.metrics.get(vertex)) if is_source else None,
        list_subtasks(vertex, earlier, later),
        find_pending_growth(vertex, earlier, later) if is_source else None,
    )


def sends_on(vertex: str, sample: JobSample) -> bool:
    """Whether a vertex sends records to another vertex; Flink counts 0 records out for a vertex that does not."""
    return any(one.vertex == vertex for inputs in sample.job.inputs.values() for one in inputs)


@dataclass(slots=True)
class JobIntervals:
    """The measured intervals, oldest first, and what was left out.

    `fallback` is the longest time since the start of the present tasks: the topology is measured by it if there is no
    interval. `resets` are the reasons why counters could not be subtracted. `stale` names vertices whose metrics are
    from before a rescale. `unmoved` and `too_close` count samples that were left out.
    """

    measured: list[JobInterval] = field(default_factory=list)
    fallback: JobInterval | None = None
    is_since_start: bool = False
    resets: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    unmoved: int = 0
    too_close: int = 0

    @property
    def newest(self) -> JobInterval | None:
        """The newest interval between samples, or else the time since the start of the tasks; it gives the topology."""
        return self.measured[-1] if self.measured else self.fallback


def find_intervals(samples: Sequence[JobSample]) -> JobIntervals:
    """The intervals between samples whose counters can be subtracted; of one sample, its time since the start."""
    found = JobIntervals()
    moved = list(drop_unmoved(drop_impossible(samples, found), found))
    vertices = samples[-1].job.vertices.keys()
    for earlier, later in pairwise(moved):
        reset = find_reset(earlier, later)
        interval = measure_between(earlier, later) if reset is None else None
        if reset is not None:
            found.resets.append(reset)
        elif interval is not None and interval.activities.keys() == vertices:
            found.measured.append(interval)
    lives = [measure(None, one) for one in moved if one.job.vertices.keys() == vertices]
    known = [life for life in lives if life is not None]
    found.fallback = max(known, key=lambda life: life.seconds, default=None)
    if len(samples) == 1 and found.fallback is not None:
        found.measured, found.is_since_start = [found.fallback], True
    return found


def measure_between(earlier: JobSample, later: JobSample) -> JobInterval | None:
    """The interval between two samples; since the start if the earlier sample came before Flink had any metrics.

    Such a sample has no clock: Flink writes 0, and NaN for busy time. The time between the answers is not the time of
    the counters, which may be older.
    """
    if any(any(one.counters) for one in earlier.job.vertices.values()):
        return measure(earlier, later)
    life = measure(None, later)
    return life if life is not None and life.seconds >= LEAST_SECONDS else None


def drop_impossible(samples: Sequence[JobSample], found: JobIntervals) -> Iterable[JobSample]:
    """The samples without those whose metrics cannot belong to the tasks that run."""
    for sample in samples:
        name = find_impossible_clock(sample)
        if name is None:
            yield sample
        else:
            found.stale.append(name)


def drop_unmoved(samples: Iterable[JobSample], found: JobIntervals) -> Iterable[JobSample]:
    """The samples without those whose counters did not change or hardly; the kept sample gets their details."""
    kept: JobSample | None = None
    for sample in samples:
        if kept is not None and find_reset(kept, sample) is None:
            if not has_moved(kept, sample):
                found.unmoved += 1
                details, metrics = {**kept.details, **sample.details}, {**kept.metrics, **sample.metrics}
                kept = JobSample(kept.job, details, metrics)
                continue
            seconds = find_moved_seconds(kept, sample)
            if seconds is not None and seconds < LEAST_SECONDS:
                found.too_close += 1
                continue
        if kept is not None:
            yield kept
        kept = sample
    if kept is not None:
        yield kept
