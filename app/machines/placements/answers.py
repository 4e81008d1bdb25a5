"""Turns placements of the planner into JSON."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.load.bodies.answers import DiagnosticAnswer, to_purchase_answer
from app.machines.placements.gathering import GatheredPlacement
from app.machines.placements.schemas import (
    AcquisitionAnswer,
    ComparedPairAnswer,
    MappingAnswer,
    PlacedSlotAnswer,
    PlacedVmAnswer,
    PlacementAnswer,
    PlacementChoices,
    ThreadAllocationAnswer,
    UsedProfileAnswer,
)
from app.machines.predictions import SlotUsageAnswer, to_sustained_rate
from planner.placements.mappers.mapping import Fragmentation, ThreadMapping
from planner.placements.place import ComparedPair, Placement


@dataclass(frozen=True)
class RatedPair:
    """A pair of allocation and mapping, with the external rates that it sustains under both routings."""

    pair: ComparedPair
    rate_shuffle: float | None = None
    rate_slot_aware: float | None = None


@dataclass(frozen=True)
class Placed:
    """A placement at an external rate, with the additional numbers that its answer shows."""

    placement: Placement
    external_rate: float
    slots_asked: int
    fragmentation: Fragmentation
    comparison: Sequence[RatedPair] | None


def to_placement_answer(
    placed: Placed, gathered: GatheredPlacement, choices: PlacementChoices
) -> PlacementAnswer:
    """Returns the placement as an answer, with the profiles that it used and the diagnostics of its inputs."""
    placement = placed.placement
    pairs = placed.comparison
    return PlacementAnswer(
        external_rate=placed.external_rate,
        allocation=ThreadAllocationAnswer.model_validate(placement.allocation),
        mapping=to_mapping_answer(placement.mapping, placement.retries, placed.fragmentation),
        prediction=to_sustained_rate(placement.prediction, choices.routing, placed.external_rate),
        acquisition=AcquisitionAnswer(
            rule=choices.acquisition,
            slots_asked=placed.slots_asked,
            largest_first=to_purchase_answer(placement.largest_first),
            cheapest=to_purchase_answer(placement.cheapest),
        ),
        hourly_price=placement.hourly_price,
        comparison=None if pairs is None else [to_pair_answer(pair) for pair in pairs],
        profiles=[UsedProfileAnswer.model_validate(one) for one in gathered.profiles.used],
        diagnostics=[
            DiagnosticAnswer.model_validate(one)
            for one in (*gathered.profiles.diagnostics, *placement.diagnostics)
        ],
    )


def to_mapping_answer(mapping: ThreadMapping, retries: int, fragmentation: Fragmentation) -> MappingAnswer:
    """Returns which thread runs on which slot, for all VMs with all their slots."""
    return MappingAnswer(
        slots_used=mapping.slots_used,
        slots_available=mapping.slots_available,
        fragmentation=SlotUsageAnswer.model_validate(fragmentation),
        vms=[
            PlacedVmAnswer(
                name=placed.vm.name,
                size=placed.vm.size,
                rack=placed.vm.rack,
                hourly_price=placed.vm.hourly_price,
                slots=[
                    PlacedSlotAnswer(threads=dict(slot.threads), cpu=slot.cpu, memory=slot.memory)
                    for slot in placed.slots
                ],
            )
            for placed in mapping.vms
        ],
        retries=retries,
    )


def to_pair_answer(rated: RatedPair) -> ComparedPairAnswer:
    """Returns one row of a comparison: the result of one allocation with one mapping."""
    pair = rated.pair
    names = {"allocation": pair.allocation, "mapping": pair.mapping}
    placement = pair.placement
    if placement is None:
        return ComparedPairAnswer.model_validate(names | {"reason": pair.reason})
    mapping = placement.mapping
    return ComparedPairAnswer.model_validate(
        names
        | {
            "slots": placement.allocation.slots,
            "slots_used": mapping.slots_used,
            "slots_available": mapping.slots_available,
            "retries": placement.retries,
            "vms": len(mapping.vms),
            "hourly_price": placement.hourly_price,
            "rate_shuffle": rated.rate_shuffle,
            "rate_slot_aware": rated.rate_slot_aware,
            "binding_task": placement.prediction.binding_task,
        }
    )
