"""From the planner's placements to JSON's types."""

from collections.abc import Sequence
from dataclasses import asdict

from app.described.answers import DiagnosticAnswer
from app.placements.schemas import (
    Acquisition,
    ComparedPairAnswer,
    Mapping,
    PlacedSlot,
    PlacedVm,
    PlacementAnswer,
    PlacementChoices,
    PurchaseAnswer,
    SlotUsageAnswer,
    SustainedRateAnswer,
    ThreadAllocationAnswer,
)
from planner.placements import place as placing
from planner.placements import sustained_rate as predicting
from planner.placements.mapping import ThreadMapping, measure_fragmentation
from planner.placements.thread_allocation import TaskLoad
from planner.placements.vm_acquisition import Purchase as Bought


def to_placement_answer(
    placement: placing.Placement, body: PlacementChoices, external_rate: float
) -> PlacementAnswer:
    """Everything about one placement."""
    return PlacementAnswer(
        external_rate=external_rate,
        allocation=ThreadAllocationAnswer.model_validate(placement.allocation),
        mapping=to_mapping(placement.mapping, placement.retries),
        prediction=to_prediction(placement.prediction, body.routing, external_rate),
        acquisition=Acquisition(
            rule=body.acquisition,
            slots_asked=placement.allocation.slots + placement.retries,
            largest_first=to_purchase(placement.largest_first),
            cheapest=to_purchase(placement.cheapest),
        ),
        hourly_price=placement.hourly_price,
        profiles=[],
        diagnostics=[DiagnosticAnswer.model_validate(one) for one in placement.diagnostics],
    )


def to_mapping(mapping: ThreadMapping, retries: int) -> Mapping:
    """All VMs with all their slots."""
    fragmentation = measure_fragmentation(mapping)
    return Mapping(
        slots_used=mapping.slots_used,
        slots_available=mapping.slots_available,
        fragmentation=SlotUsageAnswer(cpu=fragmentation.cpu, memory=fragmentation.memory),
        vms=[
            PlacedVm(
                name=placed.vm.name,
                size=placed.vm.size,
                rack=placed.vm.rack,
                hourly_price=placed.vm.hourly_price,
                slots=[
                    PlacedSlot(threads=dict(slot.threads), cpu=slot.cpu, memory=slot.memory)
                    for slot in placed.slots
                ],
            )
            for placed in mapping.vms
        ],
        retries=retries,
    )


def to_prediction(
    prediction: predicting.Prediction, routing: str, external_rate: float | None
) -> SustainedRateAnswer:
    """What a mapping sustains."""
    meets_rate = None
    if external_rate is not None and prediction.rate is not None:
        meets_rate = prediction.rate >= external_rate
    fields = asdict(prediction) | {"routing": routing, "meets_rate": meets_rate}
    return SustainedRateAnswer.model_validate(fields)


def to_purchase(bought: Bought) -> PurchaseAnswer:
    """VMs by size."""
    return PurchaseAnswer(
        vms={size.name: count for size, count in bought.counts},
        slots=bought.slots,
        hourly_price=bought.hourly_price,
    )


def to_compared_pair(
    pair: placing.ComparedPair, loads: Sequence[TaskLoad], external_rate: float
) -> ComparedPairAnswer:
    """One line of a comparison, with the rate under both routings."""
    names = {"allocation": pair.allocation, "mapping": pair.mapping}
    placement = pair.placement
    if placement is None:
        return ComparedPairAnswer.model_validate(names | {"reason": pair.reason})
    mapping = placement.mapping
    routes = (predicting.route_shuffled, predicting.route_slot_aware)
    shuffled, aware = (predicting.predict(loads, mapping, route, external_rate).rate for route in routes)
    return ComparedPairAnswer.model_validate(
        names
        | {
            "slots": placement.allocation.slots,
            "slots_used": mapping.slots_used,
            "slots_available": mapping.slots_available,
            "retries": placement.retries,
            "vms": len(mapping.vms),
            "hourly_price": placement.hourly_price,
            "rate_shuffle": shuffled,
            "rate_slot_aware": aware,
            "binding_task": placement.prediction.binding_task,
        }
    )
