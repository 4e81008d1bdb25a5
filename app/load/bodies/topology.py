"""A topology as JSON: operators, edges and entries, with the limits on their numbers."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, JsonValue

from app.web.fields import Body, OperatorName, Processors, Scv, TopologyName, show_example
from app.web.problems.errors import InvalidRequest
from planner import values

if TYPE_CHECKING:
    from app.settings import Settings

Selectivity = Annotated[
    float,
    Field(
        ge=0,
        le=1e12,
        description="Mean tuples emitted on this edge per input tuple of its source; may exceed 1.",
    ),
]

FPD_OPERATORS: list[JsonValue] = [
    {"name": "generator"},
    {"name": "detector", "stateful": True},
    {"name": "reporter", "min_processors": 1, "max_processors": 8},
]
FPD_EDGES: list[JsonValue] = [
    {"source": "generator", "target": "detector", "selectivity": 4.0},
    {"source": "detector", "target": "detector", "selectivity": 0.1},
    {"source": "detector", "target": "reporter", "selectivity": 0.05},
]
FPD: dict[str, JsonValue] = {
    "name": "fpd",
    "operators": FPD_OPERATORS,
    "edges": FPD_EDGES,
    "entries": [{"operator": "generator", "share": 1.0}],
}
"""Frequent pattern detection, DRS's second application: the example in all of the documentation."""
PAIR: dict[str, JsonValue] = {
    "queueing": "shared",
    "operators": [{"name": "parse"}, {"name": "store"}],
    "edges": [{"source": "parse", "target": "store"}],
}
"""The smallest topology that shows what a body looks like: the example of every call without a stored topology."""


QueueingName = Annotated[
    Literal["shared", "round-robin", "random", "keyed"],
    Field(
        description="shared: one queue for all processors; round-robin (Flink rebalance, Storm shuffle), random "
        "(hash of fine keys) and keyed (keyBy, fields grouping): a queue for each processor. Left "
        "out: shared is assumed, and a diagnostic gives E[T] under round-robin."
    ),
]


class ScalingBody(Body):
    """The service rate of one of k processors: times k^-gamma (power), 1/(1 + sigma(k-1) + kappa k(k-1)) (usl)."""

    kind: Literal["linear", "power", "usl"]
    gamma: Annotated[float, Field(ge=0, le=1)] = 0.0
    sigma: Annotated[float, Field(ge=0, le=1)] = 0.0
    kappa: Annotated[float, Field(ge=0, le=1)] = 0.0

    def to_values(self) -> values.Scaling | None:
        """The scaling as a value of the planner; None where capacity does not bend."""
        if self.kind == "power" and self.gamma:
            return values.Scaling(gamma=self.gamma)
        if self.kind == "usl" and (self.sigma or self.kappa):
            return values.Scaling(sigma=self.sigma, kappa=self.kappa)
        return None


class OperatorBody(Body):
    """One operator of a topology, with its bounds and its queueing."""

    name: OperatorName
    stateful: bool = False
    min_processors: Processors = 1
    max_processors: Processors | None = None
    max_parallelism: Annotated[
        Processors | None,
        Field(
            description="The number of key groups or partitions: no plan gives more; keyed deals them out whole."
        ),
    ] = None
    group_assignment: Annotated[
        Literal["contiguous", "round-robin"] | None,
        Field(description="How groups are dealt: contiguous (Flink; default), or round-robin (Kafka)."),
    ] = None
    queueing: QueueingName | None = None
    service_scv: Annotated[
        Scv | None,
        Field(
            description="The variation of service times by the owner's estimate: used if a load does not "
            "measure it."
        ),
    ] = None
    delay_seconds: Annotated[
        float, Field(ge=0, le=1e12, description="Added to each visit; takes no capacity.")
    ] = 0.0
    concurrency: Annotated[
        int, Field(ge=1, le=100_000, description="Tuples that one processor serves at once.")
    ] = 1
    capacity_rate: Annotated[
        float | None,
        Field(ge=1e-12, le=1e12, description="What one processor serves; replaces service_rate."),
    ] = None
    scaling: ScalingBody | None = None
    keyed_by: Annotated[
        Literal["root", "tuple"] | None,
        Field(
            description="tuple: each has its own key; root (default): those of one external tuple share one."
        ),
    ] = None
    profile: Annotated[
        TopologyName | None,
        Field(description="A profile of /v1/profiles, the rates that a slot sustains, for placements."),
    ] = None


class EdgeBody(Body):
    """A stream from one operator to another, or back to itself."""

    source: OperatorName
    target: OperatorName
    selectivity: Selectivity = 1.0


class EntryBody(Body):
    """An entry of the external stream; shares need not sum to 1, since a stream may be duplicated."""

    operator: OperatorName
    share: Annotated[float, Field(ge=1e-12, le=1e12)] = 1.0


class Graph(Body):
    """Operators, edges and entries; loops, splits and joins included."""

    model_config = show_example(FPD)

    name: TopologyName | None = None
    queueing: Annotated[
        QueueingName | None, Field(description="The queueing of operators that have none of their own.")
    ] = None
    operators: Annotated[list[OperatorBody], Field(min_length=1)]
    edges: list[EdgeBody] = []
    entries: Annotated[
        list[EntryBody], Field(description="Left out or empty: every operator that no other operator feeds.")
    ] = []
    labels: Annotated[list[OperatorName], Field(max_length=50)] = []

    def to_values(self) -> values.Topology:
        """The topology as a value of the planner."""
        return values.Topology(
            tuple(
                [
                    values.Operator(
                        o.name,
                        o.stateful,
                        o.min_processors,
                        o.max_processors,
                        o.queueing or self.queueing,
                        o.max_parallelism,
                        o.service_scv,
                        o.group_assignment,
                        o.delay_seconds,
                        o.capacity_rate,
                        o.concurrency,
                        None if o.scaling is None else o.scaling.to_values(),
                        o.keyed_by,
                    )
                    for o in self.operators
                ]
            ),
            tuple([values.Edge(e.source, e.target, e.selectivity) for e in self.edges]),
            tuple([values.Entry(e.operator, e.share) for e in self.entries]),
        )


def check_size(graph: Graph, settings: "Settings", pointer: str = "#") -> None:
    """Refuses a topology that has more operators, edges or entries than the settings allow."""
    for field, found, limit in (
        ("operators", len(graph.operators), settings.max_operators),
        ("edges", len(graph.edges), settings.max_edges),
        ("entries", len(graph.entries), settings.max_operators),
    ):
        if found > limit:
            setting = "HEADGATE_MAX_EDGES" if field == "edges" else "HEADGATE_MAX_OPERATORS"
            detail = (
                f"The topology has {found} {field}, but this service accepts at most {limit}: raise "
                f"{setting}."
            )
            raise InvalidRequest(((f"{pointer}/{field}", detail),))
