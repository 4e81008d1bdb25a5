"""Work that waits is done in time, and more of it never takes fewer processors."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.decisions.catch_up import (
    LEAST_PART,
    CatchUpTerms,
    describe_catch_up,
    find_backlog,
    find_floors,
    find_seconds_left,
    plan_catch_up,
)
from planner.situations.situation import Situation, survey_load
from planner.topology.smoothing import smooth_window
from planner.values import DEFAULT_MODEL, Edge, Entry, InstanceLoad, Load, Operator, OperatorLoad, Topology
from tests.planner.decisions.backlogs import NAMES, SERVICE, TOPOLOGY, load_of


def situation_of(waiting: Mapping[str, float | None], topology: Topology = TOPOLOGY) -> Situation:
    return survey_load(topology, load_of(waiting), DEFAULT_MODEL)


def drain(waiting: Mapping[str, float], counts: Sequence[int], seconds: float, steps: int = 20_000) -> float:
    """The tuples that wait after so many seconds, step by step: a fluid with its own arithmetic."""
    queue = {name: waiting.get(name, 0.0) for name in NAMES}
    step = seconds / steps
    for _ in range(steps):
        served = {}
        arriving = {"parse": 50.0 * step, "store": 0.0, "out": 0.0}
        for name, count in zip(NAMES, counts, strict=True):
            served[name] = min(queue[name] + arriving[name], count * SERVICE[name] * step)
            queue[name] += arriving[name] - served[name]
            for edge in TOPOLOGY.edges:
                if edge.source == name and edge.target in arriving:
                    target = edge.target
                    if NAMES.index(target) > NAMES.index(name):
                        arriving[target] += served[name] * edge.selectivity
                    else:
                        queue[target] += served[name] * edge.selectivity
    return sum(queue.values())


@pytest.mark.parametrize(
    "waiting", [{"parse": 5000.0}, {"store": 3000.0, "out": 200.0}, {"parse": 40.0, "out": 9e3}]
)
def test_with_the_processors_found_a_fluid_has_done_the_work_in_time_and_with_one_fewer_not(
    waiting: dict[str, float],
):
    situation = situation_of(waiting)
    backlog = find_backlog(situation)
    assert backlog is not None
    floors = find_floors(situation, backlog, 60.0)
    assert floors is not None
    assert drain(waiting, floors, 60.0) < 0.02 * sum(waiting.values())
    for place in range(3):
        fewer = [count - (i == place) for i, count in enumerate(floors)]
        longer = find_seconds_left(situation, backlog, fewer)
        assert longer is None or longer > 60.0


def test_what_waits_is_work_for_all_that_follows_loops_included():
    backlog = find_backlog(situation_of({"parse": 700.0}))
    assert backlog is not None
    # parse sees 1/(1 - 1.5*0.2) = 1/0.7 of it, store 1.5 times that, out half of store's.
    assert backlog.work == pytest.approx((1000.0, 1500.0, 750.0))


@pytest.mark.parametrize("waiting", [{}, {"parse": None}, {"parse": 0.0, "out": None}])
def test_nothing_known_to_wait_is_no_backlog(waiting: dict[str, float | None]):
    situation = situation_of(waiting)
    assert find_backlog(situation) is None
    assert describe_catch_up(situation, (6, 5, 2), (6, 5, 2), None) is None


tuples = st.floats(0.0, 1e7)
times = st.floats(1.0, 1e5)


@given(st.sampled_from([None, 5, 8]), tuples, tuples, times, times)
def test_more_that_waits_or_less_time_never_takes_fewer_processors(
    most: int | None, a: float, b: float, s: float, t: float
):
    less, more = sorted((a, b))
    short, long = sorted((s, t))
    operators = (TOPOLOGY.operators[0], Operator("store", max_processors=most), TOPOLOGY.operators[2])
    bounded = replace(TOPOLOGY, operators=operators)
    one = situation_of({"parse": less + 1.0, "out": 100.0}, bounded)
    other = situation_of({"parse": more + 1.0, "out": 100.0}, bounded)
    few, many = find_backlog(one), find_backlog(other)
    assert few is not None
    assert many is not None
    lower, upper = find_floors(one, few, long), find_floors(other, many, short)
    assert lower is not None
    assert upper is not None
    assert all(low <= high for low, high in zip(lower, upper, strict=True))


def test_bounds_make_it_take_longer_and_the_shortest_time_that_they_allow_is_found():
    bounded = replace(TOPOLOGY, operators=(Operator("parse", max_processors=7), *TOPOLOGY.operators[1:]))
    situation = situation_of({"parse": 700.0}, bounded)
    backlog = find_backlog(situation)
    assert backlog is not None
    planned = plan_catch_up(situation, backlog, 10.0, None)
    assert planned is not None
    assert planned.is_bounded
    # 7·20/s less the 50/0.7 that come leave 68.6/s for 1000 tuples.
    assert planned.seconds == pytest.approx(1000.0 / (140.0 - 50.0 / 0.7), rel=0.02)
    assert planned.floors[0] == 7


def test_an_operator_at_its_bound_takes_no_processors_from_another_ones_backlog():
    apart = Topology((Operator("a", max_processors=6), Operator("b")), (), (Entry("a"), Entry("b")))
    for waiting in (0.0, 100.0, 1e6):
        a = OperatorLoad(10.0, processors=6, backlog_tuples=waiting)
        load = Load(50.0, {"a": a, "b": OperatorLoad(10.0, processors=6, backlog_tuples=3000.0)})
        situation = survey_load(apart, load, DEFAULT_MODEL)
        backlog = find_backlog(situation)
        assert backlog is not None
        floors = find_floors(situation, backlog, 60.0)
        assert floors is not None
        assert floors[1] == 11, (
            waiting
        )  # 50/s that come and 50/s of those that wait, at 10/s, and one to be stable


def test_no_more_work_reaches_an_operator_than_a_bounded_one_before_it_can_send():
    operators = (Operator("parse", max_processors=7), *TOPOLOGY.operators[1:])
    situation = situation_of({"parse": 1e7}, replace(TOPOLOGY, operators=operators))
    backlog = find_backlog(situation)
    assert backlog is not None
    floors = find_floors(situation, backlog, 10.0)
    # 7·20/s leave parse; store gets 1.5 of each and serves 40/s, out half of those and serves 80/s.
    assert floors == [7, 6, 2]


def test_what_a_bounded_operator_sends_comes_back_through_a_self_loop():
    looped = Topology(
        (Operator("parse", max_processors=7), Operator("store")),
        (Edge("parse", "store"), Edge("store", "store", 0.5)),
        (Entry("parse"),),
    )
    parse = OperatorLoad(20.0, processors=6, backlog_tuples=1e7)
    situation = survey_load(
        looped, Load(50.0, {"parse": parse, "store": OperatorLoad(33.0, processors=6)}), DEFAULT_MODEL
    )
    backlog = find_backlog(situation)
    assert backlog is not None
    # parse has 7·20 − 50 = 90/s to spare; store serves (50 + 90)/(1 − 0.5) = 280/s with 33/s each.
    assert find_floors(situation, backlog, 10.0) == [7, 9]


@given(st.floats(1e-300, 1e-3))
def test_no_time_is_shorter_than_a_service_and_no_tuple_takes_more_than_one_processor(seconds: float):
    situation = situation_of({"out": 40.0})
    backlog = find_backlog(situation)
    assert backlog is not None
    planned = plan_catch_up(situation, backlog, seconds, None)
    assert planned is not None
    assert planned.is_bounded
    assert planned.floors[2] <= 40 + 2
    assert planned.seconds is not None
    assert planned.seconds >= 0.9 / SERVICE["out"]


def test_the_hottest_key_limits_how_fast_work_is_done():
    shares = (InstanceLoad("a", 0.6), InstanceLoad("b", 0.2), InstanceLoad("c", 0.1), InstanceLoad("d", 0.1))
    keyed = Topology((Operator("count", queueing="keyed"),), (), (Entry("count"),))
    load = Load(10.0, {"count": OperatorLoad(20.0, processors=4, instances=shares, backlog_tuples=100.0)})
    situation = survey_load(keyed, load, DEFAULT_MODEL)
    backlog = find_backlog(situation)
    assert backlog is not None
    assert find_seconds_left(situation, backlog, [4]) == pytest.approx(100.0 / (20.0 / 0.6 - 10.0))


def test_behind_a_hot_key_group_no_more_is_planned_than_its_instance_can_send():
    operators = (Operator("count", queueing="keyed", max_parallelism=6), Operator("out"))
    keyed = Topology(operators, (Edge("count", "out"),), (Entry("count"),))
    count = OperatorLoad(20.0, processors=4, group_shares=(0.5, *[0.1] * 5), backlog_tuples=1e6)
    situation = survey_load(
        keyed, Load(10.0, {"count": count, "out": OperatorLoad(5.0, processors=9)}), DEFAULT_MODEL
    )
    backlog = find_backlog(situation)
    assert backlog is not None
    # The instance of the hot group serves 20/s of half the tuples, so 40/s leave count: 8 processors' work.
    floors = find_floors(situation, backlog, 10.0)
    assert floors is not None
    assert floors[1] == 8
    assert situation.stations.list_capacities(floors)[0] == pytest.approx(40.0)


def test_a_promise_is_kept_and_made_anew_once_it_has_passed():
    assert CatchUpTerms(600.0).find_seconds() == 600.0
    assert CatchUpTerms(600.0, 400.0).find_seconds() == 400.0
    assert CatchUpTerms(600.0, 3.0).find_seconds() == LEAST_PART * 600.0
    assert CatchUpTerms(600.0, -3.0).find_seconds() == 600.0
    assert CatchUpTerms(60.0, 400.0).find_seconds() == 60.0


def test_a_promise_stays_where_more_time_is_planned_for():
    late = CatchUpTerms(600.0, 3.0)
    assert (late.promised_seconds, late.find_seconds()) == (3.0, LEAST_PART * 600.0)
    said = describe_catch_up(situation_of({"parse": 500.0}), (6, 5, 2), (6, 5, 2), late)
    assert said is not None
    assert (said.left_seconds, "3 s of the time that an earlier decision set are left" in said.detail) == (
        3.0,
        True,
    )
    missed = describe_catch_up(
        situation_of({"parse": 500.0}), (6, 5, 2), (6, 5, 2), CatchUpTerms(600.0, -1.0)
    )
    assert missed is not None
    assert (missed.left_seconds, "an earlier decision set is over" in missed.detail) == (600.0, True)


def test_what_waits_is_that_of_the_newest_interval():
    loads = [load_of({"parse": 500.0}), load_of({"parse": 100.0})]
    assert smooth_window(loads, 2)[0].operators["parse"].backlog_tuples == 100.0
    assert smooth_window([*loads, load_of({})], 3)[0].operators["parse"].backlog_tuples is None
