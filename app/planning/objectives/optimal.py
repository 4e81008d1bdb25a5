"""The objectives that DRS solves: min-latency (DRS problem 6), min-processors for E[T] (problem 8) or a quantile."""

from typing import Self

from pydantic import JsonValue, model_validator

from app.load.bodies.load import PAIR_LOAD
from app.load.bodies.terms import Described, KMax, Measured, QuantileTerms, TargetTerms
from app.load.bodies.topology import PAIR
from app.planning.objectives.objective import PlanObjective, TermOption
from app.web.fields import show_example
from planner.plans.optimal import min_latency, min_processors
from planner.plans.quantile import min_processors_within
from planner.values import Load, Plan, Topology


class MinLatencyRequest(QuantileTerms, Described):
    """The best split of `k_max` processors."""

    model_config = show_example({"topology": PAIR, "load": PAIR_LOAD, "k_max": 22})

    k_max: KMax


class StoredMinLatencyRequest(QuantileTerms, Measured):
    """The best split of `k_max` processors for a stored topology."""

    model_config = show_example({"k_max": 22, "smoothing": {"kind": "ewma", "alpha": 0.5}})

    k_max: KMax


def plan_min_latency(
    topology: Topology, load: Load, body: MinLatencyRequest | StoredMinLatencyRequest
) -> Plan:
    """Returns the plan that splits the body's `k_max` processors for the least E[T]."""
    return min_latency(topology, load, body.k_max, body.model)


MIN_LATENCY = PlanObjective(
    name="min-latency",
    call="min_latency",
    summary="Best split of k_max processors",
    description="Minimises E[T] (DRS, problem 6); nothing is stored.",
    command_help="The best split of --k-max processors: least E[T].",
    request=MinLatencyRequest,
    stored_request=StoredMinLatencyRequest,
    plan=plan_min_latency,
    options=(TermOption("k_max", ("--k-max",), "Processors to divide."),),
    problems=("budget-too-small", "bound-too-small"),
)


TARGET: JsonValue = {"of": "completion", "quantile": 0.99, "seconds": 0.25}


class RequiredTarget(TargetTerms, QuantileTerms):
    """The target of a plan: exactly one is needed."""

    @model_validator(mode="after")
    def refuse_no_target(self) -> Self:
        """Refuses a request without a target."""
        if self.t_max_seconds is None and self.target is None:
            raise ValueError("give t_max_seconds, or a target of a quantile or of completion")
        return self

    @property
    def is_long(self) -> bool:
        """Tells whether the target needs a search on drawn tuples, which takes some tenths of a second."""
        return self.target is not None or self.quantiles is not None


class MinProcessorsRequest(RequiredTarget, Described):
    """The fewest processors that keep E[T] at or below `t_max_seconds`, or meet `target`."""

    model_config = show_example({"topology": PAIR, "load": PAIR_LOAD, "t_max_seconds": 0.08})


class StoredMinProcessorsRequest(RequiredTarget, Measured):
    """The fewest processors for a stored topology."""

    model_config = show_example({"target": TARGET})


def plan_min_processors(
    topology: Topology, load: Load, body: MinProcessorsRequest | StoredMinProcessorsRequest
) -> Plan:
    """Returns the plan with the fewest processors that meet the target of the body."""
    if body.target is None:
        assert body.t_max_seconds is not None  # refuse_no_target
        return min_processors(topology, load, body.t_max_seconds, body.model)
    target, levels = body.target.to_value(), body.quantiles or ()
    return min_processors_within(
        topology, load, target, body.model, levels=levels, roots=body.roots, seed=body.seed
    )


MIN_PROCESSORS = PlanObjective(
    name="min-processors",
    call="min_processors",
    summary="Fewest processors under t_max_seconds",
    description="Minimises the processors that keep E[T] ≤ t_max_seconds (DRS, problem 8), or that meet `target`, such "
    "as p99 of completion; nothing is stored.",
    command_help="The fewest processors that keep E[T] at or below --t-max.",
    request=MinProcessorsRequest,
    stored_request=StoredMinProcessorsRequest,
    plan=plan_min_processors,
    options=(
        TermOption(
            "t_max_seconds",
            ("--t-max", "--t-max-seconds"),
            "The largest E[T], such as 200ms; or the limit of what --target-quantile and --target-of name.",
            is_time=True,
        ),
    ),
    problems=("target-unreachable", "bound-too-small"),
)
