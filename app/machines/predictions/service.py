"""Predicts the rate that a posted mapping sustains, and turns the prediction into JSON."""

from dataclasses import asdict

from sqlalchemy.orm import Session

from app.load.bodies.answers import DiagnosticAnswer
from app.load.bodies.topology import check_size
from app.machines.predictions.schemas import (
    PlacedVmBody,
    PredictionAnswer,
    PredictionRequest,
    SustainedRateAnswer,
)
from app.machines.profiles.gathering import gather_profiles
from app.settings import Settings
from app.web.error_pointers import pointing_into_body
from app.web.observability import time_planner
from planner.placements.mapping import MappedSlot, MappedVm, ThreadMapping, Vm
from planner.placements.sustained_rate import ROUTINGS, Prediction, predict
from planner.placements.thread_allocation import find_task_loads


def predict_described(session: Session, body: PredictionRequest, settings: Settings) -> PredictionAnswer:
    """The rate that the body's mapping sustains; nothing is stored."""
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


def to_vm(vm: PlacedVmBody) -> MappedVm:
    """A posted VM as a value of the planner; a prediction does not use the reservations of slots."""
    slots = tuple(MappedSlot(slot.threads, 0.0, 0.0) for slot in vm.slots)
    return MappedVm(Vm(vm.name, len(vm.slots)), slots)


def to_sustained_rate(
    prediction: Prediction, routing: str, external_rate: float | None
) -> SustainedRateAnswer:
    """The predicted rate of a mapping under a routing, compared with the given external rate."""
    return SustainedRateAnswer.model_validate(
        asdict(prediction) | {"routing": routing, "meets_rate": prediction.meets(external_rate)}
    )
