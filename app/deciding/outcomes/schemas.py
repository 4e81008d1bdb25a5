"""Outcomes of decisions as JSON."""

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
        description="applied: the recommended processors run. refused: the platform took nothing. failed: they could "
        "not be made to run. rolled-back: they ran, and those from before run again. After refused and failed no "
        "cooldown begins."
    ),
]


class OutcomeBody(Body):
    """What became of a decision; a field that is left out keeps what was reported before in the same state."""

    model_config = show_example(EXAMPLE)

    state: OutcomeState
    applied_at: Annotated[UtcTime | None, Field(description="Left out with state applied: now.")] = None
    processors: Annotated[
        dict[OperatorName, Processors] | None,
        Field(description="What runs since; left out: the recommended processors, where they were applied."),
    ] = None
    measured_seconds: Annotated[
        Seconds | None, Field(description="E[T] measured with them, after the change has settled.")
    ] = None
    detail: Annotated[
        Annotated[str, Field(max_length=2000), AfterValidator(drop_nul)] | None,
        Field(description="Such as the platform's words."),
    ] = None


class OutcomeAnswer(Answer):
    """What became of a decision, and whether it brought what it promised."""

    state: OutcomeState
    applied_at: datetime | None
    expected_seconds: Annotated[
        float | None, Field(description="E[T] that the decision promised; null = infinite.")
    ]
    measured_seconds: float | None
    kept: Annotated[
        bool | None,
        Field(
            description="Whether the measured E[T] is at most the promised one, plus the known error of this kind of "
            "input (0.15 where it is not known); null: not measured, nothing promised, never applied, or with other "
            "processors than the recommended ones. With source snapshots: `kept` of `observed`."
        ),
    ]
    processors: dict[str, int] | None
    detail: str | None
    reported_at: Annotated[datetime | None, Field(description="null: with source snapshots.")] = None
    source: Annotated[
        Literal["reported", "snapshots"],
        Field(description="snapshots: nobody reported it, and the measured intervals show it (`observed`)."),
    ] = "reported"


class ObservedAnswer(Answer):
    """What the snapshots show of a decision, whoever reports; null: not known."""

    state: Annotated[
        State,
        Field(
            description="applied: an interval ran the recommended processors. held: nothing was to change. waiting: "
            "none ran them yet. not-applied: none did before the next change was decided, or within 24 h. unknown: the "
            "intervals do not say their processors."
        ),
    ]
    applied_at: Annotated[
        UtcTime | None,
        Field(description="The beginning of the first interval that ran the recommended processors."),
    ]
    superseded_at: Annotated[UtcTime | None, Field(description="The next change was decided for then.")]
    expected_seconds: Annotated[float | None, Field(description="E[T] that it promised; null = infinite.")]
    before_seconds: Annotated[
        float | None,
        Field(
            description="E[T] measured over the intervals that it was decided on, at most as long as the horizon."
        ),
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
    worst_seconds: Annotated[float | None, Field(description="Of the interval with the longest E[T].")]
    limit_seconds: Annotated[float | None, Field(description="What `kept` compares with.")]
    limit_source: Annotated[
        LimitSource | None,
        Field(description="target: of the policy. promise: expected_seconds with its known error."),
    ]
    horizon_seconds: Annotated[
        float,
        Field(
            description="For so long after its data it had to hold: until the next change as forecast, else "
            "horizon_seconds, else cooldown_seconds of its policy; at most 6 h."
        ),
    ]
    judged_until: Annotated[
        UtcTime | None,
        Field(
            description="Where its horizon ends; as long again after a change that came later; null: not applied."
        ),
    ]
    intervals: Annotated[int, Field(description="That measured E[T] in the horizon.")]
    missed_intervals: Annotated[int, Field(description="Those with an E[T] above the limit.")]
    missed_beyond_rate: Annotated[
        int | None, Field(description="Those of them at a rate above `holds_up_to_rate`.")
    ]
    is_complete: Annotated[bool, Field(description="They cover the horizon without a gap.")]
    kept: Annotated[
        bool | None,
        Field(
            description="By a target: E[T] of every interval stayed within it. By the promise: measured_seconds did. "
            "null: the horizon is not over, was cut by other processors, or has a gap."
        ),
    ]
    detail: Annotated[str, Field(description="The same in sentences.")]
    diagnostics: Annotated[
        list[DiagnosticAnswer], Field(description="Where the report and the snapshots disagree.")
    ] = []


Outcome = Annotated[
    OutcomeAnswer | None,
    Field(
        description="What became of it, as reported. Where nobody reported, a change that snapshots show to run has "
        "what they show. null: neither."
    ),
]
Observed = Annotated[
    ObservedAnswer | None,
    Field(description="What the snapshots show of it; null: it was just decided for the past."),
]
