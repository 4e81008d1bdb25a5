"""Requests and answers of recommendations as JSON, and the turning of computed stages into an answer."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from pydantic import Field, JsonValue

from app.deciding.decisions.schemas import (
    DecisionAnswer,
    DecisionRequest,
    RateForecastAnswer,
    Recommended,
    Stage,
)
from app.deciding.policies.schemas import EXAMPLE
from app.machines.placements.answers import Placed, to_placement_answer
from app.machines.placements.gathering import GatheredPlacement
from app.machines.placements.schemas import PlacementAnswer, PlacementChoices
from app.machines.profiles.schemas import BLOB_ENDS
from app.machines.vm_catalogues import AZURE_D_SIZES
from app.web.fields import Body, show_example
from planner.decisions.compose import ComposedDecision, Decision
from planner.decisions.horizon import RateOutlook
from planner.decisions.policy import Policy
from planner.wording import write_number, write_numbers_apart, write_seconds
from planner.workloads.weighed_forecast import LOOKED_BACK

PLACED: dict[str, JsonValue] = {"profiles": {"detector": BLOB_ENDS}, "vm_sizes": AZURE_D_SIZES}


class ForecastTerms(Body):
    """How many past and future intervals a forecast takes, each as long as the newest snapshot."""

    history: Annotated[int, Field(ge=2, le=10_000, description="Snapshots that the model is fitted on.")] = (
        LOOKED_BACK
    )
    steps: Annotated[
        int | None,
        Field(ge=1, le=1_000, description="Intervals to forecast. Left out: those of cooldown_seconds."),
    ] = None


class RecommendationRequest(DecisionRequest):
    """The fields of a decision, and those of the forecast and the placement of the recommendation."""

    model_config = show_example({"at": "2026-11-18T00:01:00Z", "policy": EXAMPLE, "placement": PLACED})

    forecast: Annotated[ForecastTerms | None, Field(description="null: decide for the measured rate.")] = (
        ForecastTerms()
    )
    placement: Annotated[PlacementChoices | None, Field(description="Left out: no placement.")] = None


class RecommendationAnswer(Recommended):
    """The stages in order with their results, and the decision; all are stored with the decision."""

    decision: DecisionAnswer


FORECAST_FIELDS = ("expected_rate", "upper_rate", "quantile", "model", "history", "diagnostics")


class FoundForecast(NamedTuple):
    """The forecast of the external rate over `steps` intervals of `step_seconds` each."""

    outlook: RateOutlook
    steps: int
    step_seconds: float


@dataclass(frozen=True)
class FoundPlacement:
    """The placement of a recommendation with its inputs; `placed` is None if data are missing, and `missing` says
    which.
    """

    choices: PlacementChoices
    gathered: GatheredPlacement | None = None
    placed: Placed | None = None
    missing: str = ""


@dataclass(frozen=True)
class Recommendation:
    """The results of all stages of a recommendation. A stage that was not asked for has None; processors and slots are
    computed for `planned_rate`.
    """

    policy: Policy
    forecast: FoundForecast | None
    measured_rate: float
    planned_rate: float
    composed: ComposedDecision
    placement: FoundPlacement | None


def to_recommended(found: Recommendation) -> Recommended:
    """Returns the stages of a recommendation in order, with its forecast and its placement, as JSON."""
    decision = found.composed.decision
    said = describe_decision(decision, found.planned_rate)
    return Recommended(
        stages=[
            describe_forecast(found.forecast),
            describe_processors(decision, found.planned_rate, found.measured_rate),
            describe_placement(found.placement),
            describe_moves(found),
            Stage(name="decision", done=True, detail=said),
        ],
        forecast=to_rate_forecast(found.forecast),
        measured_rate=found.measured_rate,
        planned_rate=found.planned_rate,
        placement=to_placement(found.placement),
    )


def to_rate_forecast(found: FoundForecast | None) -> RateForecastAnswer | None:
    """Returns the forecast of the external rate as JSON; None if there is no forecast."""
    seen = found.outlook.rate if found else None
    if found is None or seen is None:
        return None
    fields = {field: getattr(seen, field) for field in FORECAST_FIELDS}
    return RateForecastAnswer.model_validate(fields | {"step": seen.steps, "steps": found.steps})


def to_placement(found: FoundPlacement | None) -> PlacementAnswer | None:
    """Returns the placement as JSON; None if there is no placement."""
    if found is None or found.placed is None or found.gathered is None:
        return None
    return to_placement_answer(found.placed, found.gathered, found.choices)


def describe_forecast(found: FoundForecast | None) -> Stage:
    """Describes the forecast stage: the model of the external rate and its upper quantile, or why it was left out."""
    if found is None:
        return Stage(name="forecast", done=False, detail="Not asked for.")
    seen = found.outlook.rate
    if seen is None:
        return Stage(name="forecast", done=False, detail=found.outlook.missing)
    detail = (
        f"{seen.model}, learnt from {seen.history} intervals of {write_seconds(found.step_seconds)}: at most "
        f"{write_number(seen.upper_rate)} tuples/s with probability {write_number(seen.quantile, digits=6)} in the "
        f"{seen.steps} intervals ahead."
    )
    return Stage(name="forecast", done=True, detail=detail)


def describe_processors(decision: Decision, rate: float, measured_rate: float) -> Stage:
    """Describes the stage that chose processors: how many the goal asks for at the planned rate."""
    planned, measured = write_numbers_apart(rate, measured_rate)
    at = f"at {planned} tuples/s" + ("" if rate == measured_rate else f" (measured: {measured})")
    if decision.optimum is None:
        limits = " ".join(one.detail for one in decision.constraints)
        return Stage(name="processors", done=False, detail=f"No answer {at}: {limits}")
    detail = f"{decision.optimum.processors_total} processors {at}, for the goal {decision.goal}."
    return Stage(name="processors", done=True, detail=detail)


def describe_placement(found: FoundPlacement | None) -> Stage:
    """Describes the placement stage: its slots and VMs, or why it was left out."""
    if found is None:
        return Stage(name="placement", done=False, detail="Not asked for: give `placement`.")
    if found.placed is None:
        return Stage(name="placement", done=False, detail=found.missing)
    placement = found.placed.placement
    vms = len(placement.mapping.vms)
    detail = f"{placement.allocation.slots} slots on {vms} VM{'' if vms == 1 else 's'}."
    return Stage(name="placement", done=True, detail=detail)


def describe_moves(found: Recommendation) -> Stage:
    """Describes the stage of moved state: the key groups that move, if the policy describes a state."""
    migrations = found.composed.decision.moves.migrations
    if not found.policy.states:
        return Stage(name="moves", done=False, detail="The policy describes no operator's state.")
    if not migrations:
        return Stage(name="moves", done=True, detail="No key groups move.")
    moved = ", ".join(
        f"{name} {one.moved_key_groups} key groups ({one.moved_share:.0%})"
        for name, one in migrations.items()
    )
    return Stage(name="moves", done=True, detail=f"{moved}.")


def describe_decision(decision: Decision, rate: float) -> str:
    """Describes the decision stage: the action, and the last step of the argument for it."""
    last = [*decision.constraints, *decision.reasons][-1:]
    what = f"{decision.action} for {write_number(rate)} tuples/s"
    return f"{what}: {last[0].detail}" if last else f"{what}."
