"""Shukla and Simmhan's profiles, micro- and application DAGs: what is printed, what holds at all rates."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import pytest

from planner.placements.mappers.mapping import join_tasks
from planner.placements.mappers.rsm import map_resource_aware
from planner.placements.mappers.sam import map_slot_aware
from planner.placements.place import Placement, Rules, map_with_retries, place_topology
from planner.placements.profiles import Profile
from planner.placements.sustained_rate import predict, route_shuffled, route_slot_aware
from planner.placements.thread_allocation import allocate_lsa, allocate_mba, allocate_slots, find_task_loads
from planner.placements.vm_acquisition import Market
from planner.values import Topology
from tests.planner.placements.examples import read_rate

MICRO = ("linear", "diamond", "star")


class Example(Protocol):
    """What conftest.py finds by a name."""

    @property
    def topology(self) -> Topology: ...
    @property
    def profiles(self) -> dict[str, Profile]: ...


Find = Callable[[str], Example]


def place_mba_sam(example: Example, rate: float, market: Market) -> Placement:
    return place_topology(
        example.topology,
        rate,
        example.profiles,
        market,
        Rules(allocate_mba, map_slot_aware, route_slot_aware),
    )


def test_the_linear_micro_dag_takes_the_slots_that_the_paper_prints(
    published: dict[str, Any], example: Find, market: Market
) -> None:
    linear = example("linear")
    for printed in published["printed"]["linear"]:
        loads = find_task_loads(linear.topology, printed["rate"], linear.profiles)
        found = {
            "lsa": allocate_slots(loads, allocate_lsa).slots,
            "mba": allocate_slots(loads, allocate_mba).slots,
            "mba_sam": place_mba_sam(linear, printed["rate"], market).mapping.slots_used,
        }
        assert {name: found[name] for name in printed if name != "rate"} == {
            name: slots for name, slots in printed.items() if name != "rate"
        }


@pytest.mark.parametrize("name", MICRO)
def test_mba_never_takes_more_slots_than_lsa(name: str, example: Find) -> None:
    dag = example(name)
    for rate in range(10, 501):
        loads = find_task_loads(dag.topology, rate, dag.profiles)
        assert allocate_slots(loads, allocate_mba).slots <= allocate_slots(loads, allocate_lsa).slots, rate


@pytest.mark.parametrize(
    ("name", "rates"),
    [
        *((name, range(10, 501)) for name in MICRO),
        *((name, (50, 100)) for name in ("traffic", "finance", "grid")),
    ],
)
def test_sam_uses_at_most_one_slot_more_than_mba_allocated(
    name: str, rates: Sequence[int], example: Find, market: Market
) -> None:
    """For the application DAGs at the paper's rates: of 15 partial bundles many may take over half a slot."""
    dag = example(name)
    for rate in rates:
        placement = place_mba_sam(dag, rate, market)
        assert placement.mapping.slots_used <= placement.allocation.slots + 1, rate
        assert read_rate(placement.prediction) >= rate


def test_rsm_needs_more_slots_than_lsa_allocated_and_more_often_than_sam(
    example: Find, market: Market
) -> None:
    rsm_extra: list[int] = []
    sam_extra: list[int] = []
    for name in MICRO:
        dag = example(name)
        for rate in range(10, 301, 10):
            loads = find_task_loads(dag.topology, rate, dag.profiles)
            allocation = allocate_slots(loads, allocate_lsa)
            tasks = join_tasks(loads, allocation.tasks)
            mapping, _ = map_with_retries(tasks, market, market.sizes, allocation.slots, map_resource_aware)
            rsm_extra.append(mapping.slots_used - allocation.slots)
            sam = place_mba_sam(dag, rate, market)
            sam_extra.append(sam.mapping.slots_used - sam.allocation.slots)
    assert sum(extra > 0 for extra in rsm_extra) > 2 * sum(extra > 0 for extra in sam_extra)
    assert max(rsm_extra) > max(sam_extra) == 1


def test_the_worked_example_of_shuffle_grouping(example: Find, market: Market) -> None:
    """Section 8.3: 160 threads of azure_table at 100/s; the slot of 40 gets 25/s and sustains 20/s."""
    diamond = example("diamond")
    placement = place_mba_sam(diamond, 100.0, market)
    table = [
        slot.threads["azure_table"]
        for vm in placement.mapping.vms
        for slot in vm.slots
        if "azure_table" in slot.threads
    ]
    assert sorted(table) == [40, 60, 60]
    capacity, shares = route_shuffled(diamond.profiles["azure_table"], table)
    assert sorted(round(100 * shares[threads], 6) for threads in table) == [25.0, 37.5, 37.5]
    assert capacity == 80.0  # the slot of 40 threads sustains 20/s, a quarter of it


def test_placements_of_all_topologies_stay_what_they_were(
    computed: dict[str, Any], example: Find, market: Market
) -> None:
    for expected in computed["placements"]:
        dag, rate = example(expected["topology"]), expected["rate"]
        loads = find_task_loads(dag.topology, rate, dag.profiles)
        found = place_mba_sam(dag, rate, market)
        mba = {
            "slots": found.allocation.slots,
            "threads": {task.name: task.threads for task in found.allocation.tasks},
            "sam_slots_used": found.mapping.slots_used,
            "sam_retries": found.retries,
            "hourly_price": found.hourly_price,
            "rate_slot_aware": round(read_rate(found.prediction), 6),
            "rate_shuffle": round(read_rate(predict(loads, found.mapping, route_shuffled, rate)), 6),
        }
        assert mba == expected["mba"], (expected["topology"], rate)
        linear = place_topology(
            dag.topology, rate, dag.profiles, market, Rules(allocate_lsa, map_resource_aware, route_shuffled)
        )
        lsa = {
            "slots": linear.allocation.slots,
            "threads": sum(task.threads for task in linear.allocation.tasks),
            "rsm_slots_used": linear.mapping.slots_used,
            "rsm_retries": linear.retries,
            "rate_shuffle": round(read_rate(linear.prediction), 6),
        }
        assert lsa == expected["lsa"], (expected["topology"], rate)
