"""tradeoff: both requests bring their terms to the planner's call."""

from app.planning.objectives.per_operator import TRADEOFF
from planner.plans.tradeoff import tradeoff
from tests.app.planning.objectives.examples import LOAD, TOPOLOGY, plan_with


def test_both_requests_have_the_planners_plan():
    expected = tradeoff(TOPOLOGY, LOAD, 0.3, "mmk")
    assert plan_with(TRADEOFF, beta=0.3, model="mmk") == (expected, expected)


def test_without_a_model_es_streams_own_is_taken():
    described, stored = plan_with(TRADEOFF, beta=0.3)
    assert described.estimate.model == stored.estimate.model == "mmk"
