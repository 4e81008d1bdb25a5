"""The records that flow on each edge: what senders sent, and to whom.

Flink counts a record that a vertex sends once, however many vertices take it, and does not say who took it. So where a
vertex has several takers, what each is sent is what it took up; where that is less than it is offered, since it works
all the time, it is taken to be sent everything, as the takers of one stream are.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.engines.diagnostics import say
from app.engines.flink.activity import JobInterval, VertexActivity
from app.engines.flink.documents import VertexInput
from app.engines.numbers import divide
from planner.values import Diagnostic

BROADCAST = "BROADCAST"
ALL = 0.95
"""Takers that take this part of what is sent in all, or more, divide it among them."""

Edge = tuple[str, str]


@dataclass(slots=True)
class JobFlows:
    """Records per second on each edge, and of each source into the job; None: not known."""

    edges: dict[Edge, float | None] = field(default_factory=dict)
    external: dict[str, float | None] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def find_offered(self, vertex: str) -> float | None:
        """What all senders sent to a vertex; None where one of them is not known."""
        rates = [rate for (_, target), rate in self.edges.items() if target == vertex]
        return None if not rates or None in rates else sum(filter(None, rates))


@dataclass(frozen=True, slots=True)
class JobWires:
    """Who sends to whom."""

    activities: Mapping[str, VertexActivity]
    inputs: Mapping[str, Sequence[VertexInput]]

    def list_takers(self, sender: str) -> list[str]:
        """The vertices that take what a vertex sends."""
        return [vertex for vertex, its in self.inputs.items() if any(one.vertex == sender for one in its)]

    def count_copies(self, edge: Edge) -> int:
        """How many subtasks get each record."""
        strategy = next(one.ship_strategy for one in self.inputs[edge[1]] if one.vertex == edge[0])
        return self.activities[edge[1]].vertex.parallelism if strategy == BROADCAST else 1

    def is_saturated(self, vertex: str) -> bool:
        """Whether a vertex has no idle time left."""
        return self.activities[vertex].is_saturated


def trace(
    interval: JobInterval, inputs: Mapping[str, Sequence[VertexInput]], names: Mapping[str, str]
) -> JobFlows:
    """The flow on every edge of the plan."""
    wires, flows = JobWires(interval.activities, inputs), JobFlows()
    for sender, activity in interval.activities.items():
        takers = wires.list_takers(sender)
        for vertex, rate in split(sender, takers, wires).items():
            flows.edges[sender, vertex] = rate
        if activity.is_source:
            flows.external[sender] = activity.entered
            raise_to_served(sender, takers, flows, wires)
        if len(takers) > 1 and any(wires.is_saturated(vertex) for vertex in takers):
            flows.diagnostics.append(note_saturated(sender, takers, wires, names))
    for vertex in inputs:
        flows.edges.update(share_rest(vertex, flows, wires))
    flows.diagnostics += note_shared(wires, names)
    return flows


def raise_to_served(source: str, takers: Sequence[str], flows: JobFlows, wires: JobWires) -> None:
    """Takes what its taker serves for the rate of a source, where that is more and the taker has no idle time left.

    A source that full buffers hold back sends in bursts, and nothing in between, while more waits outside.
    """
    activity = wires.activities[source]
    per_sent = 1.0 if activity.is_waiting else divide(activity.served, activity.sent)
    for vertex in takers:
        served, sent = wires.activities[vertex].served, flows.edges[source, vertex]
        is_fed_alone = len(wires.inputs[vertex]) == 1 and wires.is_saturated(vertex)
        if not is_fed_alone or served is None or sent is None or per_sent is None:
            continue
        flows.edges[source, vertex] = max(sent, served)
        entered = served / wires.count_copies((source, vertex)) * per_sent
        flows.external[source] = max(flows.external[source] or 0.0, entered)


def split(sender: str, takers: Sequence[str], wires: JobWires) -> dict[str, float | None]:
    """What was sent to each taker; None where it has other senders too."""
    sent = wires.activities[sender].sent
    copies = {vertex: wires.count_copies((sender, vertex)) for vertex in takers}
    if len(takers) == 1 and sent is not None:
        return {vertex: sent * copies[vertex] for vertex in takers}
    taken = {
        vertex: wires.activities[vertex].served if len(wires.inputs[vertex]) == 1 else None
        for vertex in takers
    }
    if sent is None or not sums_up(sent, taken, copies):
        for vertex in takers:
            if sent is not None and taken[vertex] is not None and wires.is_saturated(vertex):
                taken[vertex] = max(sent * copies[vertex], taken[vertex] or 0.0)
    return taken


def sums_up(sent: float, taken: Mapping[str, float | None], copies: Mapping[str, int]) -> bool:
    """Whether takers divide what is sent among them: together they took all of it, and no more."""
    total = sum((rate or 0.0) / copies[vertex] for vertex, rate in taken.items())
    return None not in taken.values() and ALL * sent <= total <= sent / ALL


def share_rest(vertex: str, flows: JobFlows, wires: JobWires) -> dict[Edge, float | None]:
    """What a vertex with several senders took beyond what is known, in proportion to what the others sent."""
    edges = [(one.vertex, vertex) for one in wires.inputs[vertex]]
    unknown = {edge: wires.activities[edge[0]].sent for edge in edges if flows.edges.get(edge) is None}
    served = wires.activities[vertex].served
    total = sum(filter(None, unknown.values()))
    if len(edges) < 2 or not unknown or served is None or None in unknown.values():
        return {}
    rest = max(served - sum(flows.edges.get(edge) or 0.0 for edge in edges), 0.0)
    return {
        edge: min(rest * (sent or 0.0) / total, (sent or 0.0) * wires.count_copies(edge))
        if total > 0.0
        else 0.0
        for edge, sent in unknown.items()
    }


def note_saturated(
    sender: str, takers: Sequence[str], wires: JobWires, names: Mapping[str, str]
) -> Diagnostic:
    """That a taker which works all the time may be offered another part of a stream than was taken."""
    busy = [names[vertex] for vertex in takers if wires.is_saturated(vertex)]
    return say(
        "split-assumed",
        f"{names[sender]} sends to {len(takers)} vertices, and Flink does not count what goes to each. "
        f"{', '.join(busy)} worked all the time, so what was offered is more than was taken: everything that "
        f"{names[sender]} sends, unless the takers divide it among them.",
        busy,
    )


def note_shared(wires: JobWires, names: Mapping[str, str]) -> Iterable[Diagnostic]:
    """Where the parts of several senders are not known one by one."""
    for vertex, its in wires.inputs.items():
        forked = [names[one.vertex] for one in its if len(wires.list_takers(one.vertex)) > 1]
        if len(its) > 1 and len(forked) > 1:
            yield say(
                "split-assumed",
                f"{', '.join(forked)} send to {names[vertex]} and to others: what each of them sends to it is not "
                "counted, and is taken in proportion to what each sends in all.",
                [names[vertex]],
            )
