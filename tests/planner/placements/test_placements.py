"""From topology to slots, by example: who takes a slot, in which order, on which VMs, and what is refused."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest

from planner.errors import InvalidLoad
from planner.placements.errors import (
    IdleTask,
    InvalidMapping,
    MissingProfile,
    NotEnoughSlots,
    PlacementTooLarge,
    ThreadTooLarge,
)
from planner.placements.map_collocate import map_collocated, order_topologically
from planner.placements.map_rsm import map_resource_aware
from planner.placements.map_sam import map_slot_aware
from planner.placements.mapping import (
    MappedSlot,
    MappedVm,
    MapThreads,
    Task,
    ThreadMapping,
    Vm,
    join_tasks,
    map_round_robin,
)
from planner.placements.market import Market
from planner.placements.place import Placement, Rules, compare_pairs, map_with_retries, place_topology
from planner.placements.profiles import Profile, ProfilePoint
from planner.placements.sustained_rate import predict, route_shuffled, route_slot_aware
from planner.placements.thread_allocation import (
    TaskLoad,
    allocate_lsa,
    allocate_mba,
    allocate_slots,
    find_task_loads,
)
from planner.placements.vm_acquisition import VmSize
from planner.values import Edge, Entry, Operator, Topology

SLOT_AWARE = Rules(allocate_mba, map_slot_aware, route_slot_aware)
RSM = Rules(allocate_lsa, map_resource_aware, route_slot_aware)
SIZES = (VmSize("D3", 4, 0.4), VmSize("D1", 1, 0.1))


def flat_profile(task: str, rate: float = 10.0, cpu: float = 0.4, memory: float = 0.4) -> Profile:
    return Profile(task, (ProfilePoint(1, rate, cpu, memory),))


def pipeline(*names: str, entries: tuple[Entry, ...] = ()) -> Topology:
    edges = tuple(Edge(before, after) for before, after in pairwise(names))
    return Topology(tuple(Operator(name) for name in names), edges, entries)


def place(
    topology: Topology, rate: float, market: Market, *profiles: Profile, rules: Rules = SLOT_AWARE
) -> Placement:
    return place_topology(topology, rate, {profile.task: profile for profile in profiles}, market, rules)


# -- tasks and their rates -----------------------------------------------------------------------------------


def test_a_source_or_sink_without_a_profile_takes_no_slot() -> None:
    loads = find_task_loads(pipeline("source", "work", "sink"), 5.0, {"work": flat_profile("work")})
    assert [(load.name, load.rate) for load in loads] == [("work", 5.0)]


def test_a_source_with_a_profile_takes_slots_like_any_task() -> None:
    profiles = {name: flat_profile(name) for name in ("source", "work")}
    loads = find_task_loads(pipeline("source", "work", "sink"), 5.0, profiles)
    assert [(load.name, load.upstream) for load in loads] == [("source", ()), ("work", (0,))]


def test_a_task_between_others_needs_a_profile() -> None:
    with pytest.raises(MissingProfile, match=r"work receives 5 tuples/s"):
        find_task_loads(pipeline("source", "work", "sink"), 5.0, {})


def test_a_task_that_no_tuple_reaches_is_refused() -> None:
    topology = Topology((Operator("source"), Operator("work")), (Edge("source", "work", 0.0),))
    with pytest.raises(IdleTask, match=r"work has a profile but receives 0 tuples/s"):
        find_task_loads(topology, 5.0, {"work": flat_profile("work")})


@pytest.mark.parametrize("rate", [0.0, -1.0, float("inf"), float("nan")])
def test_a_rate_that_is_no_rate_is_refused(rate: float) -> None:
    with pytest.raises(InvalidLoad, match="external_rate"):
        find_task_loads(pipeline("work"), rate, {"work": flat_profile("work")})


def test_rates_follow_selectivities_and_loops() -> None:
    topology = Topology(
        (Operator("work"), Operator("again")),
        (Edge("work", "again", 0.5), Edge("again", "work", 0.5)),
        (Entry("work", 2.0),),
    )
    loads = find_task_loads(topology, 3.0, {name: flat_profile(name) for name in ("work", "again")})
    assert [load.rate for load in loads] == pytest.approx([8.0, 4.0])
    assert [load.upstream for load in loads] == [(1,), (0,)]


def test_tasks_come_breadth_first_from_the_entries() -> None:
    edges = (Edge("a", "c"), Edge("c", "d"), Edge("a", "b"), Edge("b", "d"))
    topology = Topology(tuple(Operator(name) for name in "dcba"), edges)
    loads = find_task_loads(topology, 1.0, {name: flat_profile(name) for name in "abcd"})
    assert [load.name for load in loads] == ["a", "c", "b", "d"]


@pytest.mark.parametrize(
    ("rate", "profile", "rules", "unit"),
    [
        (1e15, flat_profile("work", rate=1e-3), SLOT_AWARE, "threads"),
        (1e15, flat_profile("work", rate=5e-324), SLOT_AWARE, "threads"),
        (300_000.0, flat_profile("work", rate=1.0), SLOT_AWARE, "threads"),
        (50.0, flat_profile("work", cpu=1e308), RSM, "slots"),
        (60_000.0, flat_profile("work", rate=1.0), RSM, "threads to map one by one"),
    ],
)
def test_what_would_not_end_is_refused_before_it_begins(
    rate: float, profile: Profile, rules: Rules, unit: str
):
    with pytest.raises(PlacementTooLarge, match="task work") as refused:
        place(pipeline("work"), rate, Market(sizes=SIZES), profile, rules=rules)
    assert refused.value.unit == unit
    assert refused.value.needed < math.inf


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


# -- one task on one VM ----------------------------------------------------------------------------------


def test_the_arithmetic_of_mba_is_shown() -> None:
    blob = Profile("blob", (ProfilePoint(1, 2, 0.067, 0.239), ProfilePoint(50, 30, 0.767, 0.314)))
    placed = place(pipeline("source", "blob", "sink"), 100.0, Market(sizes=SIZES), blob)
    (task,) = placed.allocation.tasks
    # I(τ) = 2 + 28 (τ − 1)/49 reaches the rest of 10/s at τ = 15.
    assert task.threads == 165
    assert task.detail == "3 × 30/s on 3 slots of 50; 10/s on 15 with cpu 0.267, memory 0.260429"
    assert (placed.allocation.slots, placed.mapping.slots_used, placed.hourly_price) == (4, 4, 0.4)


# -- VMs -----------------------------------------------------------------------------------------------------


def test_existing_vms_are_filled_before_any_is_bought() -> None:
    market = Market(existing=(Vm("old", 2),), sizes=SIZES)
    placed = place(pipeline("work"), 35.0, market, flat_profile("work"))
    assert [(vm.vm.name, vm.vm.size) for vm in placed.mapping.vms] == [("old", None), ("vm-1", "D3")]
    assert placed.hourly_price == 0.4


def test_a_bought_vm_takes_no_name_that_is_taken() -> None:
    market = Market(existing=(Vm("vm-1", 1),), sizes=SIZES[1:])
    placed = place(pipeline("work"), 25.0, market, flat_profile("work"))
    assert [vm.vm.name for vm in placed.mapping.vms] == ["vm-1", "vm-2", "vm-3"]


def test_too_few_vms_and_nothing_to_buy_is_an_error_with_both_numbers() -> None:
    with pytest.raises(NotEnoughSlots) as refused:
        place(pipeline("work"), 35.0, Market(existing=(Vm("old", 2),)), flat_profile("work"))
    assert (refused.value.needed, refused.value.available) == (4, 2)


def test_a_vm_too_small_for_one_thread_is_refused_by_task_and_number() -> None:
    wide = flat_profile("work", cpu=5.0)
    with pytest.raises(ThreadTooLarge, match=r"work: one thread takes 5 slots of cpu") as refused:
        place(pipeline("work"), 5.0, Market(sizes=SIZES), wide, rules=RSM)
    assert (refused.value.needed, refused.value.capacity) == (5.0, 4)


def test_sizes_too_small_for_a_thread_are_not_bought() -> None:
    wide = flat_profile("work", cpu=1.5)
    placed = place(
        pipeline("work"),
        5.0,
        Market(sizes=SIZES),
        wide,
        rules=RSM,
    )
    assert [vm.vm.size for vm in placed.mapping.vms] == ["D3"]


def test_sizes_that_are_left_out_are_named() -> None:
    placed = place(pipeline("work"), 5.0, Market(sizes=SIZES), flat_profile("work", cpu=1.5), rules=RSM)
    (said,) = (one for one in placed.diagnostics if one.code == "sizes-left-out")
    assert said.operators == ("work",)
    assert "takes 1.5 slots of cpu: VMs of D1 have fewer" in said.detail
    roomy = place(pipeline("work"), 5.0, Market(sizes=SIZES), flat_profile("work"), rules=RSM)
    assert "sizes-left-out" not in [one.code for one in roomy.diagnostics]


def test_a_refusal_names_the_sizes_that_were_too_narrow_to_buy() -> None:
    market = Market(existing=(Vm("old", 2),), sizes=SIZES[1:])
    with pytest.raises(NotEnoughSlots, match="none of D1 has cpu for one thread") as refused:
        place(pipeline("work"), 35.0, market, flat_profile("work", cpu=1.5), rules=RSM)
    assert refused.value.left_out == ("D1",)
    assert "give vm_sizes" not in str(refused.value)


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


def test_rsm_prefers_the_rack_of_the_last_thread() -> None:
    vms = (Vm("first", 1, rack="a"), Vm("elsewhere", 1, rack="b"), Vm("beside", 1, rack="a"))
    single = flat_profile("work", cpu=0.7)
    placed = place(
        pipeline("work"),
        20.0,
        Market(existing=vms),
        single,
        rules=RSM,
    )
    assert [vm.vm.name for vm in placed.mapping.vms if vm.slots[0].threads] == ["first", "beside"]


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


# -- prediction ----------------------------------------------------------------------------------------------


def map_by_hand(*slots: dict[str, int]) -> ThreadMapping:
    return ThreadMapping((MappedVm(Vm("vm", len(slots)), tuple(MappedSlot(slot, 0, 0) for slot in slots)),))


TWO = Profile("work", (ProfilePoint(1, 10.0, 0.5, 0.2), ProfilePoint(2, 12.0, 0.6, 0.3)))


def test_a_mapping_by_hand_is_predicted_under_both_routings() -> None:
    loads = [TaskLoad("work", 30.0, 2.0, TWO)]
    mapping = map_by_hand({"work": 2}, {"work": 1})
    # Slot-aware: 12 + 10 at 2 visits each. Shuffled: the two together sustain 6/s each, so three 18/s.
    assert predict(loads, mapping, route_slot_aware).rate == pytest.approx(11.0)
    assert predict(loads, mapping, route_shuffled).rate == pytest.approx(9.0)


def test_usage_is_that_of_the_rate_that_runs() -> None:
    loads = [TaskLoad("work", 6.0, 1.0, TWO)]
    found = predict(loads, map_by_hand({"work": 2}, {"work": 1}), route_shuffled, 6.0)
    two, one = found.vms[0].slots
    assert (two.cpu, two.memory) == (0.6, 0.3)
    assert (one.cpu, one.memory) == pytest.approx((0.5 * 2 / 10, 0.2 * 2 / 10))  # a third of 6/s, of 10/s
    assert found.vms[0].cpu == pytest.approx(0.7)


def test_a_rate_that_is_not_met_is_said_with_what_would_help():
    blob = Profile("blob", (ProfilePoint(1, 2, 0.067, 0.239), ProfilePoint(50, 30, 0.767, 0.314)))
    shuffled = Rules(allocate_mba, map_slot_aware, route_shuffled)
    placed = place(pipeline("source", "blob", "sink"), 100.0, Market(sizes=SIZES), blob, rules=shuffled)
    (said,) = placed.diagnostics
    assert (said.code, said.operators) == ("rate-not-met", ("blob",))
    assert "sustains 99 of 100 tuples/s" in said.detail
    assert "slot-aware" in said.detail
    assert not place(pipeline("source", "blob", "sink"), 100.0, Market(sizes=SIZES), blob).diagnostics


def test_the_binding_task_is_the_first_of_the_weakest() -> None:
    loads = [TaskLoad(name, 1.0, visits, TWO) for name, visits in (("a", 1.0), ("b", 2.0), ("c", 2.0))]
    found = predict(loads, map_by_hand({"a": 1, "b": 1, "c": 1}), route_shuffled)
    assert (found.binding_task, found.rate) == ("b", 5.0)


def test_what_no_profile_measures_is_said() -> None:
    found = predict(
        [TaskLoad("a", 1.0, 1.0, TWO), TaskLoad("b", 1.0, 1.0, TWO)],
        map_by_hand({"a": 3, "b": 1}),
        route_shuffled,
    )
    assert [(one.code, one.operators) for one in found.diagnostics] == [
        ("beyond-profile", ("a",)),
        ("mixed-slots", ()),
    ]


@pytest.mark.parametrize(
    ("slots", "pointer"),
    [
        (({"work": 1}, {"wrok": 1}), "/vms/0/slots/1/threads"),
        (({"work": 0},), "/vms/0/slots/0/threads"),
        (({},), "/vms"),
    ],
)
def test_a_mapping_that_does_not_fit_the_topology_is_refused(
    slots: tuple[dict[str, int], ...], pointer: str
) -> None:
    with pytest.raises(InvalidMapping) as refused:
        predict([TaskLoad("work", 1.0, 1.0, TWO)], map_by_hand(*slots), route_shuffled)
    assert refused.value.pointer == pointer


def test_nothing_to_place_is_no_error() -> None:
    placed = place(pipeline("source", "sink"), 5.0, Market(sizes=SIZES))
    assert (placed.allocation.slots, placed.mapping.vms, placed.prediction.binding_task) == (0, (), None)
    assert placed.prediction.rate is None, "no profile, no rate"
    assert [said.code for said in placed.diagnostics] == ["no-tasks"]
    assert predict((), ThreadMapping(()), route_shuffled).rate is None


FindMapper = Callable[..., ThreadMapping]


@pytest.mark.parametrize("mapper", [map_round_robin, map_resource_aware, map_slot_aware, map_collocated])
def test_no_mapper_minds_that_there_is_nothing_to_map(mapper: FindMapper) -> None:
    placed = place(pipeline("source", "sink"), 5.0, Market(sizes=SIZES), rules=Rules(allocate_mba, mapper))
    assert placed.mapping.slots_used == 0
