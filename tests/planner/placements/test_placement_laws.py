"""What holds for any topology, profile and rate; allocations and mappers against references of their own."""

import math
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from planner.placements.map_collocate import map_collocated, order_topologically
from planner.placements.map_rsm import DistanceWeights, map_resource_aware, refuse_hopeless
from planner.placements.map_sam import map_slot_aware
from planner.placements.mapping import (
    MapThreads,
    NoRoom,
    Task,
    ThreadMapping,
    Vm,
    join_tasks,
    map_round_robin,
)
from planner.placements.market import Market
from planner.placements.place import Rules, place_loads
from planner.placements.profiles import Profile, ProfilePoint
from planner.placements.sustained_rate import predict, route_shuffled, route_slot_aware
from planner.placements.thread_allocation import (
    TaskLoad,
    allocate_lsa,
    allocate_mba,
    allocate_slots,
    find_dips,
)
from planner.placements.vm_acquisition import VmSize
from tests.planner.placements.rates import read_rate

MAPPERS: dict[str, MapThreads] = {
    "dsm": map_round_robin,
    "rsm": map_resource_aware,
    "sam": map_slot_aware,
    "collocate": map_collocated,
}
MARKET = Market(sizes=(VmSize("D1", 1, 0.1), VmSize("D2", 2, 0.2), VmSize("D3", 4, 0.4)))
BIT_MORE = 1 + 1e-9


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


# -- allocation ----------------------------------------------------------------------------------------------


def literal_lsa(load: TaskLoad) -> tuple[int, float, float]:
    """Algorithm 2, line by line."""
    point = load.profile.points[0]
    threads, cpu, memory, rate = 0, 0.0, 0.0, load.rate
    while rate >= point.peak_rate:
        threads, cpu, memory, rate = (
            threads + 1,
            cpu + point.cpu,
            memory + point.memory,
            rate - point.peak_rate,
        )
    if rate > 0:
        share = rate / point.peak_rate
        threads, cpu, memory = threads + 1, cpu + point.cpu * share, memory + point.memory * share
    return threads, cpu, memory


def literal_mba(load: TaskLoad) -> tuple[int, float, float]:
    """Algorithm 3, line by line."""
    points, profile = load.profile.points, load.profile
    best = max(points, key=lambda point: (point.peak_rate, -point.threads))
    threads, cpu, memory, rate = 0, 0.0, 0.0, load.rate
    while rate >= best.peak_rate:
        threads, cpu, memory, rate = threads + best.threads, cpu + 1, memory + 1, rate - best.peak_rate
    if rate > 0:
        more = next(t for t in range(1, best.threads + 1) if profile.interpolate(t).peak_rate >= rate)
        point = profile.interpolate(more)
        share = rate / points[0].peak_rate if more == 1 else 1.0
        threads, cpu, memory = threads + more, cpu + point.cpu * share, memory + point.memory * share
    return threads, cpu, memory


@given(any_loads())
def test_allocations_are_those_of_the_published_loops(loads: list[TaskLoad]) -> None:
    for load in loads:
        for peak in (load.profile.points[0].peak_rate, load.profile.best.peak_rate):
            # Where the rate is a multiple but for rounding, the literal loop ends on either side of it.
            rest = math.fmod(load.rate, peak) / peak
            assume(1e-9 < rest < 1 - 1e-9 or load.rate < peak)
        for allocate, literal in ((allocate_lsa, literal_lsa), (allocate_mba, literal_mba)):
            found, (threads, cpu, memory) = allocate(load), literal(load)
            assert found.threads == threads
            assert math.isclose(found.cpu, cpu, rel_tol=1e-9)
            assert math.isclose(found.memory, memory, rel_tol=1e-9)


@given(any_loads(), st.floats(1, 3))
def test_a_larger_rate_needs_fewer_mba_slots_only_where_the_answer_says_so(
    loads: list[TaskLoad], factor: float
) -> None:
    more = [
        TaskLoad(load.name, load.rate * factor, load.visits, load.profile, load.upstream) for load in loads
    ]
    if allocate_slots(more, allocate_mba).slots < allocate_slots(loads, allocate_mba).slots:
        assert find_dips(more)


def test_a_profile_that_takes_less_with_more_threads_is_said_to_dip() -> None:
    profile = Profile("task", (ProfilePoint(1, 10.0, 1.0, 0.9), ProfilePoint(2, 20.0, 0.3, 0.2)))
    low, high = (TaskLoad("task", rate, 1.0, profile) for rate in (10.0, 15.0))
    twice = [TaskLoad("other", 6.0, 1.0, profile)]
    assert (
        allocate_slots([low, *twice], allocate_mba).slots > allocate_slots([high, *twice], allocate_mba).slots
    )
    assert [one.operators for one in find_dips([high])] == [("task",)]
    assert not find_dips([low])


@given(any_loads(), st.floats(1, 3))
def test_a_larger_rate_never_needs_fewer_lsa_slots(loads: list[TaskLoad], factor: float) -> None:
    more = [
        TaskLoad(load.name, load.rate * factor, load.visits, load.profile, load.upstream) for load in loads
    ]
    assert allocate_slots(more, allocate_lsa).slots >= allocate_slots(loads, allocate_lsa).slots


# -- mapping -------------------------------------------------------------------------------------------------


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
def test_mba_and_sam_sustain_the_asked_rate_when_routing_knows_the_slots(loads: list[TaskLoad]) -> None:
    asked = external_rate_of(loads)
    placed = place_loads(loads, asked, MARKET, Rules(allocate_mba, map_slot_aware, route_slot_aware))
    assert read_rate(placed.prediction) >= asked * (1 - 1e-11)


@given(any_loads(), st.sampled_from(sorted(MAPPERS)))
def test_shuffling_sustains_no_more_than_routing_that_knows_the_slots(
    loads: list[TaskLoad], mapper: str
) -> None:
    placed = place_loads(
        loads, external_rate_of(loads), MARKET, Rules(allocate_mba, MAPPERS[mapper], route_slot_aware)
    )
    shuffled = predict(loads, placed.mapping, route_shuffled)
    aware = predict(loads, placed.mapping, route_slot_aware)
    assert read_rate(shuffled) <= read_rate(aware) * (1 + 1e-12)


def find_overloads(loads: Sequence[TaskLoad], mapping: ThreadMapping, rate: float) -> int:
    """Slots that receive more of a task than its threads there sustain, with an equal share to each thread."""
    totals = count_threads(mapping)
    overloaded = 0
    for load in loads:
        for vm in mapping.vms:
            for slot in vm.slots:
                count = slot.threads.get(load.name, 0)
                arriving = rate * load.visits * count / totals[load.name]
                overloaded += count > 0 and arriving > load.profile.interpolate(count).peak_rate
    return overloaded


@given(any_loads(), st.sampled_from(sorted(MAPPERS)))
def test_at_the_predicted_rate_every_slot_keeps_up_and_above_it_one_does_not(
    loads: list[TaskLoad], mapper: str
) -> None:
    placed = place_loads(
        loads, external_rate_of(loads), MARKET, Rules(allocate_mba, MAPPERS[mapper], route_shuffled)
    )
    rate = read_rate(placed.prediction)
    assert find_overloads(loads, placed.mapping, rate * (1 - 1e-9)) == 0
    assert find_overloads(loads, placed.mapping, rate * (1 + 1e-9)) > 0


@given(any_loads(), st.sampled_from(sorted(MAPPERS)))
def test_the_same_question_has_the_same_answer(loads: list[TaskLoad], mapper: str) -> None:
    first, second = (
        place_loads(
            loads, external_rate_of(loads), MARKET, Rules(allocate_mba, MAPPERS[mapper], route_shuffled)
        )
        for _ in range(2)
    )
    assert first == second


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
    if expected is None:
        with pytest.raises(NoRoom):
            map_slot_aware(tasks, vms)
    else:
        mapping = map_slot_aware(tasks, vms)
        assert [slot.threads for vm in mapping.vms for slot in vm.slots] == expected


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
    if expected is None:
        with pytest.raises(NoRoom):
            map_collocated(tasks, vms)
    else:
        mapping = map_collocated(tasks, vms)
        assert [slot.threads for vm in mapping.vms for slot in vm.slots] == expected


@given(any_loads())
def test_round_robin_loads_all_slots_with_as_many_threads_but_one(loads: list[TaskLoad]) -> None:
    placed = place_loads(
        loads, external_rate_of(loads), MARKET, Rules(allocate_lsa, map_round_robin, route_shuffled)
    )
    counts = [sum(slot.threads.values()) for vm in placed.mapping.vms for slot in vm.slots]
    assert max(counts) - min(counts) <= 1


@given(any_loads(most_tasks=8))
def test_topological_order_puts_feeders_first(loads: list[TaskLoad]) -> None:
    tasks = join_tasks(loads, allocate_slots(loads, allocate_mba).tasks)
    order = order_topologically(tasks)
    assert sorted(order) == list(range(len(tasks)))
    place = {at: turn for turn, at in enumerate(order)}
    assert all(place[feeder] < place[at] for at, task in enumerate(tasks) for feeder in task.upstream)


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
