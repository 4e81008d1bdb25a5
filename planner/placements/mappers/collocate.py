"""Collocation (Mc-Stream, Algorithm 3): each thread goes to a VM with upstream threads and no
thread of its own task.
"""

from collections.abc import Sequence

import numpy as np

from planner.placements.errors import ThreadTooLarge
from planner.placements.mappers.mapping import FIT_TOLERANCE, NoRoom, Task, ThreadMapping, Vm
from planner.placements.mappers.rsm import (
    DISTANCE_DIGITS,
    MOST_ONE_BY_ONE,
    Marks,
    VmLedger,
    ask_for_more,
    refuse_hopeless,
)
from planner.placements.thread_allocation import refuse_excess


def map_collocated(tasks: Sequence[Task], vms: Sequence[Vm]) -> ThreadMapping:
    """Maps threads to VMs, upstream tasks first; each thread goes to the freest VM of the best kind that has room.

    The kinds, best first: VMs with an upstream thread and no thread of the same task; VMs without a thread of the same
    task; any VM. The freest VM has the largest sum of free cpu and memory; among equals the first. A thread takes an
    equal share of its task's allocation, as cpu of the VM and as memory of one slot.
    """
    if not vms:
        raise NoRoom
    check_shares(tasks, vms)
    refuse_hopeless([(task.threads, *find_share(task)) for task in tasks], vms)
    ledger = VmLedger(vms)
    placed = 0
    running: list[Marks] = [np.zeros(len(vms), dtype=np.bool_) for _ in tasks]
    for at in order_topologically(tasks):
        task = tasks[at]
        fed = np.logical_or.reduce(
            [running[feeder] for feeder in task.upstream] or [np.zeros_like(running[at])]
        )
        cpu, memory = find_share(task)
        for _ in range(task.threads):
            fits = ledger.find_fitting(cpu, memory)
            alone = fits & ~running[at]
            together = alone & fed
            kind = next((marks for marks in (together, alone, fits) if marks.any()), None)
            if kind is None:
                raise ask_for_more(len(ledger.slots.vm_of), placed)
            free = np.round(ledger.free_cpu + ledger.free_memory, DISTANCE_DIGITS)
            freest = int(np.where(kind, free, -np.inf).argmax())
            ledger.put(freest, task.name, cpu, memory)
            running[at][freest] = True
            placed += 1
    return ledger.slots.close()


def find_share(task: Task) -> tuple[float, float]:
    """Returns the cpu and memory of each thread of a task: an equal share of the task's allocation."""
    return task.cpu / max(1, task.threads), task.memory / max(1, task.threads)


def check_shares(tasks: Sequence[Task], vms: Sequence[Vm]) -> None:
    """Raises ThreadTooLarge if a thread needs more cpu than the largest VM has, or more memory than one slot has."""
    refuse_excess({task.name: task.threads for task in tasks}, MOST_ONE_BY_ONE, "threads to map one by one")
    largest = max(vms, key=lambda vm: vm.slots)
    for task in tasks:
        for resource, total, capacity, place in (
            ("cpu", task.cpu, largest.slots, f"the largest VM, {largest.name},"),
            ("memory", task.memory, 1, "one slot"),
        ):
            share = total / max(1, task.threads)
            if share > capacity + FIT_TOLERANCE:
                raise ThreadTooLarge(task.name, 1, resource, share, capacity, place)


def order_topologically(tasks: Sequence[Task]) -> list[int]:
    """The positions of tasks, upstream tasks first; a loop is entered at its first task in breadth-first order."""
    waiting = [len(task.upstream) for task in tasks]
    fed_by: list[list[int]] = [[] for _ in tasks]
    for at, task in enumerate(tasks):
        for feeder in task.upstream:
            fed_by[feeder].append(at)
    order: dict[int, None] = {}
    # Tasks without upstream tasks come first; tasks that these do not reach are in a loop, or behind one.
    for start in [*(at for at, count in enumerate(waiting) if not count), *range(len(tasks))]:
        ready = [] if start in order else [start]
        for at in ready:  # the loop appends to it
            order[at] = None
            for after in fed_by[at]:
                waiting[after] -= 1
                if not waiting[after] and after not in order:
                    ready.append(after)
    return list(order)
