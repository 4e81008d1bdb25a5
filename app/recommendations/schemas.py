"""Recommendations as JSON: every stage from forecast to decision."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue

from app.decisions.schemas import DecisionAnswer, DecisionRequest
from app.fields import Answer, Body
from app.placements.schemas import Choices, PlacementAnswer
from app.plans.schemas import Diagnostic
from app.policies.schemas import EXAMPLE
from app.profiles.schemas import AZURE_BLOB
from app.vm_catalogues.schemas import AZURE_D_SIZES

PLACED: dict[str, JsonValue] = {"profiles": {"detector": AZURE_BLOB}, "vm_sizes": AZURE_D_SIZES}


class ForecastTerms(Body):
    """How far to look back and ahead, in intervals of the newest snapshot's length."""

    history: Annotated[int, Field(ge=2, le=10_000, description="Snapshots to learn from.")] = 300
    steps: Annotated[
        int | None, Field(ge=1, le=1_000, description="Left out: as many as cooldown_seconds holds.")
    ] = None


class RecommendationRequest(DecisionRequest):
    """As for a decision; and how to forecast and to place."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"at": "2026-11-18T00:01:00Z", "policy": EXAMPLE, "placement": PLACED}]
        }
    )

    forecast: Annotated[ForecastTerms | None, Field(description="null: decide for the measured rate.")] = (
        ForecastTerms()
    )
    placement: Annotated[
        Choices | None, Field(description="Left out: what runs on which node is not said.")
    ] = None


class Stage(Answer):
    """One step of the way: done, or left out and why."""

    name: Literal["forecast", "processors", "placement", "moves", "decision"]
    done: bool
    detail: Annotated[str, Field(description="What it used, or what is missing.")]


class RateForecast(Answer):
    """The external rate to be ready for: the upper quantile at the highest step ahead."""

    expected_rate: float
    upper_rate: float
    quantile: float
    step: Annotated[int, Field(description="Intervals ahead of the newest snapshot.")]
    steps: int
    history: Annotated[int, Field(description="Intervals it was learnt from.")]
    model: str
    diagnostics: list[Diagnostic] = []


class RecommendationAnswer(Answer):
    """The stages in order, what each found, and the decision, which is kept."""

    stages: list[Stage]
    forecast: RateForecast | None
    planned_rate: Annotated[float, Field(description="External rate that processors and slots are for.")]
    placement: PlacementAnswer | None
    decision: DecisionAnswer
