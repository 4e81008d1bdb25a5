"""Any tasks with any profiles, for laws of placement, and the mappers that they are placed by."""

from collections import Counter
from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from planner.placements.mappers.collocate import map_collocated
from planner.placements.mappers.mapping import MapThreads, NoRoom, Task, ThreadMapping, Vm, map_round_robin
from planner.placements.mappers.rsm import map_resource_aware
from planner.placements.mappers.sam import map_slot_aware
from planner.placements.profiles import Profile, ProfilePoint
from planner.placements.thread_allocation import TaskLoad
from planner.placements.vm_acquisition import Market, VmSize

MAPPERS: dict[str, MapThreads] = {
    "dsm": map_round_robin,
    "rsm": map_resource_aware,
    "sam": map_slot_aware,
    "collocate": map_collocated,
}

MARKET = Market(sizes=(VmSize("D1", 1, 0.1), VmSize("D2", 2, 0.2), VmSize("D3", 4, 0.4)))


@st.composite
def any_profile(draw: st.DrawFn, task: str = "task") -> Profile:
    threads = sorted({1, *draw(st.lists(st.integers(2, 20), max_size=3))})
    share = st.floats(0.001, 1)
    return Profile(
        task, tuple(ProfilePoint(t, draw(st.floats(1, 100)), draw(share), draw(share)) for t in threads)
    )


@st.composite
def any_loads(draw: st.DrawFn, most_tasks: int = 5) -> list[TaskLoad]:
    """Tasks fed by any tasks before them, with rates that need up to some dozens of threads."""
    loads: list[TaskLoad] = []
    external_rate = draw(st.floats(1, 100))
    for at in range(draw(st.integers(1, most_tasks))):
        visits = draw(st.sampled_from((0.25, 1.0, 2.0, 3.0)))
        upstream = draw(st.sets(st.integers(0, at - 1), max_size=3)) if at else set()
        profile = draw(any_profile(f"task-{at}"))
        loads.append(TaskLoad(f"task-{at}", visits * external_rate, visits, profile, tuple(sorted(upstream))))
    return loads


def external_rate_of(loads: Sequence[TaskLoad]) -> float:
    return loads[0].rate / loads[0].visits


def count_threads(mapping: ThreadMapping) -> Counter[str]:
    total: Counter[str] = Counter()
    for vm in mapping.vms:
        for slot in vm.slots:
            total.update(slot.threads)
    return total


def list_threads(
    map_threads: MapThreads, tasks: Sequence[Task], vms: Sequence[Vm]
) -> list[Mapping[str, int]] | None:
    """The threads by task on each slot of these VMs, None where the mapper has no room."""
    try:
        mapping = map_threads(tasks, vms)
    except NoRoom:
        return None
    return [slot.threads for vm in mapping.vms for slot in vm.slots]
