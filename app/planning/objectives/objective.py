"""Describes an objective of plans for the routes, the command line and the OpenAPI document; computes estimates and
plans.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from app.load.bodies.load import PAIR_LOAD, PAIR_PROCESSORS
from app.load.bodies.terms import Described, Measured, ProcessorCounts, QuantileTerms
from app.load.bodies.topology import PAIR
from app.web.fields import show_example
from planner.quantiles.spread import add_spread
from planner.situations.situation import estimate
from planner.values import Estimate, Load, Plan, Topology


class TermOption(NamedTuple):
    """A field of the request for a plan that is an option of the command `headgate plan NAME`."""

    field: str
    flags: tuple[str, ...]
    help: str
    is_time: bool = False


@dataclass(frozen=True)
class PlanObjective:
    """One objective of plans: its requests, its texts and its function of the planner.

    `plan` takes a body of either request type, and the topology and the load from the body or from the database.
    `problems` are the types of problems that only this objective has.
    """

    name: str
    call: str
    """The name in Python code and in metrics."""
    summary: str
    description: str
    command_help: str
    request: type[Described]
    stored_request: type[Measured]
    plan: Callable[[Topology, Load, Any], Plan]
    options: tuple[TermOption, ...]
    problems: tuple[str, ...] = ()


class EstimateRequest(QuantileTerms, Described):
    """E[T] of a topology under a load."""

    model_config = show_example(
        {
            "topology": PAIR,
            "load": PAIR_LOAD,
            "processors": PAIR_PROCESSORS,
        }
    )

    processors: ProcessorCounts = None


class StoredEstimateRequest(QuantileTerms, Measured):
    """E[T] of a stored topology under its measured load."""

    model_config = show_example({"smoothing": {"kind": "window", "size": 6}})

    processors: ProcessorCounts = None


def compute_estimate(
    topology: Topology, load: Load, body: EstimateRequest | StoredEstimateRequest
) -> Estimate:
    """Returns the estimate for a topology and a load, with the processors and the quantiles of the body."""
    found = estimate(topology, load, body.processors, body.model)
    if body.quantiles is None:
        return found
    return add_spread(topology, load, found, body.quantiles, body.roots, body.seed)


def compute_plan(objective: PlanObjective, topology: Topology, load: Load, body: Any) -> Plan:
    """Returns the objective's plan for a topology and a load, with the quantiles that the body asks for."""
    found = objective.plan(topology, load, body)
    if body.quantiles is None or found.estimate.total is not None:
        return found
    spread = add_spread(topology, load, found.estimate, body.quantiles, body.roots, body.seed, is_open=True)
    return found._replace(estimate=spread)
