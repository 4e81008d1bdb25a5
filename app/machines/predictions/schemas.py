"""Predictions of sustained rates as JSON."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from app.load.bodies.answers import DiagnosticAnswer
from app.load.bodies.topology import Graph
from app.machines.profiles.schemas import AZURE_BLOB, ProfilesByName
from app.web.fields import Answer, Body, OperatorName, PositiveRate, show_example

RoutingName = Literal["shuffle", "slot-aware"]

BLOB_TOPOLOGY: dict[str, JsonValue] = {
    "operators": [{"name": "source"}, {"name": "blob"}, {"name": "sink"}],
    "edges": [{"source": "source", "target": "blob"}, {"source": "blob", "target": "sink"}],
}


class PlacedSlotBody(Body):
    """The threads on one slot, by task."""

    threads: dict[OperatorName, int]


class PlacedVmBody(Body):
    """A VM of a mapping to predict."""

    name: OperatorName
    slots: Annotated[list[PlacedSlotBody], Field(max_length=100_000)]


class PredictionRequest(Body):
    """A mapping to predict, from Headgate or from another scheduler."""

    model_config = show_example(
        {
            "topology": BLOB_TOPOLOGY,
            "profiles": {"blob": AZURE_BLOB},
            "vms": [{"name": "a", "slots": [{"threads": {"blob": 50}}, {"threads": {"blob": 20}}]}],
        }
    )

    topology: Graph
    external_rate: Annotated[
        PositiveRate | None,
        Field(description="The rate at which cpu and memory are predicted; left out: the sustained rate."),
    ] = None
    routing: RoutingName = "shuffle"
    profiles: ProfilesByName = {}
    vms: Annotated[list[PlacedVmBody], Field(min_length=1, max_length=100_000)]


class SlotUsageAnswer(Answer):
    """Cpu and memory as fractions of one slot."""

    cpu: float
    memory: float


class TaskPredictionAnswer(Answer):
    """The rate that a task's threads sustain (`capacity`), and the external rate at which it is reached (`rate`)."""

    name: str
    capacity: float
    rate: float


class VmPredictionAnswer(SlotUsageAnswer):
    """Expected use of a VM, in slots."""

    name: str
    slots: list[SlotUsageAnswer]


class SustainedRateAnswer(Answer):
    """The rate that a mapping sustains."""

    rate: Annotated[
        float | None,
        Field(description="The external rate that every task sustains; null: no operator has a profile."),
    ]
    meets_rate: Annotated[
        bool | None,
        Field(
            description="Whether `rate` reaches the given external_rate; null: none is given, or `rate` is null."
        ),
    ]
    binding_task: str | None
    routing: RoutingName
    tasks: list[TaskPredictionAnswer]
    vms: Annotated[
        list[VmPredictionAnswer],
        Field(description="At the given external_rate, or at the sustained rate if that is lower."),
    ]


class PredictionAnswer(SustainedRateAnswer):
    """The rate that a posted mapping sustains, with diagnostics."""

    diagnostics: list[DiagnosticAnswer]
