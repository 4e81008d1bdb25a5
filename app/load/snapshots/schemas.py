"""Snapshots as JSON: measured load, and the measured use of nodes and of operator instances."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

from app.load.bodies.answers import DiagnosticAnswer
from app.load.bodies.load import FPD_LOAD, CountedSpan, LoadBody, OperatorLoadBody
from app.web.fields import Answer, Body, MeasuredTime, NextPage, OperatorName, UtcTime, show_example

Part = Annotated[float, Field(ge=0, le=1, description="A part of the node, from 0 to 1.")]


class NodeLoad(Body):
    """The used part of a node."""

    cpu: Part
    memory: Part
    io: Annotated[Part, Field(description="Left out: 0, so that it limits nothing.")] = 0.0


class InstanceQueue(Body):
    """The queue of one processor of an operator."""

    name: OperatorName
    queue_length: Annotated[float, Field(ge=0, le=1e15, description="Waiting tuples.")]
    queue_capacity: Annotated[float, Field(ge=1e-9, le=1e15, description="The most tuples that can wait.")]
    work: Annotated[
        float | None, Field(ge=0, le=1e15, description="Processors that the instance keeps busy.")
    ] = None
    node: OperatorName | None = None
    cpu: Annotated[Part | None, Field(description="The used part of the node; give memory too.")] = None
    memory: Part | None = None
    io: Part | None = None

    @model_validator(mode="after")
    def refuse_contradictions(self) -> Self:
        """Refuses a queue that is longer than its capacity, and a usage that lacks cpu or memory."""
        if self.queue_length > self.queue_capacity:
            raise ValueError(
                f"queue_length is {self.queue_length:g}, above queue_capacity {self.queue_capacity:g}: correct one "
                "of them"
            )
        if (self.cpu is None) != (self.memory is None) or (self.io is not None and self.cpu is None):
            raise ValueError("give cpu and memory together (and io only with both)")
        return self


def _refuse_twins(listed: list[InstanceQueue]) -> list[InstanceQueue]:
    seen: set[str] = set()
    for one in listed:
        if one.name in seen:
            raise ValueError(f"two instances are named {one.name!r}: rename one of them")
        seen.add(one.name)
    return listed


Instances = Annotated[
    list[InstanceQueue], Field(min_length=1, max_length=10_000), AfterValidator(_refuse_twins)
]


class SnapshotBody(LoadBody):
    """A load with a time: the same (observed_at, window_seconds) again replaces what was stored."""

    observed_at: Annotated[MeasuredTime, Field(description="Beginning of the interval.")]
    nodes: Annotated[
        dict[OperatorName, NodeLoad] | None, Field(description="Nodes that the topology uses, for decisions.")
    ] = None
    instances: Annotated[
        dict[OperatorName, Instances] | None,
        Field(description="Queues of each operator's instances, and the part of a node that each uses."),
    ] = None


class StoredSnapshots(Answer):
    """The result of storing the snapshots sent."""

    model_config = show_example({"stored": 1, "replaced": 0})

    stored: Annotated[int, Field(description="New intervals.")]
    replaced: Annotated[int, Field(description="Known intervals, whose snapshots were replaced.")]
    diagnostics: Annotated[
        list[DiagnosticAnswer],
        Field(description="Left out where there is none; ahead-of-clock: no answer uses a snapshot yet."),
    ] = []


class SnapshotAnswer(Answer):
    """A stored snapshot."""

    observed_at: UtcTime
    window_seconds: float
    covered_seconds: float | None = None
    external_rate: float
    measured_sojourn_seconds: float | None
    measured_completion_seconds: float | None = None
    operators: dict[str, OperatorLoadBody]
    nodes: dict[str, NodeLoad] | None = None
    instances: dict[str, list[InstanceQueue]] | None = None
    external_counts: list[CountedSpan] = []
    source: Literal["posted", "ingest"]


class SnapshotPage(Answer):
    """Snapshots, oldest first."""

    model_config = show_example({"items": [FPD_LOAD | {"source": "posted"}], "next": None})

    items: list[SnapshotAnswer]
    next: NextPage = None


def _tell_apart(sent: object) -> str:
    return "list" if isinstance(sent, list) else "one"


# `_tell_apart` chooses the type: for a plain union Pydantic would report the errors of both types.
OneOrMore = Annotated[
    Annotated[SnapshotBody, Tag("one")] | Annotated[list[SnapshotBody], Field(min_length=1), Tag("list")],
    Discriminator(_tell_apart),
]
