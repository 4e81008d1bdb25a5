"""The example of every objective's own request, computed once."""

from typing import Any

from app.load.bodies.load import FPD_LOAD, LoadBody
from app.load.bodies.topology import FPD, Graph
from app.planning.objectives.objective import PlanObjective
from planner.values import Plan

TOPOLOGY = Graph.model_validate(FPD).to_values()
LOAD = LoadBody.model_validate(FPD_LOAD).to_values()


def plan_with(objective: PlanObjective, **terms: Any) -> tuple[Plan, Plan]:
    """The plans of the described and of the stored request with these terms."""
    described = objective.request.model_validate({"topology": FPD, "load": FPD_LOAD, **terms})
    stored = objective.stored_request.model_validate(terms)
    return objective.plan(TOPOLOGY, LOAD, described), objective.plan(TOPOLOGY, LOAD, stored)
