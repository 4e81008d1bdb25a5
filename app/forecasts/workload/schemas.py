"""Requests and answers of workload forecasts as JSON."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from app.load.bodies.answers import DiagnosticAnswer
from app.load.bodies.series import StepSeconds, WorkloadPoints
from app.web.fields import Answer, Body, Probability, UtcTime, show_example

MOST_STEPS_AHEAD = 1440
MOST_WINDOW_STEPS = 2000
MOST_HISTORY_STEPS = 10_080
MOST_LEADS = 12
MOST_ORIGINS = 200
USUAL_LEADS = (1, 2, 4, 8, 16, 32)

# Half an hour of a rising rate with some noise.
EXAMPLE: JsonValue = {
    "workload": [
        {"at": f"2026-11-18T00:{minute:02}:00Z", "rate": round(300 + 2.0 * minute + (minute * 37 % 11), 1)}
        for minute in range(30)
    ],
    "steps": 10,
}

LEAD: dict[str, JsonValue] = {
    "steps": 8,
    "seconds": 480.0,
    "judged": 24,
    "apart": 24,
    "mean_error": 0.012,
    "absolute_error": 0.041,
    "covered": 23,
    "coverage": 0.9583,
    "least_coverage": 0.7976,
    "most_coverage": 0.9926,
    "falls_short": False,
}
ACCURACY: JsonValue = {
    "as_of": None,
    "step_seconds": 60.0,
    "origins": 24,
    "first_origin": "2026-11-18T00:10:00Z",
    "last_origin": "2026-11-18T23:46:00Z",
    "level": 0.95,
    "rates": [LEAD],
    "quantile": 0.95,
    "peaks": [],
    "diagnostics": [],
}

StepsAhead = Annotated[int, Field(ge=1, le=MOST_STEPS_AHEAD, description="Steps to forecast.")]
Level = Annotated[
    Probability,
    Field(description="The probability with which a rate lies in the interval around its step."),
]
WindowSteps = Annotated[
    int | None,
    Field(ge=20, le=MOST_WINDOW_STEPS, description="The newest steps that `arma` is fitted to; default 100."),
]
ModelName = Annotated[
    Literal["auto", "arma", "lines", "seasons"],
    Field(
        description="`lines`: through the newest rates. `seasons`: what days, weeks and the season found repeat, from "
        "60 steps on. `auto`: both, weighed by their past losses; with `window_steps`, `arma` of lowest AIC."
    ),
]
AsOf = Annotated[
    UtcTime | None,
    Field(
        description="Forecast from this time: only snapshots that had ended by then are used. Left out: now."
    ),
]
Leads = Annotated[
    list[Annotated[int, Field(ge=1, le=MOST_STEPS_AHEAD)]] | None,
    Field(
        min_length=1,
        max_length=MOST_LEADS,
        description="How many steps ahead; repeat the parameter for each lead. Left out: 1, 2, 4, 8, 16 and 32.",
    ),
]
Origins = Annotated[
    int,
    Field(
        ge=1,
        le=MOST_ORIGINS,
        description="The largest number of past moments to forecast from, spread evenly over a day.",
    ),
]
Quantile = Annotated[
    Probability | None,
    Field(
        description="The quantile of the highest rate. Left out: qos_target of the policy, or 0.95 without one.",
    ),
]
HistorySteps = Annotated[
    int, Field(ge=1, le=MOST_HISTORY_STEPS, description="The number of measured steps to show.")
]


class WorkloadForecastRequest(Body):
    """A workload to forecast."""

    model_config = show_example(EXAMPLE)

    workload: WorkloadPoints
    steps: StepsAhead = 30
    level: Level = 0.95
    window_steps: WindowSteps = None
    history_steps: HistorySteps = 200
    step_seconds: StepSeconds = None
    model: ModelName = "auto"


class MeasuredRateAnswer(Answer):
    """The rate of one known step; `filled` marks a rate that was not measured."""

    at: datetime
    rate: float
    filled: Annotated[
        bool, Field(description="Whether the rate was not measured and a straight line fills it in.")
    ]


class ExpectedRateAnswer(Answer):
    """One forecast step: its rate lies between `lower` and `upper` with probability `level`, if errors are normal."""

    at: datetime
    rate: float
    lower: float
    upper: float
    came_rate: Annotated[
        float | None,
        Field(
            description="With `as_of`: the rate that was measured at this step; null: not measured, or no `as_of`."
        ),
    ] = None


class WorkloadModelAnswer(Answer):
    """The model that forecast the workload."""

    kind: Literal["arma", "lines", "seasons", "lines+seasons", "counts", "outlook", "last-rate"]
    ar: list[float] = []
    ma: list[float] = []
    mean: float | None = None
    innovation_variance: float | None = None
    aic: float | None = None


class WorkloadForecastAnswer(Answer):
    """The measured rates, the expected rates and the model of the forecast."""

    as_of: Annotated[
        UtcTime | None, Field(description="The time by which the used snapshots had ended; null: no limit.")
    ] = None
    step_seconds: float
    level: float
    model: WorkloadModelAnswer | None = Field(
        description="Null if no model could be fitted; see `diagnostics`."
    )
    measured: list[MeasuredRateAnswer]
    expected: list[ExpectedRateAnswer]
    diagnostics: list[DiagnosticAnswer]


class LeadAccuracyAnswer(Answer):
    """How well forecasts this many steps ahead agree with the measured rates; null: no forecast was judged."""

    steps: Annotated[int, Field(description="The lead, in steps.")]
    seconds: Annotated[float, Field(description="The lead, in seconds.")]
    judged: Annotated[int, Field(description="Forecasts whose steps were all measured.")]
    apart: Annotated[
        int,
        Field(description="The judged forecasts at least `steps` apart: only these are independent."),
    ]
    mean_error: Annotated[
        float | None,
        Field(
            description="Sum of (expected - measured) / sum of measured; above 0: the forecasts expected too much."
        ),
    ]
    absolute_error: Annotated[
        float | None, Field(description="Sum of |expected - measured| / sum of measured.")
    ]
    covered: int
    coverage: Annotated[float | None, Field(description="covered / judged.")]
    least_coverage: Annotated[
        float | None,
        Field(description="The 95% interval of the coverage (Wilson) for `apart` independent forecasts."),
    ]
    most_coverage: float | None
    falls_short: Annotated[bool, Field(description="All of that interval is below what is wanted.")]


class ForecastAccuracyAnswer(Answer):
    """How accurate forecasts for past moments were, by the number of steps ahead."""

    model_config = show_example(ACCURACY)

    as_of: Annotated[
        UtcTime | None, Field(description="The time by which the used snapshots had ended; null: no limit.")
    ]
    step_seconds: float
    origins: Annotated[int, Field(description="The number of past moments that forecasts start from.")]
    first_origin: UtcTime | None
    last_origin: UtcTime | None
    level: Annotated[
        float, Field(description="The share of measured rates that the band of `rates` should cover.")
    ]
    rates: Annotated[
        list[LeadAccuracyAnswer],
        Field(description="Forecasts of the rate of one step, by lead."),
    ]
    quantile: Annotated[
        float, Field(description="The share of measured peaks that the upper rate of `peaks` should cover.")
    ]
    peaks: Annotated[
        list[LeadAccuracyAnswer],
        Field(description="Forecasts of the highest rate of the next steps, as in decisions."),
    ]
    diagnostics: list[DiagnosticAnswer]
