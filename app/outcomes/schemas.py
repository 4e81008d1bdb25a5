"""Outcomes of decisions as JSON."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, JsonValue

from app.http.fields import Answer, Body, OperatorName, Processors, Seconds, UtcTime

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


def drop_nul(text: str | None) -> str | None:
    """The text without U+0000, which Postgres does not store."""
    return None if text is None else text.replace("\x00", "")


class OutcomeBody(Body):
    """What became of a decision; a field that is left out keeps what was reported before in the same state."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

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
            "processors than the recommended ones."
        ),
    ]
    processors: dict[str, int] | None
    detail: str | None
    reported_at: datetime
