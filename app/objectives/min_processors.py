"""min-processors: the fewest processors that keep E[T] at or below t_max_seconds (DRS, problem 8)."""

from pydantic import ConfigDict

from app.described.load import FPD_LOAD
from app.described.quantile_terms import QuantileTerms
from app.described.request import Described, TMax
from app.described.topology import FPD
from app.measured.request import Measured
from app.objectives.plan_objective import PlanObjective, TermOption
from planner.plans.optimal import min_processors
from planner.values import Load, Plan, Topology


class MinProcessorsRequest(QuantileTerms, Described):
    """The fewest processors that keep E[T] at or below `t_max_seconds`."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"topology": FPD, "load": FPD_LOAD, "t_max_seconds": 0.08}]}
    )

    t_max_seconds: TMax


class StoredMinProcessorsRequest(QuantileTerms, Measured):
    """The fewest processors for a stored topology."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"t_max_seconds": 0.08}]})

    t_max_seconds: TMax


def plan(topology: Topology, load: Load, body: MinProcessorsRequest | StoredMinProcessorsRequest) -> Plan:
    """The planner's answer to either body."""
    return min_processors(topology, load, body.t_max_seconds, body.model)


MIN_PROCESSORS = PlanObjective(
    name="min-processors",
    summary="Fewest processors under t_max_seconds",
    description="Minimises the processors that keep E[T] ≤ t_max_seconds (DRS, problem 8); nothing is stored.",
    command_help="The fewest processors that keep E[T] at or below --t-max.",
    request=MinProcessorsRequest,
    stored_request=StoredMinProcessorsRequest,
    plan=plan,
    options=(
        TermOption("t_max_seconds", ("--t-max", "--t-max-seconds"), "E[T] to stay at or below, seconds."),
    ),
    problems=("target-unreachable", "bound-too-small"),
)
