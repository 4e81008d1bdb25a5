"""min_processors: both requests bring their terms to the planner's call."""

import pytest
from pydantic import ValidationError

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from app.planning.objectives.objective import compute_plan
from app.planning.objectives.optimal import MIN_PROCESSORS
from planner.plans.optimal import min_processors
from planner.plans.quantile import min_processors_within
from planner.values import TimeTarget
from tests.app.planning.objectives.examples import LOAD, TOPOLOGY, plan_with


def test_both_requests_have_the_planners_plan():
    expected = min_processors(TOPOLOGY, LOAD, 0.08, "mmk")
    assert plan_with(MIN_PROCESSORS, t_max_seconds=0.08, model="mmk") == (expected, expected)


def test_both_requests_have_the_planners_plan_for_a_quantile():
    target = {"of": "completion", "quantile": 0.99, "seconds": 0.2}
    expected = min_processors_within(
        TOPOLOGY, LOAD, TimeTarget("completion", 0.2, 0.99), "mmk", levels=[0.5], roots=2000, seed=5
    )
    terms = {"target": target, "model": "mmk", "quantiles": [0.5], "roots": 2000, "seed": 5}
    assert plan_with(MIN_PROCESSORS, **terms) == (expected, expected)
    body = MIN_PROCESSORS.stored_request.model_validate(terms)
    assert compute_plan(MIN_PROCESSORS, TOPOLOGY, LOAD, body) == expected
    assert expected.estimate.completion is not None
    assert [one.quantile for one in expected.estimate.completion.quantiles] == [0.5, 0.99]


def test_one_target_is_needed():
    with pytest.raises(ValidationError, match="give t_max_seconds, or a target"):
        MIN_PROCESSORS.stored_request.model_validate({})


def test_a_quantile_takes_long():
    target = {"of": "completion", "quantile": None, "seconds": 0.2}
    for terms, is_long in (({"t_max_seconds": 1.0}, False), ({"target": target}, True)):
        described = MIN_PROCESSORS.request.model_validate({"topology": FPD, "load": FPD_LOAD, **terms})
        assert described.is_long is is_long
