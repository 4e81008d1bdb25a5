"""Places the threads of a topology in the body or of a stored one."""

from collections.abc import Sequence
from functools import partial

from sqlalchemy.orm import Session

from app.database.stored_answers import store_answer
from app.database.tables import PlacementRow
from app.load.bodies.topology import Graph, check_size
from app.load.measurements.snapshots import find_ahead, find_newest
from app.load.measurements.stored_topologies import StoredTopology, find_topology
from app.machines.placements.answers import Placed, RatedPair, to_placement_answer
from app.machines.placements.gathering import GatheredPlacement, gather_placement
from app.machines.placements.schemas import (
    PlacementAnswer,
    PlacementChoices,
    PlacementRequest,
    StoredPlacementRequest,
)
from app.settings import Settings
from app.web.observability import time_planner
from app.web.problems.error_pointers import STORED, pointing_into_body
from app.web.problems.stored_data_errors import NoSnapshot, StoredDataUnusable
from planner.placements.mappers.collocate import map_collocated
from planner.placements.mappers.mapping import MapThreads, map_round_robin, measure_fragmentation
from planner.placements.mappers.rsm import DistanceWeights, map_resource_aware
from planner.placements.mappers.sam import map_slot_aware
from planner.placements.place import ComparedPair, Placement, Rules, compare_pairs, place_loads
from planner.placements.sustained_rate import ROUTINGS, predict, route_shuffled, route_slot_aware
from planner.placements.thread_allocation import (
    AllocateTask,
    TaskLoad,
    allocate_lsa,
    allocate_mba,
    find_task_loads,
)

ALLOCATIONS: dict[str, AllocateTask] = {"lsa": allocate_lsa, "mba": allocate_mba}


def place_described(session: Session, body: PlacementRequest, settings: Settings) -> PlacementAnswer:
    """Returns the placement of the body's topology at the body's rate; nothing is stored."""
    check_size(body.topology, settings, "#/topology")
    with pointing_into_body(locate_sizes(body)):
        gathered = gather_placement(session, body.topology, body)
        with time_planner("place"):
            placed = compute_placement(gathered, body, body.external_rate)
    return to_placement_answer(placed, gathered, body)


def place_stored(session: Session, name: str, body: StoredPlacementRequest) -> PlacementAnswer:
    """Places a stored topology at the given rate or at the newest measured rate, and stores the placement."""
    stored = find_topology(session, name)
    external_rate = body.external_rate
    if external_rate is None:
        external_rate = _find_newest_rate(session, stored)
    with pointing_into_body(STORED | locate_sizes(body)):
        gathered = gather_placement(session, Graph.model_validate(stored.definition), body)
        with time_planner("place"):
            placed = compute_placement(gathered, body, external_rate)
    row = PlacementRow(topology_id=stored.id, revision=stored.revision, request=body.model_dump(mode="json"))
    return store_answer(session, row, to_placement_answer(placed, gathered, body))


def locate_sizes(body: PlacementChoices) -> dict[str, str | None]:
    """Returns the pointer to the field of the body with the VM sizes: a list, or the name of a catalogue."""
    return {"vm_sizes": "/vm_catalogue" if body.vm_sizes is None and body.vm_catalogue else "/vm_sizes"}


def compute_placement(gathered: GatheredPlacement, choices: PlacementChoices, external_rate: float) -> Placed:
    """Computes the placement; if the request says `compare`, also each pair of allocation and mapping."""
    loads = find_task_loads(gathered.graph.to_values(), external_rate, gathered.profiles.by_task)
    mappers = choose_mappers(choices)
    route = ROUTINGS[choices.routing]

    def place(allocate_task: AllocateTask, map_threads: MapThreads) -> Placement:
        return place_loads(loads, external_rate, gathered.market, Rules(allocate_task, map_threads, route))

    placement = place(ALLOCATIONS[choices.allocation], mappers[choices.mapping])
    comparison = None
    if choices.compare:
        pairs = compare_pairs(place, ALLOCATIONS, mappers)
        comparison = [rate_pair(pair, loads, external_rate) for pair in pairs]
    return Placed(
        placement,
        external_rate,
        placement.allocation.slots + placement.retries,
        measure_fragmentation(placement.mapping),
        comparison,
    )


def choose_mappers(choices: PlacementChoices) -> dict[str, MapThreads]:
    """Returns the mappers by name; the mapper rsm gets the distance weights of the request."""
    weights = choices.rsm_weights
    return {
        "dsm": map_round_robin,
        "rsm": partial(
            map_resource_aware, weights=DistanceWeights(weights.memory, weights.cpu, weights.network)
        ),
        "sam": map_slot_aware,
        "collocate": map_collocated,
    }


def rate_pair(pair: ComparedPair, loads: Sequence[TaskLoad], external_rate: float) -> RatedPair:
    """Returns the pair with the external rate that its mapping sustains under each routing."""
    if pair.placement is None:
        return RatedPair(pair)
    mapping = pair.placement.mapping
    shuffled, aware = (
        predict(loads, mapping, route, external_rate).rate for route in (route_shuffled, route_slot_aware)
    )
    return RatedPair(pair, shuffled, aware)


def _find_newest_rate(session: Session, stored: StoredTopology) -> float:
    newest = find_newest(session, stored, 1)
    if not newest:
        raise NoSnapshot(stored.name, find_ahead(session, stored))
    rate = newest[0].external_rate
    if not rate > 0.0:
        detail = "the external_rate of the newest snapshot is 0, which needs no slots: send an external_rate above 0."
        raise StoredDataUnusable(stored.name, detail)
    return rate
