"""Measured load as JSON."""

from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    ConfigDict,
    Discriminator,
    Field,
    JsonValue,
    Tag,
    ValidationInfo,
    field_validator,
    model_validator,
)

from app.http.fields import (
    Answer,
    Body,
    OperatorName,
    PositiveRate,
    Processors,
    ProcessorsBasis,
    Rate,
    Scv,
    Seconds,
    UtcTime,
)
from planner import values

FPD_MEASURED: dict[str, JsonValue] = {
    "generator": {"service_rate": 80.0, "arrival_scv": 1.0, "service_scv": 1.3, "processors": 6},
    "detector": {"arrival_rate": 1422.2, "service_rate": 130.0, "processors": 13},
    "reporter": {"service_rate": 40.0, "processors": 3},
}
FPD_LOAD: dict[str, JsonValue] = {
    "observed_at": "2026-11-18T00:00:00Z",
    "window_seconds": 60,
    "external_rate": 320.0,
    "measured_sojourn_seconds": 0.41,
    "operators": FPD_MEASURED,
}


class OperatorLoadBody(Body):
    """What was measured at one operator; what was not may be left out."""

    service_rate: Annotated[
        PositiveRate | None,
        Field(
            description="Tuples per second that ONE processor serves; a plan needs it; null if nothing was served."
        ),
    ] = None
    arrival_rate: Annotated[Rate | None, Field(description="Left out: what the flow brings.")] = None
    arrival_scv: Annotated[Scv | None, Field(description="Of the times between arrivals; left out: 1.")] = (
        None
    )
    service_scv: Annotated[Scv | None, Field(description="Of the service times; left out: 1.")] = None
    processors: Annotated[Processors | None, Field(description="How many are running.")] = None
    processors_basis: ProcessorsBasis | None = None


class LoadBody(Body):
    """What was measured of a topology."""

    model_config = ConfigDict(json_schema_extra={"examples": [FPD_LOAD]})

    observed_at: Annotated[UtcTime | None, Field(description="Where the interval begins.")] = None
    window_seconds: Annotated[Seconds, Field(description="How long it is.")] = 60.0
    covered_seconds: Annotated[
        Seconds | None,
        Field(
            description="How much of it was measured, at most window_seconds; rates are per second of this time. "
            "Left out: all of it."
        ),
    ] = None
    external_rate: Annotated[Rate, Field(description="Tuples per second that enter from outside.")]
    measured_sojourn_seconds: Annotated[
        float | None, Field(ge=0, le=1e15, description="Measured total time in operators per external tuple.")
    ] = None
    operators: dict[OperatorName, OperatorLoadBody]

    @field_validator("covered_seconds")
    @classmethod
    def refuse_more_than_the_window(cls, covered: float | None, info: ValidationInfo) -> float | None:
        """No more can be measured of an interval than there is."""
        window = info.data.get("window_seconds")
        if covered is not None and window is not None and covered > window:
            raise ValueError(f"must be at most window_seconds, which is {window:g}")
        return covered

    def to_values(self) -> values.Load:
        """What the planner computes with."""
        return values.Load(
            self.external_rate,
            {
                name: values.OperatorLoad(
                    one.service_rate, one.arrival_rate, one.arrival_scv, one.service_scv, one.processors
                )
                for name, one in self.operators.items()
            },
            self.measured_sojourn_seconds,
        )


Part = Annotated[float, Field(ge=0, le=1, description="Of the node, from 0 to 1.")]


class NodeLoad(Body):
    """How much of a node is in use."""

    cpu: Part
    memory: Part
    io: Annotated[Part, Field(description="Left out: taken as 0, so that it limits nothing.")] = 0.0


class InstanceLoad(Body):
    """What waits at one processor of an operator."""

    name: OperatorName
    queue_length: Annotated[float, Field(ge=0, le=1e15, description="Tuples that wait.")]
    queue_capacity: Annotated[float, Field(gt=0, le=1e15, description="Tuples that can.")]
    work: Annotated[float | None, Field(ge=0, le=1e15, description="Processors it keeps busy.")] = None
    node: OperatorName | None = None
    cpu: Annotated[Part | None, Field(description="What it takes of its node; with memory.")] = None
    memory: Part | None = None
    io: Part | None = None

    @model_validator(mode="after")
    def refuse_contradictions(self) -> Self:
        """A queue holds no more than it can, and what is taken of a node is known in cpu and memory or not at all."""
        if self.queue_length > self.queue_capacity:
            raise ValueError(
                f"queue_length is {self.queue_length:g}, above queue_capacity {self.queue_capacity:g}: correct one"
            )
        if (self.cpu is None) != (self.memory is None) or (self.io is not None and self.cpu is None):
            raise ValueError("give cpu and memory together (and io only with them)")
        return self


def _refuse_twins(listed: list[InstanceLoad]) -> list[InstanceLoad]:
    seen: set[str] = set()
    for one in listed:
        if one.name in seen:
            raise ValueError(f"two instances are named {one.name!r}: rename one")
        seen.add(one.name)
    return listed


Instances = Annotated[
    list[InstanceLoad], Field(min_length=1, max_length=10_000), AfterValidator(_refuse_twins)
]


class Snapshot(LoadBody):
    """A load with a time: the same (observed_at, window_seconds) again replaces what was stored."""

    observed_at: Annotated[UtcTime, Field(description="Where the interval begins.")]
    nodes: Annotated[
        dict[OperatorName, NodeLoad] | None, Field(description="Nodes that the topology uses, for decisions.")
    ] = None
    instances: Annotated[
        dict[OperatorName, Instances] | None,
        Field(description="Queues of each operator's instances, and what each takes of its node."),
    ] = None


class StoredSnapshots(Answer):
    """What became of the snapshots sent."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"stored": 1, "replaced": 0}]})

    stored: Annotated[int, Field(description="Intervals that are new.")]
    replaced: Annotated[int, Field(description="Intervals that were known, and now hold what was sent.")]


class SnapshotAnswer(Answer):
    """A stored snapshot."""

    observed_at: UtcTime
    window_seconds: float
    covered_seconds: float | None = None
    external_rate: float
    measured_sojourn_seconds: float | None
    operators: dict[str, OperatorLoadBody]
    nodes: dict[str, NodeLoad] | None = None
    instances: dict[str, list[InstanceLoad]] | None = None
    source: Literal["posted", "ingest"]


class SnapshotPage(Answer):
    """Snapshots, oldest first; `next` is the address of the following page."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"items": [FPD_LOAD | {"source": "posted"}], "next": None}]}
    )

    items: list[SnapshotAnswer]
    next: str | None = None


def _tell_apart(sent: object) -> str:
    return "list" if isinstance(sent, list) else "one"


# Told apart by hand, so that what is wrong in one snapshot is not said of the list that it is not.
OneOrMore = Annotated[
    Annotated[Snapshot, Tag("one")] | Annotated[list[Snapshot], Field(min_length=1), Tag("list")],
    Discriminator(_tell_apart),
]
