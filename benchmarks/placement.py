"""The time of a placement by MBA and SAM for growing topologies, as ratios, and the share of each step.

The largest has 1,000 tasks, 100,000 threads and 10,000 VMs of four slots.
"""

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TypeVar

from planner.placements.mappers.mapping import Vm, join_tasks
from planner.placements.mappers.sam import map_slot_aware
from planner.placements.place import Placement, Rules, place_topology
from planner.placements.profiles import Profile, ProfilePoint
from planner.placements.sustained_rate import predict, route_slot_aware
from planner.placements.thread_allocation import allocate_mba, allocate_slots, find_task_loads
from planner.placements.vm_acquisition import Market
from planner.values import Edge, Operator, Topology

Result = TypeVar("Result")
REPEATS = 3
THREADS_PER_BUNDLE = 5  # five threads a slot: 100,000 threads take 20,000 slots and more
LARGEST = 1_000


@dataclass(frozen=True)
class Case:
    """A pipeline of tasks, each with some hundred threads, and VMs for all of them."""

    topology: Topology
    profiles: dict[str, Profile]
    vms: tuple[Vm, ...]


def build_case(tasks: int) -> Case:
    """Tasks whose profiles differ, so that partial bundles of all sizes meet."""
    names = [f"task-{number}" for number in range(tasks)]
    profiles = {}
    for number, name in enumerate(names):
        single = 4.0 + number % 7
        cpu, memory = 0.1 + 0.05 * (number % 6), 0.05 + 0.04 * (number % 9)
        best = ProfilePoint(
            THREADS_PER_BUNDLE, 1000.0 / 20.3 + number % 3, min(0.95, cpu * 2), min(0.9, memory * 2)
        )
        profiles[name] = Profile(name, (ProfilePoint(1, single, cpu, memory), best))
    edges = tuple(Edge(before, after) for before, after in pairwise(names))
    topology = Topology(tuple(Operator(name) for name in names), edges)
    return Case(topology, profiles, tuple(Vm(f"vm-{number}", 4) for number in range(10 * tasks)))


def place(case: Case) -> Placement:
    """A whole placement: rates, allocation, mapping and prediction."""
    return place_topology(
        case.topology,
        1000.0,
        case.profiles,
        Market(existing=case.vms),
        Rules(allocate_mba, map_slot_aware, route_slot_aware),
    )


def measure_seconds(work: Callable[[], Result]) -> tuple[float, Result]:
    """The shortest time of several calls, and the last result."""
    best, result = float("inf"), work()
    for _ in range(REPEATS):
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    return best, result


def report_growth() -> None:
    """Prints the time per thread as a ratio to the smallest case: 1.0 everywhere would be exactly linear."""
    print("MBA + SAM: cost per thread, relative to the first row")
    base = None
    for tasks in (LARGEST // 8, LARGEST // 4, LARGEST // 2, LARGEST):
        case = build_case(tasks)
        seconds, placement = measure_seconds(partial(place, case))
        threads = sum(task.threads for task in placement.allocation.tasks)
        base = base or seconds / threads
        print(
            f"  {tasks:5} tasks {threads:7} threads {len(case.vms):6} VMs "
            f"{placement.mapping.slots_used:6} slots: {seconds / threads / base:5.2f}"
        )


def report_steps() -> None:
    """Prints the share of each step in the time of the largest case."""
    case = build_case(LARGEST)
    total, placement = measure_seconds(partial(place, case))
    loads = find_task_loads(case.topology, 1000.0, case.profiles)
    allocation = allocate_slots(loads, allocate_mba)
    tasks = join_tasks(loads, allocation.tasks)
    steps: dict[str, Callable[[], object]] = {
        "rates": lambda: find_task_loads(case.topology, 1000.0, case.profiles),
        "allocation": lambda: allocate_slots(loads, allocate_mba),
        "mapping": lambda: map_slot_aware(tasks, case.vms),
        "prediction": lambda: predict(loads, placement.mapping, route_slot_aware, 1000.0),
    }
    print("share of the largest case")
    for name, step in steps.items():
        print(f"  {name:11} {measure_seconds(step)[0] / total:6.1%}")


def main() -> None:
    report_growth()
    report_steps()
    peak_megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1024 if sys.platform == "linux" else 1024**2
    )
    print(f"most memory held: {peak_megabytes:.0f} MB")


if __name__ == "__main__":
    main()
