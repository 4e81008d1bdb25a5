"""min-processors: the fewest processors that keep E[T] at or below t_max_seconds (DRS, problem 8) or meet a target."""

from typing import Self

from pydantic import ConfigDict, JsonValue, model_validator

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.terms import Described, Measured, QuantileTerms, TargetTerms
from app.load.bodies.topology import FPD
from app.planning.objectives.plan_objective import PlanObjective, TermOption
from planner.plans.optimal import min_processors
from planner.plans.quantile import min_processors_within
from planner.values import Load, Plan, Topology

TARGET: JsonValue = {"of": "completion", "quantile": 0.99, "seconds": 0.25}


class RequiredTarget(TargetTerms, QuantileTerms):
    """Exactly one target."""

    @model_validator(mode="after")
    def refuse_no_target(self) -> Self:
        """A plan for a target has one."""
        if self.t_max_seconds is None and self.target is None:
            raise ValueError("give t_max_seconds, or a target of a quantile or of completion")
        return self

    @property
    def is_long(self) -> bool:
        """A search on drawn tuples takes some tenths of a second."""
        return self.target is not None or self.quantiles is not None


class MinProcessorsRequest(RequiredTarget, Described):
    """The fewest processors that keep E[T] at or below `t_max_seconds`, or meet `target`."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"topology": FPD, "load": FPD_LOAD, "t_max_seconds": 0.08}]}
    )


class StoredMinProcessorsRequest(RequiredTarget, Measured):
    """The fewest processors for a stored topology."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"target": TARGET}]})


def plan_min_processors(topology: Topology, load: Load, body: MinProcessorsRequest | StoredMinProcessorsRequest) -> Plan:
    """The planner's answer to either body."""
    if body.target is None:
        assert body.t_max_seconds is not None  # refuse_no_target
        return min_processors(topology, load, body.t_max_seconds, body.model)
    target, levels = body.target.to_value(), body.quantiles or ()
    return min_processors_within(
        topology, load, target, body.model, levels=levels, roots=body.roots, seed=body.seed
    )


MIN_PROCESSORS = PlanObjective(
    name="min-processors",
    summary="Fewest processors under t_max_seconds",
    description="Minimises the processors that keep E[T] ≤ t_max_seconds (DRS, problem 8), or that meet `target`, such "
    "as a quantile of completion; nothing is stored.",
    command_help="The fewest processors that keep E[T] at or below --t-max.",
    request=MinProcessorsRequest,
    stored_request=StoredMinProcessorsRequest,
    plan=plan_min_processors,
    options=(
        TermOption(
            "t_max_seconds",
            ("--t-max", "--t-max-seconds"),
            "Seconds for E[T], or for what --target-quantile says.",
        ),
    ),
    problems=("target-unreachable", "bound-too-small"),
)
