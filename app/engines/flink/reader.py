"""Flink's answers as a topology and loads: `GET /jobs/:id`, best twice, and what was asked beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import JsonValue

from app.engines.answers import EngineAnswer, EngineReading, UnreadableAnswer
from app.engines.diagnostics import say
from app.engines.flink.activity import JobInterval
from app.engines.flink.documents import FlinkCluster, JobState
from app.engines.flink.flows import trace
from app.engines.flink.graph import JobShape, draw, find_shape
from app.engines.flink.intervals import find_intervals
from app.engines.flink.loads import make_load
from app.engines.flink.naming import to_line
from app.engines.flink.notes import note_age, note_cluster, note_interval
from app.engines.flink.patch import REACTIVE, count_slots
from app.engines.flink.samples import put_together
from app.load.bodies.load import LoadBody
from planner.values import Diagnostic

NOTHING_COUNTED = (
    "the tasks of the job have counted nothing yet, or their metrics are from before they were started anew: send its "
    "document again in some seconds."
)

DEFAULT_SCHEDULER = "default"


def read(answers: Sequence[EngineAnswer]) -> EngineReading:
    """The topology of the job, and one load for each interval between samples whose counters can be subtracted."""
    asked = put_together(answers)
    job = asked.samples[-1].job
    found = find_intervals(asked.samples)
    newest = found.newest
    if newest is None:
        raise UnreadableAnswer(job.pointer, NOTHING_COUNTED)
    shape = find_shape(job, newest)
    flows = trace(newest, shape.inputs, shape.names)
    graph = draw(job, newest, flows, shape)
    lags = [find_lag(interval) for interval in found.measured]
    is_only = len(asked.samples) == 1
    loads = [
        load
        for interval, lag in zip(found.measured, lags, strict=True)
        if (load := read_load(interval, lag - min(lags), shape)) is not None
    ]
    groups = {vertex: one.slot_group for vertex, one in job.vertices.items()}
    used = count_slots({vertex: one.parallelism for vertex, one in job.vertices.items()}, groups)
    diagnostics = [*asked.diagnostics, *found.diagnostics, *flows.diagnostics, *shape.diagnostics]
    if found.measured:
        diagnostics += note_age(lags[-1] - (0.0 if is_only else min(lags)), is_only=is_only)
        diagnostics += note_interval(found.measured[-1], flows, shape)
    if not loads:
        diagnostics.append(say("no-load", "Nothing is measured: send two samples of the running job."))
    diagnostics += note_cluster(asked.cluster, used)
    return EngineReading(
        graph, tuple(loads), join_notes(diagnostics), make_marks(job, shape, asked.cluster, used)
    )


def read_load(interval: JobInterval, lag_seconds: float, shape: JobShape) -> LoadBody | None:
    """The load of one interval, with the flows of this interval."""
    return make_load(interval, trace(interval, shape.inputs, shape.names), shape, lag_seconds)


def find_lag(interval: JobInterval) -> float:
    """How much longer the vertices have run than they have counted: start-up, and the age of the metrics."""
    lags = [
        (interval.end_ms - one.started_ms) / 1000.0 - counted
        for one in interval.later.job.vertices.values()
        if interval.end_ms is not None
        and one.started_ms is not None
        and (counted := one.counters.find_seconds(one.parallelism)) is not None
    ]
    return max(min(lags, default=0.0), 0.0)


def make_marks(job: JobState, shape: JobShape, cluster: FlinkCluster, used: int) -> Mapping[str, JsonValue]:
    """What Flink calls things: a patch needs the id of the job and of every vertex, those left out too."""
    return {
        "job": job.id,
        "job_name": job.name,
        "scheduler": find_scheduler(job, cluster),
        "vertices": {name: vertex for vertex, name in shape.names.items() if shape.has(vertex)},
        "parallelism": {vertex: one.parallelism for vertex, one in job.vertices.items()},
        "slot_groups": {vertex: one.slot_group for vertex, one in job.vertices.items()},
        "slots_used": used,
        "slots_total": cluster.slots_total,
        "slots_available": cluster.slots_available,
    }


def find_scheduler(job: JobState, cluster: FlinkCluster) -> str:
    """The scheduler of the job, by its document or else by the cluster's options; "" where neither says it.

    In reactive mode jobs take all slots that there are, and Flink refuses to set their parallelism.
    """
    options = cluster.options
    if (options or {}).get("scheduler-mode", "").lower() == REACTIVE.lower():
        return REACTIVE
    if job.scheduler or options is None:
        return job.scheduler
    return options.get("jobmanager.scheduler", DEFAULT_SCHEDULER).capitalize()


def join_notes(notes: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Each note once, on one line whatever the names in it."""
    return tuple(dict.fromkeys(replace(note, detail=to_line(note.detail)) for note in notes))
