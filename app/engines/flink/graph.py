"""The flows on the edges of a job, and its topology: vertices as operators, exchanges as queueing, sources as
entries.

Flink counts a record that a vertex sends once, however many vertices receive it, and does not count it per receiver.
So if a vertex has several receivers (takers), the flow to each is the number of records that it took. A taker that
has no idle time left and took less than the others is assumed to be sent every record.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.engines.flink.documents import JobState, VertexInput, name_operators
from app.engines.flink.intervals import JobInterval, VertexActivity
from app.engines.numbers import divide
from app.load.bodies.topology import EdgeBody, EntryBody, Graph, OperatorBody, QueueingName

BROADCAST = "BROADCAST"
ONE_TAKES_ALL = "GLOBAL"
QUEUEINGS: Mapping[str, QueueingName] = {
    "FORWARD": "round-robin",
    "REBALANCE": "round-robin",
    "RESCALE": "round-robin",
    BROADCAST: "round-robin",
    "HASH": "keyed",
    "CUSTOM": "keyed",
    ONE_TAKES_ALL: "keyed",
    "SHUFFLE": "random",
}
"""Each subtask has a queue of its own. A FORWARD edge becomes a REBALANCE as soon as parallelisms differ."""
LARGEST_SELECTIVITY = 1e12
SMALLEST_SHARE = 1e-9
OVERLOADED = 0.97  # served / offered: below it, and with no idle time left, records pile up

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class JobShape:
    """The names of vertices, the inputs of each, and the vertices that are not operators of the topology."""

    names: Mapping[str, str]
    inputs: Mapping[str, Sequence[VertexInput]]
    left_out: Sequence[str]

    def has(self, vertex: str) -> bool:
        """Whether a vertex is an operator of the topology, not a source that is left out."""
        return vertex not in self.left_out

    def list_sources(self) -> list[str]:
        """The names of the vertices that have no inputs: the sources of the job."""
        return [vertex for vertex, inputs in self.inputs.items() if not inputs]

    def list_takers(self, sender: str) -> list[str]:
        """The names of the vertices that take the records of a sender."""
        return [vertex for vertex, its in self.inputs.items() if any(one.vertex == sender for one in its)]


def find_shape(job: JobState, interval: JobInterval) -> JobShape:
    """The shape of a job: its vertices are operators, except legacy sources that send to another vertex."""
    inputs = {
        vertex: tuple(one for one in job.inputs.get(vertex, ()) if one.vertex in job.vertices)
        for vertex in job.vertices
    }
    senders = {one.vertex for its in inputs.values() for one in its}
    left_out = [
        vertex
        for vertex, activity in interval.activities.items()
        if activity.is_waiting and vertex in senders and not inputs[vertex]
    ]
    return JobShape(name_operators(job.vertices.values()), inputs, left_out)


@dataclass(frozen=True, slots=True)
class JobFlows:
    """The flows of a job in an interval, per second: on each edge, and from each source; None means unknown."""

    interval: JobInterval
    shape: JobShape
    edges: dict[Edge, float | None] = field(default_factory=dict)
    external: dict[str, float | None] = field(default_factory=dict)

    @property
    def vertices(self) -> dict[str, VertexActivity]:
        """The activity of each vertex in the interval, by the vertex's name."""
        return {self.shape.names[vertex]: one for vertex, one in self.interval.activities.items()}

    @property
    def operators(self) -> dict[str, VertexActivity]:
        """The activity of each vertex that is an operator of the topology, by its name."""
        return {name: one for name, one in self.vertices.items() if self.shape.has(one.vertex.id)}

    @property
    def sources(self) -> dict[str, VertexActivity]:
        """The activity of each vertex that is a source of the job, by its name."""
        return {name: one for name, one in self.vertices.items() if one.is_source}

    def name(self, vertices: Iterable[str]) -> list[str]:
        """The operator names of some vertices, which are given by their ids."""
        return [self.shape.names[vertex] for vertex in vertices]

    def is_saturated(self, vertex: str) -> bool:
        """Whether a vertex had no idle time left in the interval."""
        return self.interval.activities[vertex].is_saturated

    def list_saturated(self) -> list[str]:
        """The names of the vertices that had no idle time left in the interval."""
        return [vertex for vertex in self.interval.activities if self.is_saturated(vertex)]

    def count_copies(self, edge: Edge) -> int:
        """The number of subtasks that get a copy of each record on an edge: all of them for a broadcast, else 1."""
        strategy = next(one.ship_strategy for one in self.shape.inputs[edge[1]] if one.vertex == edge[0])
        return self.interval.activities[edge[1]].vertex.parallelism if strategy == BROADCAST else 1

    def find_offered(self, vertex: str) -> float | None:
        """The records per second that all senders sent to a vertex; None if the flow from any sender is unknown."""
        rates = [rate for (_, target), rate in self.edges.items() if target == vertex]
        return None if not rates or None in rates else sum(filter(None, rates))

    def find_selectivity(self, edge: Edge) -> float | None:
        """The records sent on an edge per record that the sender served; None if it was not measured."""
        measured = divide(self.edges.get(edge), self.interval.activities[edge[0]].served)
        return None if measured is None or measured > LARGEST_SELECTIVITY else measured

    def takes_less(self, vertex: str) -> bool:
        """Whether a vertex served fewer records than its senders sent to it."""
        served, offered = self.interval.activities[vertex].served, self.external.get(vertex)
        offered = self.find_offered(vertex) if offered is None else offered
        return served is not None and offered is not None and served < OVERLOADED * offered

    def list_overloaded(self) -> list[str]:
        """The vertices to which more records are sent than they serve, and which have no idle time left."""
        return [vertex for vertex in self.list_saturated() if self.takes_less(vertex)]

    def list_held_back(self) -> set[str]:
        """The vertices behind an overloaded vertex: they would get more records if the overloaded vertex kept up."""
        behind, found = set(self.list_overloaded()), set[str]()
        while behind:
            behind = {
                vertex
                for vertex, inputs in self.shape.inputs.items()
                if vertex not in found and any(one.vertex in behind for one in inputs)
            }
            found |= behind
        return found


def make_topology(job: JobState, flows: JobFlows) -> Graph:
    """The topology with measured selectivities; a selectivity that is not measured is 1."""
    shape, names = flows.shape, flows.shape.names
    rates = find_entry_rates(flows)
    total = find_total(flows)
    return Graph(
        operators=[make_operator(vertex, job, flows) for vertex in job.vertices if shape.has(vertex)],
        edges=[
            EdgeBody(
                source=names[edge[0]], target=names[edge[1]], selectivity=1.0 if found is None else found
            )
            for edge in list_edges(shape)
            for found in (flows.find_selectivity(edge),)
        ],
        entries=[
            EntryBody(operator=names[vertex], share=min(max(share, SMALLEST_SHARE), LARGEST_SELECTIVITY))
            for vertex, rate in rates.items()
            for share in (rate / total if total > 0.0 else 1.0 / len(rates),)
        ],
    )


def list_edges(shape: JobShape) -> list[Edge]:
    """The edges of the topology: the pairs of a sender and a taker that both are operators."""
    return [
        (one.vertex, target)
        for target, inputs in shape.inputs.items()
        for one in inputs
        if shape.has(one.vertex)
    ]


def make_operator(vertex: str, job: JobState, flows: JobFlows) -> OperatorBody:
    """A vertex as an operator. Behind a broadcast its number of subtasks is kept, since more would not make it
    faster.
    """
    state, inputs = job.vertices[vertex], flows.shape.inputs[vertex]
    strategy = find_strategy(vertex, flows)
    pinned = bool(inputs) and all(one.ship_strategy == BROADCAST for one in inputs)
    return OperatorBody(
        name=flows.shape.names[vertex],
        stateful=any(one.ship_strategy == "HASH" for one in inputs),
        min_processors=state.parallelism if pinned else 1,
        max_processors=state.parallelism if pinned else None,
        max_parallelism=1 if strategy == ONE_TAKES_ALL else state.max_parallelism,
        queueing=QUEUEINGS.get(strategy, "round-robin"),
    )


def find_strategy(vertex: str, flows: JobFlows) -> str:
    """The exchange by which most records reach a vertex; for a source, a default that spreads its own input."""
    inputs = flows.shape.inputs[vertex]
    if not inputs:
        return "FORWARD"
    return max(inputs, key=lambda one: flows.edges.get((one.vertex, vertex)) or 0.0).ship_strategy


def is_keyed(vertex: str, flows: JobFlows) -> bool:
    """Whether a vertex is an operator to whose subtasks records are assigned by key."""
    return flows.shape.has(vertex) and QUEUEINGS.get(find_strategy(vertex, flows)) == "keyed"


def find_total(flows: JobFlows) -> float:
    """The sum of the known rates at which records enter the job."""
    return sum(filter(None, (flows.external.get(source) for source in flows.shape.list_sources())))


def find_entry_rates(flows: JobFlows) -> dict[str, float]:
    """Records per second that enter at each source operator, and at the takers of each source that is left out."""
    rates: dict[str, float] = {}
    for source in flows.shape.list_sources():
        if flows.shape.has(source):
            rates[source] = flows.external.get(source) or 0.0
            continue
        for (sender, target), rate in flows.edges.items():
            if sender == source:
                rates[target] = rates.get(target, 0.0) + (rate or 0.0)
    return rates
