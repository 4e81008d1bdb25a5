"""SAM against the published loop: full bundles on slots of their own, few slots shared."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from planner.placements.errors import ThreadTooLarge
from planner.placements.mappers.mapping import NoRoom, Task, Vm, join_tasks
from planner.placements.mappers.sam import map_slot_aware
from planner.placements.place import Rules, place_loads
from planner.placements.sustained_rate import route_slot_aware
from planner.placements.thread_allocation import TaskLoad, allocate_lsa, allocate_mba, allocate_slots
from planner.placements.vm_acquisition import Market, VmSize
from tests.planner.placements.examples import SIZES, flat_profile, pipeline, place
from tests.planner.placements.random_loads import MARKET, any_loads, external_rate_of, list_threads


def literal_sam(tasks: Sequence[Task], slots: int) -> list[dict[str, int]] | None:
    """Algorithm 6 over slots in a row, with plain lists; None where a bundle finds no slot."""
    free = [(1.0, 1.0)] * slots
    placed: list[dict[str, int]] = [{} for _ in range(slots)]
    pending = {task.name: (task.threads, task.rate) for task in tasks}
    while any(threads for threads, _ in pending.values()):
        for task in tasks:
            threads, rate = pending[task.name]
            best = max(task.profile.points, key=lambda point: (point.peak_rate, -point.threads))
            if not threads:
                continue
            if threads >= best.threads and rate >= best.peak_rate * (1 - 1e-9):
                at = next((at for at in range(slots) if not placed[at]), None)
                used, needs, left = best.threads, (1.0, 1.0), (threads - best.threads, rate - best.peak_rate)
            else:
                point = task.profile.interpolate(threads)
                share = rate / point.peak_rate if threads == 1 else 1.0
                used, needs, left = threads, (point.cpu * share, point.memory * share), (0, 0.0)
                cpu, memory = needs
                fitting = [
                    at for at in range(slots) if free[at][0] >= cpu - 1e-9 and free[at][1] >= memory - 1e-9
                ]
                at = min(fitting, key=lambda at: (sum(free[at]), at), default=None)
            if at is None:
                return None
            placed[at][task.name] = placed[at].get(task.name, 0) + used
            free[at] = (free[at][0] - needs[0], free[at][1] - needs[1])
            pending[task.name] = left
    return placed


@given(any_loads(most_tasks=8))
def test_sam_is_the_published_loop(loads: list[TaskLoad]) -> None:
    assume(all(math.fmod(load.rate, load.profile.best.peak_rate) > 1e-6 for load in loads))
    allocation = allocate_slots(loads, allocate_mba)
    tasks = join_tasks(loads, allocation.tasks)
    vms = [Vm(f"vm-{at}", 1 + at % 3) for at in range(allocation.slots)]
    expected = literal_sam(tasks, sum(vm.slots for vm in vms))
    assert list_threads(map_slot_aware, tasks, vms) == expected


@given(any_loads(most_tasks=8), st.sampled_from([allocate_lsa, allocate_mba]))
def test_sam_mixes_tasks_on_at_most_as_many_slots_as_there_are_tasks(
    loads: list[TaskLoad], allocate: type
) -> None:
    placed = place_loads(
        loads, external_rate_of(loads), MARKET, Rules(allocate, map_slot_aware, route_slot_aware)
    )
    mixed = sum(len(slot.threads) > 1 for vm in placed.mapping.vms for slot in vm.slots)
    shared = sum(
        slot.cpu < 1 or slot.memory < 1 for vm in placed.mapping.vms for slot in vm.slots if slot.threads
    )
    assert mixed <= len(loads)
    assert shared <= len(loads)


@given(any_loads())
def test_one_jump_of_sam_ends_where_retries_by_one_slot_do(loads: list[TaskLoad]) -> None:
    allocation = allocate_slots(loads, allocate_mba)
    tasks = join_tasks(loads, allocation.tasks)
    slots = allocation.slots
    while True:
        try:
            map_slot_aware(tasks, [Vm(f"vm-{at}", 1) for at in range(slots)])
            break
        except NoRoom:
            slots += 1
    single = Market(sizes=(VmSize("D1", 1, 0.1),))
    placed = place_loads(
        loads, external_rate_of(loads), single, Rules(allocate_mba, map_slot_aware, route_slot_aware)
    )
    assert placed.retries == slots - allocation.slots


@pytest.mark.parametrize("sizes", [SIZES, SIZES[1:]])
def test_sam_refuses_a_bundle_with_more_cpu_than_a_slot(sizes: tuple[VmSize, ...]) -> None:
    """And advises no larger VM, which would not have a wider slot, whether or not one was offered."""
    with pytest.raises(ThreadTooLarge, match=r"one slot has 1: .* choose the mapping rsm") as refused:
        place(pipeline("work"), 5.0, Market(sizes=sizes), flat_profile("work", cpu=3.0))
    assert refused.value.pointer == "/profiles"
    assert "larger VM" not in str(refused.value)


@pytest.mark.parametrize(("rate", "used"), [(10.0, [0]), (20.0, [0, 2]), (30.0, [0, 1, 2])])
def test_sam_stays_in_a_rack_before_it_goes_to_the_next(rate: float, used: list[int]):
    vms = tuple(Vm(f"vm-{at}", 1, rack="ab"[at % 2]) for at in range(4))
    placed = place(pipeline("work"), rate, Market(existing=vms), flat_profile("work"))
    assert [at for at, vm in enumerate(placed.mapping.vms) if vm.slots[0].threads] == used
