"""Tasks, their rates and their threads: LSA and MBA against the published loops, and what is refused."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from planner.errors import InvalidLoad
from planner.placements.errors import IdleTask, MissingProfile, PlacementTooLarge
from planner.placements.place import Rules
from planner.placements.profiles import Profile, ProfilePoint
from planner.placements.thread_allocation import (
    TaskLoad,
    allocate_lsa,
    allocate_mba,
    allocate_slots,
    find_dips,
    find_task_loads,
)
from planner.placements.vm_acquisition import Market
from planner.values import Edge, Entry, Operator, Topology
from tests.planner.placements.examples import RSM, SIZES, SLOT_AWARE, flat_profile, pipeline, place
from tests.planner.placements.random_loads import any_loads


def test_a_source_or_sink_without_a_profile_takes_no_slot() -> None:
    loads = find_task_loads(pipeline("source", "work", "sink"), 5.0, {"work": flat_profile("work")})
    assert [(load.name, load.rate) for load in loads] == [("work", 5.0)]


def test_a_source_with_a_profile_takes_slots_like_any_task() -> None:
    profiles = {name: flat_profile(name) for name in ("source", "work")}
    loads = find_task_loads(pipeline("source", "work", "sink"), 5.0, profiles)
    assert [(load.name, load.upstream) for load in loads] == [("source", ()), ("work", (0,))]


def test_a_task_between_others_needs_a_profile() -> None:
    with pytest.raises(MissingProfile, match=r"work receives 5/s"):
        find_task_loads(pipeline("source", "work", "sink"), 5.0, {})


def test_a_task_that_no_tuple_reaches_is_refused() -> None:
    topology = Topology((Operator("source"), Operator("work")), (Edge("source", "work", 0.0),))
    with pytest.raises(IdleTask, match=r"work has a profile but receives 0/s"):
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


def test_the_arithmetic_of_mba_is_shown() -> None:
    blob = Profile("blob", (ProfilePoint(1, 2, 0.067, 0.239), ProfilePoint(50, 30, 0.767, 0.314)))
    placed = place(pipeline("source", "blob", "sink"), 100.0, Market(sizes=SIZES), blob)
    (task,) = placed.allocation.tasks
    # I(τ) = 2 + 28 (τ − 1)/49 reaches the rest of 10/s at τ = 15.
    assert task.threads == 165
    assert task.detail == "3 × 30/s on 3 slots of 50; 10/s on 15 with cpu 0.267, memory 0.260429"
    assert (placed.allocation.slots, placed.mapping.slots_used, placed.hourly_price) == (4, 4, 0.4)


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
