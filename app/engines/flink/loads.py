"""The load of an interval: what was offered and served at each operator, and what one subtask can serve."""

from collections.abc import Iterable, Mapping

from app.engines.flink.activity import JobInterval
from app.engines.flink.documents import to_time
from app.engines.flink.flows import JobFlows
from app.engines.flink.graph import JobShape
from app.engines.flink.subtasks import find_shares
from app.load.bodies.load import InstanceLoadBody, LoadBody, OperatorLoadBody

OVERLOADED = 0.97  # served / offered: below it, and with no time left, records pile up
SMALLEST_SHARE = 1e-9


def make_load(interval: JobInterval, flows: JobFlows, shape: JobShape, lag_seconds: float) -> LoadBody | None:
    """The load, or None where the rate from outside or the time is not known; `lag_seconds`: how old its end was."""
    external = [flows.external.get(vertex) for vertex, inputs in shape.inputs.items() if not inputs]
    if not external or None in external or interval.end_ms is None:
        return None
    rate = sum(filter(None, external))
    held_back = list_held_back(interval, flows, shape)
    began_ms = interval.end_ms - 1000.0 * (interval.seconds + lag_seconds)
    return LoadBody(
        observed_at=to_time(max(began_ms, 0.0)),
        window_seconds=interval.seconds,
        external_rate=rate,
        operators={
            shape.names[vertex]: make_operator_load(
                vertex, interval, flows, shape, arrives=rate > 0.0 and vertex not in held_back
            )
            for vertex in interval.activities
            if shape.has(vertex)
        },
    )


def make_operator_load(
    vertex: str, interval: JobInterval, flows: JobFlows, shape: JobShape, *, arrives: bool
) -> OperatorLoadBody:
    """The load of one operator; `arrives`: what upstream sends is what it would be offered."""
    activity = interval.activities[vertex]
    offered = flows.external.get(vertex) if activity.is_source else flows.find_offered(vertex)
    back_pressured = activity.counted.back_pressured_share
    return OperatorLoadBody(
        service_rate=activity.service.rate,
        arrival_rate=offered if arrives else None,
        served_rate=activity.served,
        processors=activity.vertex.parallelism,
        back_pressured_share=None if back_pressured is None else min(back_pressured, 1.0),
        backlog_tuples=find_backlog(vertex, interval, shape),
        instances=list(find_instances(vertex, interval, shape, offered)),
    )


def find_backlog(vertex: str, interval: JobInterval, shape: JobShape) -> float | None:
    """Records between a vertex and those that send to it alone: sent since the start less taken up since the start."""
    activity, inputs = interval.activities[vertex], shape.inputs[vertex]
    if activity.is_source:
        return activity.pending
    senders = [one.vertex for one in inputs if one.ship_strategy != "BROADCAST"]
    others = [v for v, its in shape.inputs.items() if v != vertex and any(i.vertex in senders for i in its)]
    if len(senders) < len(inputs) or others:
        return None
    vertices = interval.later.job.vertices
    sent = [vertices[sender].counters.records_out for sender in senders]
    taken = vertices[vertex].counters.records_in
    if taken is None or not sent or None in sent:
        return None
    waiting = sum(filter(None, sent)) - taken
    return waiting if waiting >= 0.0 else None


def takes_less(vertex: str, interval: JobInterval, flows: JobFlows) -> bool:
    """Whether a vertex served less than was sent to it."""
    served, offered = interval.activities[vertex].served, flows.external.get(vertex)
    offered = flows.find_offered(vertex) if offered is None else offered
    return served is not None and offered is not None and served < OVERLOADED * offered


def list_overloaded(interval: JobInterval, flows: JobFlows) -> list[str]:
    """The vertices that are sent more than they serve, and have no idle time left."""
    return [
        vertex
        for vertex, activity in interval.activities.items()
        if activity.is_saturated and takes_less(vertex, interval, flows)
    ]


def list_held_back(interval: JobInterval, flows: JobFlows, shape: JobShape) -> set[str]:
    """The vertices that get less than they would if an overloaded one before them kept up."""
    behind, found = set(list_overloaded(interval, flows)), set[str]()
    while behind:
        behind = {
            vertex
            for vertex, inputs in shape.inputs.items()
            if vertex not in found and any(one.vertex in behind for one in inputs)
        }
        found |= behind
    return found


def find_instances(
    vertex: str, interval: JobInterval, shape: JobShape, offered: float | None
) -> Iterable[InstanceLoadBody]:
    """The share of each subtask in the records, where keys decide it and subtasks were measured."""
    operators = [] if shape.graph is None else shape.graph.operators
    name, activity = shape.names[vertex], interval.activities[vertex]
    is_keyed = any(one.name == name and one.queueing == "keyed" for one in operators)
    if not is_keyed or not 1 < activity.vertex.parallelism == len(activity.subtasks):
        return
    for place, share in enumerate(find_shares(activity.subtasks, activity.served, offered)):
        yield InstanceLoadBody(instance=f"{name} {place}", share=max(share, SMALLEST_SHARE))


def list_busy(interval: JobInterval, names: Mapping[str, str]) -> list[str]:
    """The operators that worked all the time."""
    return [names[vertex] for vertex, activity in interval.activities.items() if activity.is_saturated]
