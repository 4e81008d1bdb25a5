"""RSM against the published loop, the bounds that spare it tries, and its racks."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.placements.mappers.mapping import NoRoom, Task, ThreadMapping, Vm, join_tasks
from planner.placements.mappers.rsm import DistanceWeights, map_resource_aware, refuse_hopeless
from planner.placements.place import Rules
from planner.placements.profiles import Profile, ProfilePoint
from planner.placements.thread_allocation import TaskLoad, allocate_lsa, allocate_slots
from planner.placements.vm_acquisition import Market
from tests.planner.placements.examples import RSM, SIZES, flat_profile, pipeline, place
from tests.planner.placements.random_loads import any_loads


def literal_rsm(tasks: Sequence[Task], vms: Sequence[Vm]) -> list[dict[str, int]] | None:
    """Algorithm 5 with sorted VMs and plain lists; None where a thread finds no slot."""
    cpu = [float(vm.slots) for vm in vms]
    memory = [[1.0] * vm.slots for vm in vms]
    placed: list[list[dict[str, int]]] = [[{} for _ in range(vm.slots)] for vm in vms]
    left = {task.name: task.threads for task in tasks}
    reference = 0

    def network(vm: int) -> float:
        if vm == reference:
            return 0.0
        here = vms[vm].rack
        return 0.5 if here is not None and here == vms[reference].rack else 1.0

    while any(left.values()):
        for task in tasks:
            if not left[task.name]:
                continue
            c, m = task.profile.points[0].cpu, task.profile.points[0].memory
            by_distance = sorted(
                range(len(vms)),
                key=lambda vm: (round((m - sum(memory[vm])) ** 2 + (c - cpu[vm]) ** 2 + network(vm), 9), vm),
            )
            fitting = (
                (vm, slot)
                for vm in by_distance
                if cpu[vm] >= c - 1e-9
                for slot in range(vms[vm].slots)
                if memory[vm][slot] >= m - 1e-9
            )
            found = next(fitting, None)
            if found is None:
                return None
            vm, slot = found
            cpu[vm] -= c
            memory[vm][slot] -= m
            placed[vm][slot][task.name] = placed[vm][slot].get(task.name, 0) + 1
            left[task.name] -= 1
            reference = vm
    return [slot for vm in placed for slot in vm]


@given(any_loads(most_tasks=4), st.integers(0, 3))
def test_rsm_is_the_published_loop(loads: list[TaskLoad], spare: int) -> None:
    allocation = allocate_slots(loads, allocate_lsa)
    tasks = join_tasks(loads, allocation.tasks)
    sizes = [1 + at % 3 for at in range(allocation.slots + spare)]
    vms = [Vm(f"vm-{at}", slots, rack=(None, "a", "b")[at % 3]) for at, slots in enumerate(sizes)]
    expected = literal_rsm(tasks, vms)
    if expected is None:
        with pytest.raises(NoRoom):
            map_resource_aware(tasks, vms)
    else:
        mapping = map_resource_aware(tasks, vms, DistanceWeights())
        assert [slot.threads for vm in mapping.vms for slot in vm.slots] == expected


@given(any_loads(most_tasks=4), st.integers(0, 6), st.sampled_from([1, 2, 4]))
def test_what_is_called_hopeless_has_no_room_in_the_published_loops(
    loads: list[TaskLoad], spare: int, size: int
) -> None:
    """The bounds that spare a try never refuse what the mapper itself would have placed."""
    allocation = allocate_slots(loads, allocate_lsa)
    tasks = join_tasks(loads, allocation.tasks)
    vms = [Vm(f"vm-{at}", size) for at in range(allocation.slots // size + spare)]
    singles = [(task.threads, task.profile.single.cpu, task.profile.single.memory) for task in tasks]
    try:
        refuse_hopeless(singles, vms)
    except NoRoom as hopeless:
        fewer = [Vm(f"vm-{at}", size) for at in range(len(vms) + (hopeless.missing - 1) // size)]
        assert literal_rsm(tasks, fewer) is None


def test_threads_that_fit_twice_on_a_slot_are_asked_slots_for_at_once() -> None:
    """Two of .34 fill a slot as far as they can; the slots for all are asked for in one retry, not in 1,067."""
    profile = Profile("work", (ProfilePoint(1, 2, 0.34, 0.34), ProfilePoint(10, 15, 0.9, 0.9)))
    tries: list[int] = []

    def count_tries(tasks: Sequence[Task], vms: Sequence[Vm]) -> ThreadMapping:
        tries.append(len(vms))
        return map_resource_aware(tasks, vms)

    placed = place(
        pipeline("work"), 4000.0, Market(sizes=SIZES[1:]), profile, rules=Rules(map_threads=count_tries)
    )
    assert tries == [267, 1334]
    assert (placed.retries, placed.mapping.slots_used) == (1067, 1334)


def test_rsm_prefers_the_rack_of_the_last_thread() -> None:
    vms = (Vm("first", 1, rack="a"), Vm("elsewhere", 1, rack="b"), Vm("beside", 1, rack="a"))
    single = flat_profile("work", cpu=0.7)
    placed = place(pipeline("work"), 20.0, Market(existing=vms), single, rules=RSM)
    assert [vm.vm.name for vm in placed.mapping.vms if vm.slots[0].threads] == ["first", "beside"]
