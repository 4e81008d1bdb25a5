"""What every mapper keeps: each thread once, limits of slots and VMs; and Storm's round robin."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.placements.mappers.collocate import map_collocated
from planner.placements.mappers.mapping import MapThreads, map_round_robin
from planner.placements.mappers.rsm import map_resource_aware
from planner.placements.mappers.sam import map_slot_aware
from planner.placements.place import Rules, place_loads
from planner.placements.sustained_rate import route_shuffled
from planner.placements.thread_allocation import TaskLoad, allocate_lsa, allocate_mba
from planner.placements.vm_acquisition import Market
from tests.planner.placements.examples import SIZES, pipeline, place
from tests.planner.placements.random_loads import MAPPERS, MARKET, any_loads, count_threads, external_rate_of

BIT_MORE = 1 + 1e-9


@given(any_loads(), st.sampled_from(sorted(MAPPERS)), st.sampled_from([allocate_lsa, allocate_mba]))
def test_every_thread_is_placed_exactly_once(loads: list[TaskLoad], mapper: str, allocate: type) -> None:
    placed = place_loads(
        loads, external_rate_of(loads), MARKET, Rules(allocate, MAPPERS[mapper], route_shuffled)
    )
    assert count_threads(placed.mapping) == {task.name: task.threads for task in placed.allocation.tasks}
    assert len({vm.vm.name for vm in placed.mapping.vms}) == len(placed.mapping.vms)


@given(
    any_loads(), st.sampled_from(["rsm", "sam", "collocate"]), st.sampled_from([allocate_lsa, allocate_mba])
)
def test_no_slot_is_over_its_memory_and_no_vm_over_its_cpu(
    loads: list[TaskLoad], mapper: str, allocate: type
) -> None:
    placed = place_loads(
        loads, external_rate_of(loads), MARKET, Rules(allocate, MAPPERS[mapper], route_shuffled)
    )
    for vm in placed.mapping.vms:
        assert sum(slot.cpu for slot in vm.slots) <= vm.vm.slots * BIT_MORE
        assert all(slot.memory <= BIT_MORE for slot in vm.slots)


@given(any_loads())
def test_round_robin_loads_all_slots_with_as_many_threads_but_one(loads: list[TaskLoad]) -> None:
    placed = place_loads(
        loads, external_rate_of(loads), MARKET, Rules(allocate_lsa, map_round_robin, route_shuffled)
    )
    counts = [sum(slot.threads.values()) for vm in placed.mapping.vms for slot in vm.slots]
    assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("mapper", [map_round_robin, map_resource_aware, map_slot_aware, map_collocated])
def test_no_mapper_minds_that_there_is_nothing_to_map(mapper: MapThreads) -> None:
    placed = place(pipeline("source", "sink"), 5.0, Market(sizes=SIZES), rules=Rules(allocate_mba, mapper))
    assert placed.mapping.slots_used == 0
