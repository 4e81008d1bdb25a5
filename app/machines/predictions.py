"""/v1/predictions finds the external rate that a posted mapping of threads to slots sustains."""

from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field, JsonValue

from app.database.connections.transactions import SessionDep
from app.load.bodies.answers import DiagnosticAnswer
from app.load.bodies.topology import Graph, check_size
from app.machines.profiles.schemas import BLOB_ENDS, ProfilesByName, Threads
from app.machines.profiles.service import gather_profiles
from app.web.callers.security import may_read
from app.web.fields import Answer, Body, OperatorName, PositiveRate, show_example
from app.web.observability import time_planner
from app.web.overload.admission import computes
from app.web.problems.documented_problems import DESCRIBED_CALL
from app.web.problems.error_pointers import pointing_into_body
from app.web.routing import SettingsDep, StrictJsonRoute, declare
from planner.placements.mappers.mapping import MappedSlot, MappedVm, ThreadMapping, Vm
from planner.placements.sustained_rate import ROUTINGS, Prediction, predict
from planner.placements.thread_allocation import find_task_loads

RoutingName = Literal["shuffle", "slot-aware"]

BLOB_TOPOLOGY: dict[str, JsonValue] = {
    "operators": [{"name": "source"}, {"name": "blob"}, {"name": "sink"}],
    "edges": [{"source": "source", "target": "blob"}, {"source": "blob", "target": "sink"}],
}


class PlacedSlotBody(Body):
    """The threads on one slot, counted by task."""

    threads: dict[OperatorName, Threads]


class PlacedVmBody(Body):
    """A VM of a posted mapping."""

    name: OperatorName
    slots: Annotated[list[PlacedSlotBody], Field(max_length=100_000)]


class PredictionRequest(Body):
    """A mapping of threads to slots, from Headgate or from another scheduler."""

    model_config = show_example(
        {
            "topology": BLOB_TOPOLOGY,
            "profiles": {"blob": BLOB_ENDS},
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
    """The used cpu and memory, as fractions of one slot."""

    cpu: float
    memory: float


class TaskPredictionAnswer(Answer):
    """The rate that a task's threads sustain (`capacity`), and the external rate that leads to it (`rate`)."""

    name: str
    capacity: float
    rate: float


class VmPredictionAnswer(SlotUsageAnswer):
    """The expected use of a VM, in slots."""

    name: str
    slots: list[SlotUsageAnswer]


class SustainedRateAnswer(Answer):
    """The external rate that a mapping sustains."""

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
        Field(description="The use at the given external_rate, or at a lower sustained rate."),
    ]


class PredictionAnswer(SustainedRateAnswer):
    """The external rate that a posted mapping sustains, with diagnostics."""

    diagnostics: list[DiagnosticAnswer]


def to_vm(vm: PlacedVmBody) -> MappedVm:
    """Returns a posted VM as a value of the planner, without reservations of slots, which predictions do not use."""
    slots = tuple(MappedSlot(slot.threads, 0.0, 0.0) for slot in vm.slots)
    return MappedVm(Vm(vm.name, len(vm.slots)), slots)


def to_sustained_rate(
    prediction: Prediction, routing: str, external_rate: float | None
) -> SustainedRateAnswer:
    """Returns the predicted rate of a mapping under a routing, compared with the external rate if one is given."""
    return SustainedRateAnswer.model_validate(
        asdict(prediction) | {"routing": routing, "meets_rate": prediction.meets(external_rate)}
    )


router = APIRouter(prefix="/v1", tags=["placements"], route_class=StrictJsonRoute)


@router.post(
    "/predictions",
    **declare(
        may_read,
        "Predict the rate that a mapping sustains",
        *DESCRIBED_CALL,
        "invalid-profile",
        "missing-profile",
        "idle-task",
        "invalid-mapping",
    ),
)
@computes
def predict_rate(body: PredictionRequest, session: SessionDep, settings: SettingsDep) -> PredictionAnswer:
    """The sustained rate of any mapping, the task that limits it, and the cpu and memory of every slot."""
    check_size(body.topology, settings, "#/topology")
    with pointing_into_body():
        profiles = gather_profiles(session, body.topology, body.profiles)
        with time_planner("predict"):
            # Only the visits of these loads are used; they are the same at every positive rate.
            loads = find_task_loads(body.topology.to_values(), body.external_rate or 1.0, profiles.by_task)
            mapping = ThreadMapping(tuple(to_vm(vm) for vm in body.vms))
            found = predict(loads, mapping, ROUTINGS[body.routing], body.external_rate)
    sustained = to_sustained_rate(found, body.routing, body.external_rate)
    notes = [DiagnosticAnswer.model_validate(one) for one in (*profiles.diagnostics, *found.diagnostics)]
    return PredictionAnswer.model_validate(sustained.model_dump() | {"diagnostics": notes})
