"""Collocation against the published loop, and the order in which it takes the tasks."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from planner.placements.mappers.collocate import map_collocated, order_topologically
from planner.placements.mappers.mapping import Task, Vm, join_tasks
from planner.placements.place import Rules
from planner.placements.thread_allocation import TaskLoad, allocate_lsa, allocate_mba, allocate_slots
from planner.placements.vm_acquisition import Market
from tests.planner.placements.examples import flat_profile, pipeline, place
from tests.planner.placements.random_loads import any_loads, list_threads


def literal_collocation(
    tasks: Sequence[Task], order: Sequence[int], vms: Sequence[Vm]
) -> list[dict[str, int]] | None:
    """Mc-Stream's Algorithm 3, steps 14 to 27, with nodes sorted anew for every instance."""
    cpu = [float(vm.slots) for vm in vms]
    memory = [[1.0] * vm.slots for vm in vms]
    placed: list[list[dict[str, int]]] = [[{} for _ in range(vm.slots)] for vm in vms]
    for task in (tasks[at] for at in order):
        c, m = task.cpu / task.threads, task.memory / task.threads
        feeders = {tasks[feeder].name for feeder in task.upstream}
        for _ in range(task.threads):
            queue = sorted(range(len(vms)), key=lambda vm: (-round(cpu[vm] + sum(memory[vm]), 9), vm))
            able = [vm for vm in queue if cpu[vm] >= c - 1e-9 and max(memory[vm]) >= m - 1e-9]
            runs = {vm: set().union(*placed[vm]) for vm in able}
            alone = [vm for vm in able if task.name not in runs[vm]]
            chosen = next(iter([*(vm for vm in alone if runs[vm] & feeders), *alone, *able]), None)
            if chosen is None:
                return None
            slot = next(at for at, left in enumerate(memory[chosen]) if left >= m - 1e-9)
            cpu[chosen] -= c
            memory[chosen][slot] -= m
            placed[chosen][slot][task.name] = placed[chosen][slot].get(task.name, 0) + 1
    return [slot for vm in placed for slot in vm]


@given(any_loads(most_tasks=4), st.integers(0, 6))
def test_collocation_is_the_published_loop(loads: list[TaskLoad], spare: int) -> None:
    allocation = allocate_slots(loads, allocate_lsa)
    tasks = join_tasks(loads, allocation.tasks)
    vms = [Vm(f"vm-{at}", 1 + at % 3) for at in range(allocation.slots + spare)]
    expected = literal_collocation(tasks, order_topologically(tasks), vms)
    assert list_threads(map_collocated, tasks, vms) == expected


@given(any_loads(most_tasks=8))
def test_topological_order_puts_feeders_first(loads: list[TaskLoad]) -> None:
    tasks = join_tasks(loads, allocate_slots(loads, allocate_mba).tasks)
    order = order_topologically(tasks)
    assert sorted(order) == list(range(len(tasks)))
    place = {at: turn for turn, at in enumerate(order)}
    assert all(place[feeder] < place[at] for at, task in enumerate(tasks) for feeder in task.upstream)


def test_collocation_puts_threads_beside_their_feeders_and_away_from_siblings() -> None:
    profiles = (flat_profile("first", cpu=0.2, memory=0.2), flat_profile("second", cpu=0.2, memory=0.2))
    market = Market(existing=tuple(Vm(f"vm-{at}", 2) for at in range(4)))
    placed = place(
        pipeline("first", "second"), 20.0, market, *profiles, rules=Rules(allocate_mba, map_collocated)
    )
    together = [
        sorted(name for slot in vm.slots for name in slot.threads)
        for vm in placed.mapping.vms
        if any(slot.threads for slot in vm.slots)
    ]
    assert together == [["first", "second"], ["first", "second"]]


def test_a_loop_is_entered_at_its_first_task() -> None:
    tasks = [
        Task(str(at), 1, 1, 0.1, 0.1, flat_profile(str(at)), up) for at, up in enumerate([(2,), (0,), (1,)])
    ]
    assert order_topologically(tasks) == [0, 1, 2]
