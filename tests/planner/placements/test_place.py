"""From a topology and a rate to slots: what is sustained, what is refused, and how pairs compare."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.placements.errors import PlacementTooLarge
from planner.placements.mappers.collocate import map_collocated
from planner.placements.mappers.mapping import MapThreads, ThreadMapping, join_tasks, map_round_robin
from planner.placements.mappers.rsm import map_resource_aware
from planner.placements.mappers.sam import map_slot_aware
from planner.placements.place import Rules, compare_pairs, map_with_retries, place_loads
from planner.placements.profiles import Profile, ProfilePoint
from planner.placements.sustained_rate import predict, route_shuffled, route_slot_aware
from planner.placements.thread_allocation import (
    TaskLoad,
    allocate_lsa,
    allocate_mba,
    allocate_slots,
    find_task_loads,
)
from planner.placements.vm_acquisition import Market
from tests.planner.placements.examples import SIZES, flat_profile, pipeline, place, read_rate
from tests.planner.placements.random_loads import MAPPERS, MARKET, any_loads, external_rate_of


@given(any_loads())
def test_mba_and_sam_sustain_the_asked_rate_when_routing_knows_the_slots(loads: list[TaskLoad]) -> None:
    asked = external_rate_of(loads)
    placed = place_loads(loads, asked, MARKET, Rules(allocate_mba, map_slot_aware, route_slot_aware))
    assert read_rate(placed.prediction) >= asked * (1 - 1e-11)


@given(any_loads(), st.sampled_from(sorted(MAPPERS)))
def test_the_same_question_has_the_same_answer(loads: list[TaskLoad], mapper: str) -> None:
    first, second = (
        place_loads(
            loads, external_rate_of(loads), MARKET, Rules(allocate_mba, MAPPERS[mapper], route_shuffled)
        )
        for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize("mapper", [map_resource_aware, map_collocated])
def test_a_mapper_that_tries_too_often_is_stopped_with_what_to_do(mapper: MapThreads) -> None:
    """A slot holds one of .7 or two of .4: 60 slots, which no bound foresees."""
    profiles = {"wide": flat_profile("wide", 1.0, 0.0, 0.7), "narrow": flat_profile("narrow", 1.0, 0.0, 0.4)}
    loads = find_task_loads(pipeline("wide", "narrow"), 40.0, profiles)
    allocation = allocate_slots(loads, allocate_lsa)
    tasks = join_tasks(loads, allocation.tasks)
    asking = (tasks, Market(sizes=SIZES[1:]), SIZES[1:], allocation.slots, mapper)
    mapping, asked = map_with_retries(*asking)
    assert (asked, mapping.slots_used) == (60, 60)
    with pytest.raises(PlacementTooLarge, match="choose the mapping sam") as refused:
        map_with_retries(*asking, most_tried=200)
    assert refused.value.needed > refused.value.limit == 200


def test_a_comparison_says_which_pairs_are_not_possible_and_why() -> None:
    wide = flat_profile("work", cpu=1.5)
    rows = compare_pairs(
        lambda allocate, mapper: place(
            pipeline("work"), 5.0, Market(sizes=SIZES), wide, rules=Rules(allocate, mapper)
        ),
        {"lsa": allocate_lsa},
        {"dsm": map_round_robin, "sam": map_slot_aware},
    )
    assert [(row.mapping, row.placement is None) for row in rows] == [("dsm", False), ("sam", True)]
    assert "one slot" in str(rows[1].reason)


def test_a_rate_that_is_not_met_is_said_with_what_would_help():
    blob = Profile("blob", (ProfilePoint(1, 2, 0.067, 0.239), ProfilePoint(50, 30, 0.767, 0.314)))
    shuffled = Rules(allocate_mba, map_slot_aware, route_shuffled)
    placed = place(pipeline("source", "blob", "sink"), 100.0, Market(sizes=SIZES), blob, rules=shuffled)
    (said,) = placed.diagnostics
    assert (said.code, said.operators) == ("rate-not-met", ("blob",))
    assert "sustains 99 of 100 tuples/s" in said.detail
    assert "slot-aware" in said.detail
    assert not place(pipeline("source", "blob", "sink"), 100.0, Market(sizes=SIZES), blob).diagnostics


def test_nothing_to_place_is_no_error() -> None:
    placed = place(pipeline("source", "sink"), 5.0, Market(sizes=SIZES))
    assert (placed.allocation.slots, placed.mapping.vms, placed.prediction.binding_task) == (0, (), None)
    assert placed.prediction.rate is None, "no profile, no rate"
    assert [said.code for said in placed.diagnostics] == ["no-tasks"]
    assert predict((), ThreadMapping(()), route_shuffled).rate is None
