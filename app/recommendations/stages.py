"""What a recommendation was made of, as JSON; the decision keeps it."""

from typing import Annotated, Literal

from pydantic import Field

from app.described.answers import DiagnosticAnswer
from app.http.fields import Answer
from app.placements.schemas import PlacementAnswer


class Stage(Answer):
    """One step of the way: done, or left out and why."""

    name: Literal["forecast", "processors", "placement", "moves", "decision"]
    done: bool
    detail: Annotated[str, Field(description="What it used, or what is missing.")]


class RateForecastAnswer(Answer):
    """The external rate to be ready for: the upper quantile at the highest step ahead."""

    expected_rate: float
    upper_rate: float
    quantile: float
    step: Annotated[int, Field(description="Intervals ahead of the newest snapshot.")]
    steps: int
    history: Annotated[int, Field(description="Intervals it was learnt from.")]
    model: str
    diagnostics: list[DiagnosticAnswer]


class Recommended(Answer):
    """The stages in order, and what each found."""

    stages: list[Stage]
    forecast: RateForecastAnswer | None
    measured_rate: Annotated[
        float, Field(description="External rate of the newest snapshots, as the policy smooths them.")
    ]
    planned_rate: Annotated[float, Field(description="External rate that processors and slots are for.")]
    placement: PlacementAnswer | None
