"""The estimate: both requests bring the allocation to the planner's call."""

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from app.planning.objectives.objective import EstimateRequest, StoredEstimateRequest, compute_estimate
from planner.quantiles.spread import add_spread
from planner.situations.situation import estimate
from tests.app.planning.objectives.examples import LOAD, TOPOLOGY


def test_both_requests_have_the_planners_estimate():
    counts = {"generator": 9, "detector": 20, "reporter": 4}
    terms = {"processors": counts, "model": "ggk"}
    expected = estimate(TOPOLOGY, LOAD, counts, "ggk")
    described = EstimateRequest.model_validate({"topology": FPD, "load": FPD_LOAD, **terms})
    assert compute_estimate(TOPOLOGY, LOAD, described) == expected
    assert compute_estimate(TOPOLOGY, LOAD, StoredEstimateRequest.model_validate(terms)) == expected
    assert compute_estimate(TOPOLOGY, LOAD, StoredEstimateRequest()) == estimate(TOPOLOGY, LOAD)


def test_quantiles_are_drawn_where_they_are_asked_for():
    terms = {"quantiles": [0.5, 0.99], "roots": 2000, "seed": 7}
    described = EstimateRequest.model_validate({"topology": FPD, "load": FPD_LOAD, **terms})
    expected = add_spread(TOPOLOGY, LOAD, estimate(TOPOLOGY, LOAD), [0.5, 0.99], 2000, 7)
    assert expected.completion is not None
    assert compute_estimate(TOPOLOGY, LOAD, described) == expected
