"""The frontier is what a plan of each total would answer, and falls."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import BoundTooSmall
from planner.plans.frontier import list_totals, sweep_frontier
from planner.plans.optimal import min_latency
from planner.queueing.stations import FEW_OPERATORS
from planner.situations.situation import Situation, survey_load
from planner.values import DEFAULT_MODEL, Edge, Entry, Load, Operator, OperatorLoad, Topology

NAMES = ("parse", "score", "store")
TOPOLOGY = Topology(
    tuple(Operator(name) for name in NAMES),
    (Edge("parse", "score", 2.0), Edge("score", "store", 0.5)),
    (Entry("parse"),),
)
QUEUED = Topology(
    (Operator("parse", queueing="round-robin"), Operator("score", queueing="keyed"), Operator("store")),
    TOPOLOGY.edges,
    TOPOLOGY.entries,
)


def load_of(rate: float) -> Load:
    return Load(rate, {"parse": OperatorLoad(20.0), "score": OperatorLoad(35.0), "store": OperatorLoad(9.0)})


def survey(topology: Topology, rate: float) -> Situation:
    return survey_load(topology, load_of(rate), DEFAULT_MODEL, is_open=True)


@pytest.mark.parametrize("topology", [TOPOLOGY, QUEUED])
@pytest.mark.parametrize("rate", [1.0, 100.0])
def test_each_point_is_the_best_split_of_its_total(topology: Topology, rate: float):
    points = sweep_frontier(survey(topology, rate), 40)
    assert points[0].operator is None
    for point in points:
        plan = min_latency(topology, load_of(rate), point.processors_total)
        assert point.expected_sojourn_seconds == pytest.approx(
            plan.estimate.expected_sojourn_seconds, rel=1e-12
        )
    assert [b.processors_total - a.processors_total for a, b in pairwise(points)] == [1] * (len(points) - 1)


@pytest.mark.parametrize("queueing", ["shared", "round-robin"])
def test_the_frontier_of_many_operators_begins_with_the_fewest_and_goes_on(queueing: str):
    names = [f"o{i}" for i in range(FEW_OPERATORS + 1)]
    topology = Topology(tuple(Operator(name, queueing=queueing) for name in names), (), (Entry(names[0]),))
    topology = replace(topology, entries=tuple(Entry(name) for name in names))
    load = Load(9.0, {name: OperatorLoad(5.0 + 0.1 * i) for i, name in enumerate(names)})
    fewest = 2 * 41 + 8  # 9/(5 + 0.1·i) needs one processor from i = 41, where it is nearly busy all the time
    points = sweep_frontier(survey_load(topology, load, DEFAULT_MODEL, is_open=True), fewest + 9)
    assert [point.processors_total for point in points] == list(range(fewest, fewest + 10))
    for point in points:
        plan = min_latency(topology, load, point.processors_total).estimate
        assert point.expected_sojourn_seconds == pytest.approx(plan.expected_sojourn_seconds, rel=1e-12)
    assert points[1].operator == "o41"


@given(st.floats(1.0, 1e6), st.integers(2, 60))
def test_the_frontier_falls_and_has_no_more_points_than_asked_for(rate: float, most: int):
    situation = survey(TOPOLOGY, rate)
    first = sweep_frontier(situation, 0)[0].processors_total
    points = sweep_frontier(situation, 3 * first, most)
    assert len(points) <= most + 2
    assert all(
        a.expected_sojourn_seconds >= (1 - 1e-12) * b.expected_sojourn_seconds for a, b in pairwise(points)
    )
    assert all(point.operator in NAMES for point in points[1:])


def test_the_operator_named_is_the_one_that_gains():
    points = sweep_frontier(survey(TOPOLOGY, 100.0), 30)
    for before, after in pairwise(points):
        few = min_latency(TOPOLOGY, load_of(100.0), before.processors_total).processors
        many = min_latency(TOPOLOGY, load_of(100.0), after.processors_total).processors
        assert [name for name in NAMES if many[name] > few[name]] == [after.operator]


@given(st.integers(1, 10**6), st.integers(0, 10**7), st.integers(2, 300))
def test_totals_rise_from_the_first_to_the_last(first: int, more: int, most: int):
    totals = list_totals(first, first + more, most)
    assert totals == sorted(set(totals))
    assert len(totals) <= most + 1
    assert not more or (totals[0], totals[-1]) == (first + 1, first + more)


def test_bounds_that_do_not_keep_up_are_refused():
    bounded = Topology((Operator("parse", max_processors=2),), (), (Entry("parse"),))
    with pytest.raises(BoundTooSmall):
        sweep_frontier(survey_load(bounded, Load(100.0, {"parse": OperatorLoad(20.0)}), DEFAULT_MODEL), 20)
