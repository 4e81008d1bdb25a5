"""The flow on every edge of a job's plan, worked out from what each vertex sent and took.

Flink counts a record that a vertex sends once, however many take it, and counts the records of its side outputs beside
them. So S records sent are for each of several takers, or are divided among them. A taker with idle time took all that
it was sent: if that is less than S, the others are sent the rest.
"""

from collections.abc import Sequence

from app.engines.flink.graph import Edge, JobFlows, JobShape
from app.engines.flink.intervals import JobInterval
from app.engines.numbers import divide

ALL = 0.95
"""From this part of what is sent on, takers are assumed to take all of it: together, or one of them by itself."""


def trace(interval: JobInterval, shape: JobShape) -> JobFlows:
    """The flow on every edge of a job's plan, in records per second, worked out from what each vertex sent and took."""
    flows = JobFlows(interval, shape)
    for sender, activity in interval.activities.items():
        takers = shape.list_takers(sender)
        for vertex, rate in split(sender, takers, flows).items():
            flows.edges[sender, vertex] = rate
        if activity.is_source:
            flows.external[sender] = activity.entered
            raise_to_served(sender, takers, flows)
    for vertex in shape.inputs:
        flows.edges.update(share_rest(vertex, flows))
    return flows


def split(sender: str, takers: Sequence[str], flows: JobFlows) -> dict[str, float | None]:
    """The records per second that a sender sends to each taker; None if a taker's part is not known."""
    sent = flows.interval.activities[sender].sent
    copies = {vertex: flows.count_copies((sender, vertex)) for vertex in takers}
    if len(takers) == 1 and sent is not None:
        return {vertex: sent * copies[vertex] for vertex in takers}
    taken = list_taken(takers, flows)
    total = sum((rate or 0.0) / copies[vertex] for vertex, rate in taken.items())
    if sent is None or (None not in taken.values() and ALL * sent <= total <= sent / ALL):
        return taken  # the takers divide what is sent among them
    rest = find_rest(sender, takers, flows)
    for vertex in takers:
        if taken[vertex] is not None and flows.is_saturated(vertex):
            most = sent if rest is None else rest
            taken[vertex] = max(most * copies[vertex], taken[vertex] or 0.0)
    return taken


def list_taken(takers: Sequence[str], flows: JobFlows) -> dict[str, float | None]:
    """What each taker took per second; None for a taker that has other senders too."""
    activities, inputs = flows.interval.activities, flows.shape.inputs
    return {vertex: activities[vertex].served if len(inputs[vertex]) == 1 else None for vertex in takers}


def find_rest(sender: str, takers: Sequence[str], flows: JobFlows) -> float | None:
    """What a sender sends per second to its takers without idle time, as the others tell that took less than all.

    Takers with idle time that took as many records count as one, since each may have got all of one output. None where
    they do not tell: one took all, or what one took is not known.
    """
    sent = flows.interval.activities[sender].sent
    taken = list_taken(takers, flows)
    if sent is None or None in taken.values():
        return None
    each = {vertex: (taken[vertex] or 0.0) / flows.count_copies((sender, vertex)) for vertex in takers}
    idle = sorted(each[vertex] for vertex in takers if not flows.is_saturated(vertex))
    outputs = [one for before, one in zip([0.0, *idle], idle, strict=False) if before < ALL * one]
    rest = sent - sum(outputs)
    busy = [each[vertex] for vertex in takers if flows.is_saturated(vertex)]
    is_told = bool(outputs) and outputs[-1] < ALL * sent and all(ALL * one <= rest for one in busy)
    return rest if is_told and busy else None


def list_assumed(flows: JobFlows) -> frozenset[Edge]:
    """The edges, by names of operators, on which a taker without idle time is assumed to be sent all."""
    names, found = flows.shape.names, set[Edge]()
    for sender, activity in flows.interval.activities.items():
        takers = flows.shape.list_takers(sender)
        busy = [
            vertex for vertex in takers if flows.is_saturated(vertex) and len(flows.shape.inputs[vertex]) == 1
        ]
        if len(takers) > 1 and activity.sent is not None and find_rest(sender, takers, flows) is None:
            found |= {(names[sender], names[vertex]) for vertex in busy if flows.takes_less(vertex)}
    return frozenset(found)


def raise_to_served(source: str, takers: Sequence[str], flows: JobFlows) -> None:
    """Raises the rate of a source to the rate that its only taker serves, if the taker has no idle time left.

    A source that is held back by full buffers sends in bursts and nothing in between, while more records wait
    outside.
    """
    activity = flows.interval.activities[source]
    per_sent = 1.0 if activity.is_waiting else divide(activity.served, activity.sent)
    for vertex in takers:
        served, sent = flows.interval.activities[vertex].served, flows.edges[source, vertex]
        is_fed_alone = len(flows.shape.inputs[vertex]) == 1 and flows.is_saturated(vertex)
        if not is_fed_alone or served is None or sent is None or per_sent is None:
            continue
        flows.edges[source, vertex] = max(sent, served)
        entered = served / flows.count_copies((source, vertex)) * per_sent
        flows.external[source] = max(flows.external[source] or 0.0, entered)


def share_rest(vertex: str, flows: JobFlows) -> dict[Edge, float | None]:
    """Splits the records that a vertex took from senders with unknown flows in proportion to all that these
    senders sent.
    """
    edges = [(one.vertex, vertex) for one in flows.shape.inputs[vertex]]
    activities = flows.interval.activities
    unknown = {edge: activities[edge[0]].sent for edge in edges if flows.edges.get(edge) is None}
    served = activities[vertex].served
    if len(edges) < 2 or not unknown or served is None or None in unknown.values():
        return {}
    known = {edge: sent or 0.0 for edge, sent in unknown.items()}
    total = sum(known.values())
    rest = max(served - sum(flows.edges.get(edge) or 0.0 for edge in edges), 0.0)
    return {
        edge: min(rest * sent / total, sent * flows.count_copies(edge)) if total > 0.0 else 0.0
        for edge, sent in known.items()
    }
