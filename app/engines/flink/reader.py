"""Flink's answers as a topology and loads: `GET /jobs/:id`, best twice, and the documents asked with it."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from pydantic import JsonValue

from app.engines.answers import EngineAnswer, EngineReading, UnreadableAnswer
from app.engines.flink.buffers import find_exchange_seconds
from app.engines.flink.documents import FlinkCluster, JobState, to_time
from app.engines.flink.graph import (
    BROADCAST,
    SMALLEST_SHARE,
    JobFlows,
    JobShape,
    find_shape,
    is_keyed,
    make_topology,
)
from app.engines.flink.intervals import JobInterval, find_intervals
from app.engines.flink.looks import count_spans
from app.engines.flink.notes import JobNotes, list_notes
from app.engines.flink.patch import REACTIVE, count_slots
from app.engines.flink.samples import put_together
from app.engines.flink.tracing import list_assumed, trace
from app.engines.flink.unjudged import find_idle_brakes, list_unjudged
from app.engines.flink.vertices import find_shares
from app.load.bodies.load import InstanceLoadBody, LoadBody, OperatorLoadBody

NOTHING_COUNTED = (
    "the tasks of the job have counted nothing yet, or their metrics are from before a restart: send its document "
    "again in some seconds."
)
DEFAULT_SCHEDULER = "default"


def read(answers: Sequence[EngineAnswer]) -> EngineReading:
    """Reads Flink's answers: the topology of the job, and a load for each interval whose counters can be subtracted."""
    asked = put_together(answers)
    job = asked.samples[-1].job
    intervals = find_intervals(asked.samples)
    if intervals.newest is None:
        raise UnreadableAnswer(job.pointer, NOTHING_COUNTED)
    shape = find_shape(job, intervals.newest)
    flows = trace(intervals.newest, shape)
    keyed = {vertex for vertex in job.vertices if is_keyed(vertex, flows)}
    lags = [find_lag(interval) for interval in intervals.measured]
    loads = [
        load
        for interval, lag in zip(intervals.measured, lags, strict=True)
        if (load := make_load(trace(interval, shape), keyed, lag - min(lags))) is not None
    ]
    if loads and (spans := count_spans(asked.looks, intervals.measured[-1], shape.list_sources())):
        loads[-1] = loads[-1].model_copy(update={"external_counts": spans})
    names = make_marks(job, shape, asked.cluster)
    is_only = len(asked.samples) == 1
    age = lags[-1] - (0.0 if is_only else min(lags)) if lags else None
    notes = JobNotes(asked, intervals, flows, age, bool(loads), count_used_slots(job))
    return EngineReading(
        make_topology(job, flows), tuple(loads), list_notes(notes), names, list_assumed(flows)
    )


def find_lag(interval: JobInterval) -> float:
    """The time that the vertices have run beyond the time that they have counted: start-up, and the age of the
    metrics.
    """
    lags = [
        (interval.end_ms - one.started_ms) / 1000.0 - counted
        for one in interval.later.job.vertices.values()
        if interval.end_ms is not None
        and one.started_ms is not None
        and (counted := one.counters.find_seconds(one.parallelism)) is not None
    ]
    return max(min(lags, default=0.0), 0.0)


def make_load(flows: JobFlows, keyed: Collection[str], lag_seconds: float) -> LoadBody | None:
    """The load of an interval, or None if the external rate or the time is unknown; `lag_seconds` is the age of the
    metrics.
    """
    interval, shape = flows.interval, flows.shape
    external = [flows.external.get(vertex) for vertex in shape.list_sources()]
    if not external or None in external or interval.end_ms is None:
        return None
    rate = sum(filter(None, external))
    held_back, brakes, unjudged = flows.list_held_back(), find_idle_brakes(flows), list_unjudged(flows)
    began_ms = interval.end_ms - 1000.0 * (interval.seconds + lag_seconds)
    return LoadBody(
        observed_at=to_time(max(began_ms, 0.0)),
        window_seconds=interval.seconds,
        external_rate=rate,
        operators={
            shape.names[vertex]: tell_unjudged(
                make_operator_load(
                    vertex, flows, arrives=rate > 0.0 and vertex not in held_back, is_keyed=vertex in keyed
                ),
                is_unjudged=shape.names[vertex] in unjudged,
                is_full=shape.names[vertex] in brakes,
            )
            for vertex in interval.activities
            if shape.has(vertex)
        },
    )


def make_operator_load(vertex: str, flows: JobFlows, *, arrives: bool, is_keyed: bool) -> OperatorLoadBody:
    """The load of one operator; `arrives` tells whether the records sent to the vertex are all that it would be
    offered.
    """
    activity = flows.interval.activities[vertex]
    offered = flows.external.get(vertex) if activity.is_source else flows.find_offered(vertex)
    back_pressured = activity.counted.back_pressured_share
    return OperatorLoadBody(
        service_rate=activity.service.rate,
        arrival_rate=offered if arrives else None,
        served_rate=activity.served,
        processors=activity.vertex.parallelism,
        back_pressured_share=None if back_pressured is None else min(back_pressured, 1.0),
        backlog_tuples=find_backlog(vertex, flows),
        exchange_seconds=find_exchange_seconds(vertex, flows),
        instances=list(find_instances(vertex, flows, offered)) if is_keyed else [],
    )


def tell_unjudged(load: OperatorLoadBody, *, is_unjudged: bool, is_full: bool) -> OperatorLoadBody:
    """The load of an operator with a mark if busy time cannot judge it; what it serves when full is its capacity."""
    if not is_unjudged:
        return load
    changes: dict[str, bool | float] = {"unjudged": True}
    if is_full and load.served_rate and load.processors:
        changes["service_rate"] = load.served_rate / load.processors
    return load.model_copy(update=changes)


def find_backlog(vertex: str, flows: JobFlows) -> float | None:
    """The records that wait between a vertex and senders that send to no other vertex: sent minus taken since the
    start.
    """
    shape = flows.shape
    if flows.interval.activities[vertex].is_source:
        return flows.interval.activities[vertex].pending
    senders = [one.vertex for one in shape.inputs[vertex] if one.ship_strategy != BROADCAST]
    takers = {taker for sender in senders for taker in shape.list_takers(sender)}
    if len(senders) < len(shape.inputs[vertex]) or takers != {vertex}:
        return None
    vertices = flows.interval.later.job.vertices
    sent = [vertices[sender].counters.records_out for sender in senders]
    taken = vertices[vertex].counters.records_in
    if taken is None or None in sent:
        return None
    waiting = sum(filter(None, sent)) - taken
    return waiting if waiting >= 0.0 else None


def find_instances(vertex: str, flows: JobFlows, offered: float | None) -> Iterable[InstanceLoadBody]:
    """The share of each subtask in the records offered to a vertex; nothing if the subtasks were not measured."""
    activity = flows.interval.activities[vertex]
    if 1 < activity.vertex.parallelism == len(activity.subtasks):
        for place, share in enumerate(find_shares(activity.subtasks, activity.served, offered)):
            name = f"{flows.shape.names[vertex]} {place}"
            yield InstanceLoadBody(instance=name, share=max(share, SMALLEST_SHARE))


def make_marks(job: JobState, shape: JobShape, cluster: FlinkCluster) -> Mapping[str, JsonValue]:
    """Flink's own names: a patch needs the id of the job and of every vertex, also of vertices that are no
    operators.
    """
    return {
        "job": job.id,
        "job_name": job.name,
        "scheduler": find_scheduler(job, cluster),
        "vertices": {name: vertex for vertex, name in shape.names.items() if shape.has(vertex)},
        "parallelism": {vertex: one.parallelism for vertex, one in job.vertices.items()},
        "slot_groups": {vertex: one.slot_group for vertex, one in job.vertices.items()},
        "slots_used": count_used_slots(job),
        "slots_total": cluster.slots_total,
        "slots_available": cluster.slots_available,
    }


def count_used_slots(job: JobState) -> int:
    """The slots that the running job takes: for each slot sharing group, the parallelism of its widest vertex."""
    vertices = job.vertices.items()
    return count_slots(
        {vertex: one.parallelism for vertex, one in vertices},
        {vertex: one.slot_group for vertex, one in vertices},
    )


def find_scheduler(job: JobState, cluster: FlinkCluster) -> str:
    """The scheduler of the job, from its document or else from the cluster's options; "" if neither names it.

    In reactive mode a job takes all slots of the cluster, and Flink refuses to set its parallelism.
    """
    options = cluster.options
    if (options or {}).get("scheduler-mode", "").lower() == REACTIVE.lower():
        return REACTIVE
    if job.scheduler or options is None:
        return job.scheduler
    return options.get("jobmanager.scheduler", DEFAULT_SCHEDULER).capitalize()
