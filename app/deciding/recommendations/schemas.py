"""Recommendations as JSON: every stage from forecast to decision."""

from typing import Annotated

from pydantic import Field, JsonValue

from app.deciding.decisions.schemas import DecisionAnswer, DecisionRequest, Recommended
from app.deciding.policies.schemas import EXAMPLE
from app.machines.placements.schemas import PlacementChoices
from app.machines.profiles.schemas import AZURE_BLOB
from app.machines.vm_catalogues import AZURE_D_SIZES
from app.web.fields import Body, show_example
from planner.workloads.line_forecasts import HISTORY

PLACED: dict[str, JsonValue] = {"profiles": {"detector": AZURE_BLOB}, "vm_sizes": AZURE_D_SIZES}


class ForecastTerms(Body):
    """The numbers of past and future intervals of a forecast, each as long as the newest snapshot."""

    history: Annotated[int, Field(ge=2, le=10_000, description="Snapshots that the model is fitted on.")] = (
        HISTORY
    )
    steps: Annotated[
        int | None,
        Field(ge=1, le=1_000, description="Intervals to forecast. Left out: those of cooldown_seconds."),
    ] = None


class RecommendationRequest(DecisionRequest):
    """The fields of a decision, and those of its forecast and placement."""

    model_config = show_example({"at": "2026-11-18T00:01:00Z", "policy": EXAMPLE, "placement": PLACED})

    forecast: Annotated[ForecastTerms | None, Field(description="null: decide for the measured rate.")] = (
        ForecastTerms()
    )
    placement: Annotated[PlacementChoices | None, Field(description="Left out: no placement.")] = None


class RecommendationAnswer(Recommended):
    """The stages in order with their results, and the decision; all are stored with the decision."""

    decision: DecisionAnswer
