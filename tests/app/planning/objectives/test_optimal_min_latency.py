"""min_latency: both requests bring their terms to the planner's call."""

from app.planning.objectives.optimal import MIN_LATENCY
from planner.plans.optimal import min_latency
from tests.app.planning.objectives.examples import LOAD, TOPOLOGY, plan_with


def test_both_requests_have_the_planners_plan():
    expected = min_latency(TOPOLOGY, LOAD, 22, "mmk")
    assert plan_with(MIN_LATENCY, k_max=22, model="mmk") == (expected, expected)
