"""proportional: both requests bring their terms to the planner's call."""

from app.planning.objectives.per_operator import PROPORTIONAL
from planner.plans.proportional import proportional
from tests.app.planning.objectives.examples import LOAD, TOPOLOGY, plan_with


def test_both_requests_have_the_planners_plan():
    capacities = {"detector": 1.5}
    expected = proportional(TOPOLOGY, LOAD, 0.05, capacities, "ggk-whitt")
    assert plan_with(PROPORTIONAL, tolerance=0.05, capacities=capacities) == (expected, expected)
    assert expected != proportional(TOPOLOGY, LOAD, 0.05, None, "ggk-whitt")


def test_without_terms_growth_stops_at_a_hundredth():
    assert plan_with(PROPORTIONAL)[0] == proportional(TOPOLOGY, LOAD, 0.01, None, "ggk-whitt")
