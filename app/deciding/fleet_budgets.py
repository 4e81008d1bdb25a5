"""The budget of a fleet: processors, slots, VMs that are there, or those that a price buys; and threads on VMs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Row
from sqlalchemy.orm import Session

from app.deciding.fleet.schemas import FleetPlacement, FleetRequest, FleetVm
from app.load.bodies.answers import to_purchase_answer
from app.machines.profiles.service import find_profiles
from app.machines.vm_catalogues import find_sizes
from app.web.problems.errors import InvalidRequest
from app.web.problems.stored_data_errors import UnknownVmCatalogue
from planner.fleet.footprint import Footprint
from planner.fleet.plan import Share
from planner.fleet.spread import Occupancy, Tenant, Where, spread
from planner.placements.mappers.mapping import Vm
from planner.placements.profiles import Profile
from planner.placements.vm_acquisition import VmSize, acquire_cheapest, afford_most, name_vms
from planner.wording import write_counted


@dataclass(frozen=True)
class GatheredBudget:
    """A budget in processors or slots, the VMs that have the slots, and the profiles by which threads share slots."""

    total: int
    unit: str = "processor"
    vms: Sequence[Vm] = ()
    sizes: Sequence[VmSize] = ()
    profiles: Mapping[str, Profile] = field(default_factory=dict)

    def find_footprint(self, definition: Mapping[str, Any]) -> Footprint | None:
        """How threads of a topology share slots; None: each processor counts one."""
        named = {one["name"]: one.get("profile") for one in definition["operators"]}
        known = {name: self.profiles[one] for name, one in named.items() if one in self.profiles}
        return Footprint(list(named), known) if known else None


def gather_budget(session: Session, body: FleetRequest, rows: Sequence[Row[Any]]) -> GatheredBudget:
    """The budget of a request; of a catalogue it is as many slots as the price buys."""
    lost = body.lost_processors
    if body.k_max is not None:
        return GatheredBudget(body.k_max - lost)
    named = {one.get("profile") for row in rows for one in row.definition["operators"]}
    named |= {one.profile for job in body.new for one in job.topology.operators}
    profiles = {name: one.profile for name, one in find_profiles(session, named - {None}).items()}
    if body.vm_catalogue is None:
        vms = [one.to_values() for one in body.vms if one.name not in set(body.lost_vms)]
        total = sum(vm.slots for vm in vms) if body.slots is None else body.slots
        return GatheredBudget(total - lost, "slot", vms, (), profiles)
    sizes = find_sizes(session, body.vm_catalogue)
    if sizes is None:
        raise UnknownVmCatalogue(body.vm_catalogue, None)
    most = afford_most(sizes, body.hourly_price or 0.0)
    if most == 0:
        detail = f"No VM of {body.vm_catalogue!r} costs so little: give a higher hourly_price."
        raise InvalidRequest((("#/hourly_price", detail),))
    return GatheredBudget(most - lost, "slot", (), sizes, profiles)


def find_footprints(
    budget: GatheredBudget, body: FleetRequest, rows: Sequence[Row[Any]]
) -> dict[str, Footprint | None]:
    """How threads share slots in each topology and each new job."""
    found = {row.name: budget.find_footprint(row.definition) for row in rows}
    return found | {one.name: budget.find_footprint(one.topology.model_dump()) for one in body.new}


def place_fleet(
    budget: GatheredBudget,
    shares: Sequence[Share],
    rows: Sequence[Row[Any]],
    held: Mapping[str, dict[str, int]],
    footprints: Mapping[str, Footprint | None],
) -> FleetPlacement | None:
    """Threads of all topologies on the VMs of the budget; None where it has none. `held`: what keeps running."""
    if not budget.vms and not budget.sizes:
        return None
    running = {row.name: read_where(row.instances) for row in rows}
    wanted = {one.member.name: one.member.situation.name_counts(one.counts) for one in shares} | dict(held)
    tenants = []
    for name, counts in wanted.items():
        footprint = footprints[name] or Footprint(list(counts))
        bundles = footprint.pack([counts.get(operator, 0) for operator in footprint.names])
        tenants.append(Tenant(name, bundles, running.get(name, {})))
    slots = sum(len(one.bundles) for one in tenants)
    bought = acquire_cheapest(budget.sizes, slots) if budget.sizes else None
    vms = budget.vms if bought is None else name_vms(bought, ())
    found = spread(tenants, vms)
    known = [one for one in tenants if one.running]
    moved = found.count_moves(known) if known and bought is None else None
    return FleetPlacement(
        vms=[to_vm(found, vm) for vm in vms],
        moved=moved,
        acquired=None if bought is None else to_purchase_answer(bought),
        detail=describe(found, slots, len(vms), moved),
    )


def read_where(instances: Mapping[str, Sequence[Mapping[str, Any]]] | None) -> dict[str, Where]:
    """The threads of each operator by node, of a snapshot that names nodes."""
    found: dict[str, dict[str, int]] = {}
    for operator, listed in (instances or {}).items():
        for one in listed:
            if one.get("node") is not None:
                here = found.setdefault(operator, {})
                here[one["node"]] = here.get(one["node"], 0) + 1
    return dict(found)


def to_vm(found: Occupancy, vm: Vm) -> FleetVm:
    """A VM as an answer."""
    threads: dict[str, dict[str, int]] = {}
    for thread, count in sorted(found.threads.get(vm.name, {}).items()):
        threads.setdefault(thread.topology, {})[thread.operator] = count
    return FleetVm(name=vm.name, slots=vm.slots, free_slots=found.free[vm.name], threads=threads)


def describe(found: Occupancy, slots: int, vms: int, moved: int | None) -> str:
    """How full the VMs are, and how many threads move, in a sentence or two."""
    used = sum(bool(here) for here in found.threads.values())
    said = f"{write_counted(slots, 'slot')} on {used:,} of {write_counted(vms, 'VM')}."
    if found.unplaced:
        said += f" {write_counted(found.unplaced, 'slot')} more would be needed for what keeps running."
    if moved is not None:
        said += f" {write_counted(moved, 'thread moves', 'threads move')}."
    return said
