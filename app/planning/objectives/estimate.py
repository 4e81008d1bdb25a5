"""The estimate of an allocation that is given: no objective, but requested and computed like a plan."""

from pydantic import ConfigDict

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.terms import Described, Measured, ProcessorCounts, QuantileTerms
from app.load.bodies.topology import FPD
from planner.quantiles.spread import add_spread
from planner.situations.estimate import estimate
from planner.values import Estimate, Load, Topology


class EstimateRequest(QuantileTerms, Described):
    """E[T] of a topology under a load."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "topology": FPD,
                    "load": FPD_LOAD,
                    "processors": {"generator": 6, "detector": 13, "reporter": 3},
                }
            ]
        }
    )

    processors: ProcessorCounts = None


class StoredEstimateRequest(QuantileTerms, Measured):
    """E[T] of a stored topology under its measured load."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"smoothing": {"kind": "window", "size": 6}}]})

    processors: ProcessorCounts = None


def compute_estimate(
    topology: Topology, load: Load, body: EstimateRequest | StoredEstimateRequest
) -> Estimate:
    """The planner's answer to either body."""
    found = estimate(topology, load, body.processors, body.model)
    if body.quantiles is None:
        return found
    return add_spread(topology, load, found, body.quantiles, body.roots, body.seed)
