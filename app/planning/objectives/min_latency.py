"""min-latency: the split of k_max processors with the least E[T] (DRS, problem 6)."""

from pydantic import ConfigDict

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.terms import Described, KMax, Measured, QuantileTerms
from app.load.bodies.topology import FPD
from app.planning.objectives.plan_objective import PlanObjective, TermOption
from planner.plans.optimal import min_latency
from planner.values import Load, Plan, Topology


class MinLatencyRequest(QuantileTerms, Described):
    """The best split of `k_max` processors."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"topology": FPD, "load": FPD_LOAD, "k_max": 22}]}
    )

    k_max: KMax


class StoredMinLatencyRequest(QuantileTerms, Measured):
    """The best split of `k_max` processors for a stored topology."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"k_max": 22, "smoothing": {"kind": "ewma", "alpha": 0.5}}]}
    )

    k_max: KMax


def plan_min_latency(topology: Topology, load: Load, body: MinLatencyRequest | StoredMinLatencyRequest) -> Plan:
    """The planner's answer to either body."""
    return min_latency(topology, load, body.k_max, body.model)


MIN_LATENCY = PlanObjective(
    name="min-latency",
    summary="Best split of k_max processors",
    description="Minimises E[T] (DRS, problem 6); nothing is stored.",
    command_help="The best split of --k-max processors: least E[T].",
    request=MinLatencyRequest,
    stored_request=StoredMinLatencyRequest,
    plan=plan_min_latency,
    options=(TermOption("k_max", ("--k-max",), "Processors to divide."),),
    problems=("budget-too-small", "bound-too-small"),
)
