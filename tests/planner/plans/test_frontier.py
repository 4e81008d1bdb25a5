"""The frontier is what a plan of each total would answer, and falls."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import BoundTooSmall
from planner.plans.estimation import Situation, survey_load
from planner.plans.frontier import list_totals, sweep_frontier
from planner.plans.optimal import min_latency
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
