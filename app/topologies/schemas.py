"""Topologies as JSON: what `/v1/topologies` takes and gives."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue

from app.http.fields import Answer, Body, OperatorName, Processors, TopologyName
from planner import values

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
"""Frequent pattern detection, DRS's second application: the example that runs through the documentation."""


class OperatorBody(Body):
    """One vertex; its processors share one queue."""

    name: OperatorName
    stateful: bool = False
    min_processors: Processors = 1
    max_processors: Processors | None = None
    profile: Annotated[
        TopologyName | None, Field(description="Of /v1/profiles: what a slot sustains of it, for placements.")
    ] = None


class EdgeBody(Body):
    """A stream from one operator to another, or back to itself."""

    source: OperatorName
    target: OperatorName
    selectivity: Selectivity = 1.0


class EntryBody(Body):
    """Where the external stream enters; shares need not sum to 1, since a stream may be duplicated."""

    operator: OperatorName
    share: Annotated[float, Field(gt=0, le=1e12)] = 1.0


class Graph(Body):
    """Operators, edges and entries; loops, splits and joins included."""

    model_config = ConfigDict(json_schema_extra={"examples": [FPD]})

    name: TopologyName | None = None
    operators: Annotated[list[OperatorBody], Field(min_length=1)]
    edges: list[EdgeBody] = []
    entries: Annotated[
        list[EntryBody], Field(description="Left out or empty: every operator that no other operator feeds.")
    ] = []

    def to_values(self) -> values.Topology:
        """What the planner computes with."""
        return values.Topology(
            tuple(
                [
                    values.Operator(o.name, o.stateful, o.min_processors, o.max_processors)
                    for o in self.operators
                ]
            ),
            tuple([values.Edge(e.source, e.target, e.selectivity) for e in self.edges]),
            tuple([values.Entry(e.operator, e.share) for e in self.entries]),
        )


class TopologyBody(Graph):
    """A topology to store; the read-only fields of an answer may be left in, so that it can be edited and sent."""

    name: TopologyName
    revision: Annotated[
        int | None,
        Field(
            ge=1, description="The revision that this body was made from: refused (412) if it is not current."
        ),
    ] = None
    source: Annotated[Literal["posted", "discovered"] | None, Field(description="Read-only: ignored.")] = None
    created_at: Annotated[str | None, Field(description="Read-only: ignored.")] = None

    def definition(self) -> dict[str, object]:
        """What is stored of it."""
        return self.model_dump(include={"operators", "edges", "entries"})


class TopologyAnswer(Answer):
    """A stored topology, at one revision."""

    model_config = ConfigDict(json_schema_extra={"examples": [FPD | {"revision": 1, "source": "posted"}]})

    name: str
    operators: list[OperatorBody]
    edges: list[EdgeBody]
    entries: list[EntryBody]
    revision: int
    source: Literal["posted", "discovered"]
    created_at: datetime


class TopologySummary(Answer):
    """A line of the list."""

    name: str
    revision: int
    source: Literal["posted", "discovered"]
    operators: int
    edges: int
    created_at: datetime
    updated_at: datetime


class TopologyPage(Answer):
    """Topologies by name; `next` is the address of the following page."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "items": [
                        {
                            "name": "fpd",
                            "revision": 1,
                            "source": "posted",
                            "operators": 3,
                            "edges": 3,
                            "created_at": "2026-11-18T09:00:00Z",
                            "updated_at": "2026-11-18T09:00:00Z",
                        }
                    ],
                    "next": None,
                }
            ]
        }
    )

    items: list[TopologySummary]
    next: str | None = None
