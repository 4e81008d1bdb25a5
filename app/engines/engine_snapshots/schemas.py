"""The result of storing an engine's answers, as JSON."""

from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue

from app.engines.answers import EngineName
from app.load.bodies.answers import DiagnosticAnswer
from app.load.bodies.load import FPD_LOAD
from app.load.snapshots.schemas import SnapshotAnswer
from app.web.fields import Answer, show_example

__all__ = ["EngineName", "EngineSnapshots", "TopologyMode"]

TopologyMode = Literal["keep", "replace"]

EXAMPLE: dict[str, JsonValue] = {
    "topology": "fpd",
    "revision": 1,
    "topology_was": "created",
    "stored": 1,
    "replaced": 0,
    "snapshots": [FPD_LOAD | {"source": "posted", "measured_completion_seconds": None}],
    "marks": {"job": "137fb1cad48a7720f2976c548dfbb1bd"},
    "diagnostics": [],
}


class EngineSnapshots(Answer):
    """The topology and the snapshots that an engine's answers gave."""

    model_config = show_example(EXAMPLE)

    topology: str
    revision: int
    topology_was: Annotated[
        Literal["created", "replaced", "kept"],
        Field(description="kept: the stored topology did not change."),
    ]
    stored: Annotated[int, Field(description="New intervals.")]
    replaced: Annotated[int, Field(description="Known intervals, whose snapshots were replaced.")]
    snapshots: list[SnapshotAnswer]
    marks: Annotated[
        dict[str, Any],
        Field(description="The engine's own names, such as its job and vertices: patches need them."),
    ]
    diagnostics: list[DiagnosticAnswer]
