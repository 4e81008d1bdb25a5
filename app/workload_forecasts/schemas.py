"""Forecasts of workloads as JSON."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue

from app.described.answers import DiagnosticAnswer
from app.described.series import StepSeconds, WorkloadPoints
from app.http.fields import Answer, Body

MOST_STEPS_AHEAD = 1440
MOST_WINDOW_STEPS = 2000
MOST_HISTORY_STEPS = 10_080

# Forty minutes of a rising rate with some noise.
EXAMPLE: JsonValue = {
    "workload": [
        {"at": f"2026-11-18T00:{minute:02}:00Z", "rate": round(300 + 2.0 * minute + (minute * 37 % 11), 1)}
        for minute in range(40)
    ],
    "steps": 10,
    "window_steps": 40,
}

StepsAhead = Annotated[int, Field(ge=1, le=MOST_STEPS_AHEAD, description="Steps to forecast.")]
Level = Annotated[
    float,
    Field(gt=0, lt=1, description="The probability with which a rate lies in the interval around its step."),
]
WindowSteps = Annotated[
    int, Field(ge=20, le=MOST_WINDOW_STEPS, description="The newest steps, on which the model is fitted.")
]
HistorySteps = Annotated[
    int, Field(ge=1, le=MOST_HISTORY_STEPS, description="Measured steps in the answer or the picture.")
]


class WorkloadForecastRequest(Body):
    """A workload to forecast."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    workload: WorkloadPoints
    steps: StepsAhead = 30
    level: Level = 0.95
    window_steps: WindowSteps = 100
    history_steps: HistorySteps = 200
    step_seconds: StepSeconds = None


class MeasuredRateAnswer(Answer):
    """One step as it was measured, or filled in."""

    at: datetime
    rate: float
    filled: Annotated[bool, Field(description="Not measured: filled in by a straight line.")]


class ExpectedRateAnswer(Answer):
    """One forecast step: its rate lies between `lower` and `upper` with probability `level`, if errors are normal."""

    at: datetime
    rate: float
    lower: float
    upper: float


class WorkloadModelAnswer(Answer):
    """The model that forecast the workload."""

    kind: Literal["arma", "outlook", "last-rate"]
    ar: list[float] = []
    ma: list[float] = []
    mean: float | None = None
    innovation_variance: float | None = None
    aic: float | None = None


class WorkloadForecastAnswer(Answer):
    """The measured rates, the expected ones and the model behind them."""

    step_seconds: float
    level: float
    model: WorkloadModelAnswer | None = Field(
        description="Null where none could be fitted; see `diagnostics`."
    )
    measured: list[MeasuredRateAnswer]
    expected: list[ExpectedRateAnswer]
    diagnostics: list[DiagnosticAnswer]
