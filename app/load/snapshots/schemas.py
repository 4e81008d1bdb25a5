"""Snapshots of measured load as JSON."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag

from app.load.bodies.load import FPD_LOAD, LoadBody, OperatorLoadBody
from app.load.bodies.nodes import InstanceQueue, Instances, NodeLoad
from app.web.fields import Answer, OperatorName, UtcTime


class SnapshotBody(LoadBody):
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
    measured_completion_seconds: float | None = None
    operators: dict[str, OperatorLoadBody]
    nodes: dict[str, NodeLoad] | None = None
    instances: dict[str, list[InstanceQueue]] | None = None
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


# `_tell_apart` chooses the type: for a plain union Pydantic would report the errors of both types.
OneOrMore = Annotated[
    Annotated[SnapshotBody, Tag("one")] | Annotated[list[SnapshotBody], Field(min_length=1), Tag("list")],
    Discriminator(_tell_apart),
]
