"""The estimate: both requests bring the allocation to the planner's call."""

from app.described.load import FPD_LOAD
from app.described.topology import FPD
from app.objectives.estimate import EstimateRequest, StoredEstimateRequest, compute_estimate
from planner.plans.estimation import estimate
from tests.app.objectives.examples import LOAD, TOPOLOGY


def test_both_requests_have_the_planners_estimate():
    counts = {"generator": 9, "detector": 20, "reporter": 4}
    terms = {"processors": counts, "model": "ggk"}
    expected = estimate(TOPOLOGY, LOAD, counts, "ggk")
    described = EstimateRequest.model_validate({"topology": FPD, "load": FPD_LOAD, **terms})
    assert compute_estimate(TOPOLOGY, LOAD, described) == expected
    assert compute_estimate(TOPOLOGY, LOAD, StoredEstimateRequest.model_validate(terms)) == expected
    assert compute_estimate(TOPOLOGY, LOAD, StoredEstimateRequest()) == estimate(TOPOLOGY, LOAD)
