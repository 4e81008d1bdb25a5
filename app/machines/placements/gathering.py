"""Reads stored placements, and gathers what a new placement needs: profiles, VM sizes and existing VMs."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from app.database.stored_answers import list_answers, read_answer
from app.database.tables import PlacementRow
from app.load.bodies.topology import Graph
from app.load.measurements.stored_topologies import find_topology
from app.machines.placements.schemas import PlacementAnswer, PlacementChoices, PlacementPage, PlacementSummary
from app.machines.profiles.service import TaskProfiles, assign_profiles, gather_profiles
from app.machines.vm_catalogues import find_sizes
from app.web.paging import Page
from app.web.problems.errors import InvalidRequest
from app.web.problems.stored_data_errors import UnknownPlacement
from planner.placements.vm_acquisition import Market, VmSize, acquire_cheapest, acquire_largest_first
from planner.wording import write_count


def find_placement(session: Session, placement_id: UUID) -> PlacementAnswer:
    """Returns a stored placement with the answer that was given when it was made."""
    return read_answer(session, PlacementRow, PlacementAnswer, UnknownPlacement, placement_id)


def list_placements(session: Session, name: str, page: Page) -> PlacementPage:
    """Returns a page of the placements of a topology, newest first."""
    answer = PlacementRow.answer
    columns = (
        PlacementRow.revision,
        answer["external_rate"].label("external_rate"),
        answer["mapping", "slots_used"].label("slots_used"),
        answer["hourly_price"].label("hourly_price"),
        answer["prediction", "rate"].label("rate"),
    )
    rows, following = list_answers(session, PlacementRow, find_topology(session, name).id, page, *columns)
    return PlacementPage(items=[PlacementSummary.model_validate(row) for row in rows], next=following)


MOST_EXISTING_SLOTS = 1_000_000
ACQUISITIONS = {"largest-first": acquire_largest_first, "cheapest": acquire_cheapest}


@dataclass(frozen=True)
class GatheredPlacement:
    """The inputs of a placement: a topology, the profiles of its operators, and the market of VMs."""

    graph: Graph
    profiles: TaskProfiles
    market: Market


def gather_placement(session: Session, graph: Graph, choices: PlacementChoices) -> GatheredPlacement:
    """Returns the inputs of a placement from the request, and from the stored profiles and catalogue that it names."""
    profiles = gather_profiles(session, graph, choices.profiles)
    refuse_existing(choices)
    sizes = gather_sizes(session, choices)
    return GatheredPlacement(graph, profiles, make_market(choices, sizes))


def gather_offline(graph: Graph, choices: PlacementChoices) -> GatheredPlacement:
    """Returns the inputs of a placement from the request alone, for a command without a database."""
    profiles = assign_profiles(graph, choices.profiles, {})
    refuse_existing(choices)
    return GatheredPlacement(graph, profiles, make_market(choices, list_sizes(choices)))


def gather_sizes(session: Session, choices: PlacementChoices) -> Sequence[VmSize]:
    """Returns the VM sizes of the request, or of the stored catalogue that the request names."""
    if choices.vm_sizes is not None or choices.vm_catalogue is None:
        return list_sizes(choices)
    sizes = find_sizes(session, choices.vm_catalogue)
    if sizes is None:
        what = f"No VM catalogue is named {choices.vm_catalogue!r}: POST it, or send vm_sizes."
        raise InvalidRequest((("#/vm_catalogue", what),))
    return sizes


def list_sizes(choices: PlacementChoices) -> Sequence[VmSize]:
    """Returns the VM sizes in the request."""
    return [size.to_values() for size in choices.vm_sizes or ()]


def make_market(choices: PlacementChoices, sizes: Sequence[VmSize]) -> Market:
    """Returns the existing VMs, the VM sizes that can be acquired, and the rule by which they are acquired."""
    if not sizes and not choices.vms:
        raise InvalidRequest(
            (("#/vm_sizes", "There are no VMs to place threads on: give vm_sizes, a vm_catalogue or vms."),)
        )
    existing = tuple(vm.to_values() for vm in choices.vms)
    return Market(existing, tuple(sizes), ACQUISITIONS[choices.acquisition])


def refuse_existing(choices: PlacementChoices) -> None:
    """Raises if two existing VMs have the same name, or if they have too many slots."""
    seen: set[str] = set()
    for at, vm in enumerate(choices.vms):
        if vm.name in seen:
            raise InvalidRequest(((f"#/vms/{at}/name", f"Two VMs are named {vm.name!r}: rename one."),))
        seen.add(vm.name)
    slots = sum(vm.slots for vm in choices.vms)
    if slots > MOST_EXISTING_SLOTS:
        limit = write_count(MOST_EXISTING_SLOTS)
        what = f"The VMs have {write_count(slots)} slots; the limit is {limit}: send fewer VMs."
        raise InvalidRequest((("#/vms", what),))
