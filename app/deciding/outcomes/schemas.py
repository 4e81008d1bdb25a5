"""The outcomes of decisions, reported and observed, as JSON."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, JsonValue

from app.load.bodies.answers import DiagnosticAnswer
from app.web.fields import Answer, Body, OperatorName, Processors, Seconds, UtcTime, drop_nul, show_example
from planner.outcomes.observed import LimitSource, State

EXAMPLE: dict[str, JsonValue] = {
    "state": "applied",
    "applied_at": "2026-11-18T00:01:20Z",
    "processors": {"generator": 6, "detector": 13, "reporter": 3},
    "measured_seconds": 0.066,
}
OutcomeState = Annotated[
    Literal["applied", "refused", "failed", "rolled-back"],
    Field(
        description="applied: the recommended processors run. refused: the platform did not accept the "
        "change. failed: the processors could not be started. rolled-back: the earlier "
        "processors run again. After refused and failed no cooldown begins."
    ),
]


class OutcomeBody(Body):
    """The outcome of a decision; a field that is left out keeps its value from earlier reports of the same state."""

    model_config = show_example(EXAMPLE)

    state: OutcomeState
    applied_at: Annotated[
        UtcTime | None, Field(description="The time of the change; left out with state applied: now.")
    ] = None
    processors: Annotated[
        dict[OperatorName, Processors] | None,
        Field(
            description="The processors that run since; left out: the recommended ones, if they were applied."
        ),
    ] = None
    measured_seconds: Annotated[
        Seconds | None,
        Field(description="E[T] measured with these processors, after the change has settled."),
    ] = None
    detail: Annotated[
        Annotated[str, Field(max_length=2000), AfterValidator(drop_nul)] | None,
        Field(description="A detail, such as the platform's message."),
    ] = None


class OutcomeAnswer(Answer):
    """The outcome of a decision, and whether the decision kept its promise."""

    state: OutcomeState
    applied_at: datetime | None
    expected_seconds: Annotated[
        float | None, Field(description="E[T] that the decision expected; null = infinite.")
    ]
    measured_seconds: float | None
    kept: Annotated[
        bool | None,
        Field(
            description="Whether the measured E[T] is at most the expected one plus its known error (0.15 if "
            "not known). null: not measured, nothing expected, or other processors ran. With "
            "source snapshots: `kept` of `observed`."
        ),
    ]
    processors: dict[str, int] | None
    detail: str | None
    reported_at: Annotated[datetime | None, Field(description="null: with source snapshots.")] = None
    source: Annotated[
        Literal["reported", "snapshots"],
        Field(description="snapshots: nobody reported the outcome; measured intervals show it (`observed`)."),
    ] = "reported"


class ObservedAnswer(Answer):
    """The outcome of a decision as the snapshots show it, with or without a report; null: not known."""

    state: Annotated[
        State,
        Field(
            description="applied: an interval ran the recommended processors. held: nothing was to change. "
            "waiting: no interval ran them yet. not-applied: no interval ran them within 24 h or "
            "before the next change. unknown: processors are not measured."
        ),
    ]
    applied_at: Annotated[
        UtcTime | None,
        Field(description="The beginning of the first interval that ran the recommended processors."),
    ]
    superseded_at: Annotated[UtcTime | None, Field(description="The end of the data of the next change.")]
    expected_seconds: Annotated[float | None, Field(description="The expected E[T]; null = infinite.")]
    before_seconds: Annotated[
        float | None,
        Field(description="The decision's measured_sojourn_seconds."),
    ]
    measured_seconds: Annotated[
        float | None,
        Field(
            description="E[T] measured until `judged_until` with the recommended processors, mean per external tuple."
        ),
    ]
    relative_error: Annotated[
        float | None, Field(description="(measured_seconds - expected_seconds) / expected_seconds")
    ]
    worst_seconds: Annotated[float | None, Field(description="The longest E[T] of an interval.")]
    limit_seconds: Annotated[float | None, Field(description="The E[T] that `kept` compares with.")]
    limit_source: Annotated[
        LimitSource | None,
        Field(description="target: the policy's target. promise: expected_seconds with its known error."),
    ]
    horizon_seconds: Annotated[
        float,
        Field(
            description="How long the decision had to hold after its data: until the next forecast change, "
            "else the policy's horizon_seconds or cooldown_seconds; at most 6 h."
        ),
    ]
    judged_until: Annotated[
        UtcTime | None,
        Field(
            description="The end of the decision's horizon, later if the change came late; null: not applied."
        ),
    ]
    intervals: Annotated[int, Field(description="Intervals with a measured E[T] in the horizon.")]
    missed_intervals: Annotated[int, Field(description="Intervals with an E[T] above the limit.")]
    missed_beyond_rate: Annotated[
        int | None, Field(description="Intervals above the limit at a rate above `holds_up_to_rate`.")
    ]
    is_complete: Annotated[bool, Field(description="Whether the intervals cover the horizon without a gap.")]
    kept: Annotated[
        bool | None,
        Field(
            description="Whether E[T] of every interval met the target, or measured_seconds the limit. "
            "null: the horizon is not over, was cut by other processors, or has a gap."
        ),
    ]
    detail: Annotated[str, Field(description="The same as sentences.")]
    diagnostics: Annotated[
        list[DiagnosticAnswer], Field(description="Differences between the report and the snapshots.")
    ] = []


Outcome = Annotated[
    OutcomeAnswer | None,
    Field(
        description="The reported outcome, else the observed one if the change runs; null: neither is known."
    ),
]
Observed = Annotated[
    ObservedAnswer | None,
    Field(description="The outcome that the snapshots show; null: the decision was just made for the past."),
]
