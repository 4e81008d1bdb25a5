"""The topology of a job: vertices as operators, the exchanges before them as queueing, and sources as entries."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.engines.diagnostics import say
from app.engines.flink.activity import JobInterval
from app.engines.flink.documents import JobState, VertexInput
from app.engines.flink.flows import BROADCAST, JobFlows
from app.engines.flink.naming import name_operators
from app.engines.numbers import divide
from app.load.bodies.topology import EdgeBody, EntryBody, Graph, OperatorBody, QueueingName
from planner.values import Diagnostic

QUEUEINGS: Mapping[str, QueueingName] = {
    "FORWARD": "round-robin",
    "REBALANCE": "round-robin",
    "RESCALE": "round-robin",
    BROADCAST: "round-robin",
    "HASH": "keyed",
    "CUSTOM": "keyed",
    "GLOBAL": "keyed",
    "SHUFFLE": "random",
}
"""Each subtask has a queue of its own. A FORWARD edge becomes a REBALANCE as soon as parallelisms differ."""
ONE_TAKES_ALL = "GLOBAL"
LARGEST_SELECTIVITY = 1e12


@dataclass(slots=True)
class JobShape:
    """The topology, and what else was found while making it."""

    names: Mapping[str, str]
    left_out: Sequence[str]
    inputs: Mapping[str, Sequence[VertexInput]]
    graph: Graph | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def has(self, vertex: str) -> bool:
        """Whether a vertex is an operator of the topology."""
        return vertex not in self.left_out


def list_inputs(job: JobState) -> dict[str, tuple[VertexInput, ...]]:
    """The inputs of each vertex from the others that the job has."""
    return {
        vertex: tuple(one for one in job.inputs.get(vertex, ()) if one.vertex in job.vertices)
        for vertex in job.vertices
    }


def find_shape(job: JobState, interval: JobInterval) -> JobShape:
    """Which vertices are operators: all but the legacy sources that send to another vertex."""
    inputs = list_inputs(job)
    names = name_operators(job.vertices.values())
    senders = {one.vertex for its in inputs.values() for one in its}
    left_out = [
        vertex
        for vertex, activity in interval.activities.items()
        if activity.is_waiting and vertex in senders and not inputs[vertex]
    ]
    return JobShape(names, left_out, inputs)


def draw(job: JobState, interval: JobInterval, flows: JobFlows, shape: JobShape) -> Graph:
    """The topology with measured selectivities."""
    shape.graph = Graph(
        operators=[make_operator(vertex, job, flows, shape) for vertex in job.vertices if shape.has(vertex)],
        edges=list(make_edges(interval, flows, shape)),
        entries=list(make_entries(flows, shape)),
    )
    return shape.graph


def make_operator(vertex: str, job: JobState, flows: JobFlows, shape: JobShape) -> OperatorBody:
    """A vertex as an operator."""
    state, inputs = job.vertices[vertex], shape.inputs[vertex]
    strategy = find_strategy(vertex, inputs, flows)
    shape.diagnostics += note_strategy(vertex, strategy, shape)
    pinned = bool(inputs) and all(one.ship_strategy == BROADCAST for one in inputs)
    return OperatorBody(
        name=shape.names[vertex],
        stateful=any(one.ship_strategy == "HASH" for one in inputs),
        min_processors=state.parallelism if pinned else 1,
        max_processors=state.parallelism if pinned else None,
        max_parallelism=1 if strategy == ONE_TAKES_ALL else state.max_parallelism,
        queueing=QUEUEINGS.get(strategy, "round-robin"),
    )


def find_strategy(vertex: str, inputs: Sequence[VertexInput], flows: JobFlows) -> str:
    """How most of its records reach a vertex; a source deals its own input."""
    if not inputs:
        return "FORWARD"
    return max(inputs, key=lambda one: flows.edges.get((one.vertex, vertex)) or 0.0).ship_strategy


def note_strategy(vertex: str, strategy: str, shape: JobShape) -> Iterable[Diagnostic]:
    """What a reader of the topology must know of an exchange."""
    name, inputs = shape.names[vertex], shape.inputs[vertex]
    if strategy not in QUEUEINGS:
        yield say(
            "exchange-unknown",
            f"The exchange {strategy or '(none)'} before {name} is not known here: round-robin is taken.",
            [name],
        )
    if len({QUEUEINGS.get(one.ship_strategy, "") for one in inputs}) > 1:
        yield say(
            "mixed-exchanges",
            f"{name} has inputs of several exchanges: its queueing is that of the input with most records, {strategy}.",
            [name],
        )
    if inputs and strategy == BROADCAST:
        yield say(
            "broadcast",
            f"Every subtask of {name} gets every record: more subtasks do not make it faster, so "
            "its processors are kept where all its inputs are broadcast.",
            [name],
        )
    if strategy == ONE_TAKES_ALL:
        yield say(
            "one-subtask-takes-all",
            f"Only the first subtask of {name} gets records: its max_parallelism is taken as 1.",
            [name],
        )


def make_edges(interval: JobInterval, flows: JobFlows, shape: JobShape) -> Iterable[EdgeBody]:
    """The edges between operators, with records sent per record served."""
    for target, inputs in shape.inputs.items():
        for one in inputs:
            if not shape.has(one.vertex):
                continue
            served = interval.activities[one.vertex].served
            measured = divide(flows.edges.get((one.vertex, target)), served)
            if measured is None or measured > LARGEST_SELECTIVITY:
                source, name = shape.names[one.vertex], shape.names[target]
                shape.diagnostics.append(
                    say(
                        "selectivity-assumed",
                        f"How many records {source} sends to {name} for each that it serves is not measured: "
                        "1 is taken.",
                        [source, name],
                    )
                )
                measured = 1.0
            yield EdgeBody(source=shape.names[one.vertex], target=shape.names[target], selectivity=measured)


def make_entries(flows: JobFlows, shape: JobShape) -> Iterable[EntryBody]:
    """Where records enter: at the sources that are operators, and at what a source left out sends to."""
    sources = [vertex for vertex, inputs in shape.inputs.items() if not inputs]
    rates: dict[str, float] = {}
    total = sum(filter(None, (flows.external.get(source) for source in sources)))
    for source in sources:
        if shape.has(source):
            rates[source] = flows.external.get(source) or 0.0
            continue
        for (sender, target), rate in flows.edges.items():
            if sender == source:
                rates[target] = rates.get(target, 0.0) + (rate or 0.0)
    if total <= 0.0 or any(rate <= 0.0 for rate in rates.values()):
        shape.diagnostics.append(
            say(
                "entries-assumed",
                "At some entries nothing was measured to enter: their share is taken as almost 0, or as equal parts "
                "where nothing entered anywhere.",
                [shape.names[vertex] for vertex, rate in rates.items() if rate <= 0.0],
            )
        )
    for vertex, rate in rates.items():
        share = rate / total if total > 0.0 else 1.0 / len(rates)
        yield EntryBody(operator=shape.names[vertex], share=min(max(share, 1e-9), LARGEST_SELECTIVITY))
