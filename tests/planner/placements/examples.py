"""Small topologies, profiles and markets that tests of placement share."""

from itertools import pairwise

from planner.placements.mappers.mapping import MappedSlot, MappedVm, ThreadMapping, Vm
from planner.placements.mappers.rsm import map_resource_aware
from planner.placements.mappers.sam import map_slot_aware
from planner.placements.place import Placement, Rules, place_topology
from planner.placements.profiles import Profile, ProfilePoint
from planner.placements.sustained_rate import Prediction, route_slot_aware
from planner.placements.thread_allocation import allocate_lsa, allocate_mba
from planner.placements.vm_acquisition import Market, VmSize
from planner.values import Edge, Entry, Operator, Topology

SIZES = (VmSize("D3", 4, 0.4), VmSize("D1", 1, 0.1))

SLOT_AWARE = Rules(allocate_mba, map_slot_aware, route_slot_aware)

RSM = Rules(allocate_lsa, map_resource_aware, route_slot_aware)

TWO = Profile("work", (ProfilePoint(1, 10.0, 0.5, 0.2), ProfilePoint(2, 12.0, 0.6, 0.3)))


def flat_profile(task: str, rate: float = 10.0, cpu: float = 0.4, memory: float = 0.4) -> Profile:
    return Profile(task, (ProfilePoint(1, rate, cpu, memory),))


def pipeline(*names: str, entries: tuple[Entry, ...] = ()) -> Topology:
    edges = tuple(Edge(before, after) for before, after in pairwise(names))
    return Topology(tuple(Operator(name) for name in names), edges, entries)


def place(
    topology: Topology, rate: float, market: Market, *profiles: Profile, rules: Rules = SLOT_AWARE
) -> Placement:
    return place_topology(topology, rate, {profile.task: profile for profile in profiles}, market, rules)


def map_by_hand(*slots: dict[str, int]) -> ThreadMapping:
    return ThreadMapping((MappedVm(Vm("vm", len(slots)), tuple(MappedSlot(slot, 0, 0) for slot in slots)),))


def read_rate(prediction: Prediction) -> float:
    """The rate sustained, of tasks that have profiles."""
    assert prediction.rate is not None
    return prediction.rate
