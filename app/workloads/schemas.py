"""Forecasts of workloads as JSON."""

from datetime import datetime
from typing import Annotated

from pydantic import ConfigDict, Field, JsonValue

from app.described.answers import DiagnosticAnswer
from app.forecasts.schemas import MOST_POINTS, StepSeconds, WorkloadModelAnswer, WorkloadPoint
from app.http.fields import Answer, Body

MOST_STEPS_AHEAD = 1440
MOST_WINDOW_STEPS = 2000
MOST_HISTORY_STEPS = 10_080

# Half an hour of minutes, rising and falling, with some noise.
EXAMPLE: JsonValue = {
    "workload": [
        {"at": f"2026-11-18T00:{minute:02}:00Z", "rate": round(300 + 2.0 * minute + (minute * 37 % 11), 1)}
        for minute in range(40)
    ],
    "steps": 10,
    "window_steps": 40,
}

StepsAhead = Annotated[int, Field(ge=1, le=MOST_STEPS_AHEAD, description="Steps to forecast.")]
Level = Annotated[float, Field(gt=0, lt=1, description="Of the interval around each step.")]
WindowSteps = Annotated[
    int, Field(ge=20, le=MOST_WINDOW_STEPS, description="The newest steps, which the model is fitted on.")
]
HistorySteps = Annotated[
    int, Field(ge=1, le=MOST_HISTORY_STEPS, description="Measured steps to answer with, or to draw.")
]


class WorkloadForecastRequest(Body):
    """A workload to forecast."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    workload: Annotated[list[WorkloadPoint], Field(max_length=MOST_POINTS, description="Oldest first.")]
    steps: StepsAhead = 30
    level: Level = 0.95
    window_steps: WindowSteps = 100
    history_steps: HistorySteps = 200
    step_seconds: StepSeconds = None


class MeasuredRate(Answer):
    """One step as measured, or as filled in."""

    at: datetime
    rate: float
    filled: Annotated[bool, Field(description="Not measured: filled in by a straight line.")]


class ExpectedRate(Answer):
    """One step to come: it lies between `lower` and `upper` with the probability asked for, if errors are normal."""

    at: datetime
    rate: float
    lower: float
    upper: float


class WorkloadForecastAnswer(Answer):
    """Where the workload goes."""

    step_seconds: float
    level: float
    model: WorkloadModelAnswer | None = Field(
        description="Null where none could be fitted; see `diagnostics`."
    )
    measured: list[MeasuredRate]
    expected: list[ExpectedRate]
    diagnostics: list[DiagnosticAnswer]
