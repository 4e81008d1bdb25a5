"""The placement itself, from a body and what was gathered for it: the same over HTTP and on a terminal."""

from functools import partial

from app.described.answers import DiagnosticAnswer
from app.described.topology import Graph
from app.placements.answers import to_compared_pair, to_placement_answer, to_prediction
from app.placements.gathering import GatheredProfiles, Library, gather_market, gather_profiles
from app.placements.schemas import PlacementAnswer, PlacementChoices, PredictionAnswer, PredictionRequest
from planner.placements.map_collocate import map_collocated
from planner.placements.map_rsm import DistanceWeights, map_resource_aware
from planner.placements.map_sam import map_slot_aware
from planner.placements.mapping import MappedSlot, MappedVm, MapThreads, ThreadMapping, Vm, map_round_robin
from planner.placements.place import Placement, Rules, compare_pairs, place_loads
from planner.placements.sustained_rate import predict, route_shuffled, route_slot_aware
from planner.placements.thread_allocation import AllocateTask, allocate_lsa, allocate_mba, find_task_loads

ALLOCATIONS: dict[str, AllocateTask] = {"lsa": allocate_lsa, "mba": allocate_mba}
ROUTINGS = {"shuffle": route_shuffled, "slot-aware": route_slot_aware}


def choose_mappers(body: PlacementChoices) -> dict[str, MapThreads]:
    """The mappers by name, rsm with the weights of the request."""
    weights = DistanceWeights(body.rsm_weights.memory, body.rsm_weights.cpu, body.rsm_weights.network)
    return {
        "dsm": map_round_robin,
        "rsm": partial(map_resource_aware, weights=weights),
        "sam": map_slot_aware,
        "collocate": map_collocated,
    }


def compute_placement(
    body: PlacementChoices, graph: Graph, external_rate: float, library: Library
) -> PlacementAnswer:
    """Allocation, acquisition, mapping and prediction; with `compare`, of every pair."""
    gathered = gather_profiles(graph, body.profiles, library)
    market = gather_market(body, library)
    loads = find_task_loads(graph.to_values(), external_rate, gathered.by_task)
    mappers = choose_mappers(body)
    route = ROUTINGS[body.routing]

    def place(allocate_task: AllocateTask, map_threads: MapThreads) -> Placement:
        return place_loads(loads, external_rate, market, Rules(allocate_task, map_threads, route))

    placement = place(ALLOCATIONS[body.allocation], mappers[body.mapping])
    answer = to_placement_answer(placement, body, external_rate)
    if body.compare:
        answer.comparison = [
            to_compared_pair(pair, loads, external_rate)
            for pair in compare_pairs(place, ALLOCATIONS, mappers)
        ]
    return _with_basis(answer, gathered)


def compute_prediction(body: PredictionRequest, library: Library) -> PredictionAnswer:
    """What a posted mapping sustains."""
    gathered = gather_profiles(body.topology, body.profiles, library)
    # Visits are what counts; without a rate to ask for, any will do.
    loads = find_task_loads(body.topology.to_values(), body.external_rate or 1.0, gathered.by_task)
    mapping = ThreadMapping(
        tuple(
            MappedVm(
                Vm(vm.name, len(vm.slots)), tuple(MappedSlot(slot.threads, 0.0, 0.0) for slot in vm.slots)
            )
            for vm in body.vms
        )
    )
    found = predict(loads, mapping, ROUTINGS[body.routing], body.external_rate)
    described = to_prediction(found, body.routing, body.external_rate)
    said = [DiagnosticAnswer.model_validate(one) for one in (*gathered.diagnostics, *found.diagnostics)]
    return PredictionAnswer.model_validate(described.model_dump() | {"diagnostics": said})


def _with_basis(answer: PlacementAnswer, gathered: GatheredProfiles) -> PlacementAnswer:
    said = [DiagnosticAnswer.model_validate(one) for one in gathered.diagnostics]
    return answer.model_copy(update={"profiles": gathered.used, "diagnostics": said + answer.diagnostics})
