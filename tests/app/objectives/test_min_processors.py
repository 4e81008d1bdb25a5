"""min_processors: both requests bring their terms to the planner's call."""

from app.objectives.min_processors import MIN_PROCESSORS
from planner.plans.optimal import min_processors
from tests.app.objectives.examples import LOAD, TOPOLOGY, plan_with


def test_both_requests_have_the_planners_plan():
    expected = min_processors(TOPOLOGY, LOAD, 0.08, "mmk")
    assert plan_with(MIN_PROCESSORS, t_max_seconds=0.08, model="mmk") == (expected, expected)
