"""Series over time as JSON."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from app.web.fields import Answer, UtcTime, show_example

EXAMPLE_POINT: dict[str, JsonValue] = {
    "at": "2026-11-18T00:00:00Z",
    "snapshots": 5,
    "external_rate": 318.2,
    "highest_rate": 331.0,
    "measured_sojourn_seconds": 0.094,
    "expected_sojourn_seconds": 0.091,
    "processors_running": 22,
    "processors_recommended": 24,
    "action": "scale_up",
}


class SeriesPoint(Answer):
    """One bucket of time; null: the bucket has no such data."""

    at: Annotated[UtcTime, Field(description="The beginning of the bucket.")]
    snapshots: Annotated[
        int,
        Field(description="Snapshots that begin in the bucket; 0: a gap."),
    ]
    external_rate: Annotated[float | None, Field(description="Mean of the snapshots.")] = None
    highest_rate: float | None = None
    measured_sojourn_seconds: Annotated[
        float | None, Field(description="Mean per external tuple, over the snapshots that measured it.")
    ] = None
    expected_sojourn_seconds: Annotated[
        float | None,
        Field(description="Estimate for the bucket's newest snapshot; null also if unbounded."),
    ] = None
    is_overloaded: Annotated[bool, Field(description="An operator could not keep up in it.")] = False
    processors_running: Annotated[
        int | None,
        Field(description="Total in the bucket's newest snapshot; null: unknown for some operator."),
    ] = None
    processors_recommended: Annotated[
        int | None, Field(description="Total of the bucket's newest decision.")
    ] = None
    action: Literal["hold", "scale_up", "scale_down", "rebalance"] | None = None
    note: Annotated[str | None, Field(description="What the numbers do not say.")] = None


class Series(Answer):
    """Points at equal distances; the last bucket may be incomplete."""

    model_config = show_example(
        {
            "topology": "fpd",
            "from": "2026-11-18T00:00:00Z",
            "to": "2026-11-18T00:05:00Z",
            "bucket_seconds": 300,
            "target_seconds": 0.1,
            "points": [EXAMPLE_POINT],
        }
    )

    topology: str
    since: Annotated[UtcTime, Field(serialization_alias="from")]
    until: Annotated[UtcTime, Field(serialization_alias="to")]
    bucket_seconds: float
    target_seconds: Annotated[
        float | None, Field(description="t_max_seconds of the current policy; null: it has none.")
    ]
    hourly_until: Annotated[
        UtcTime | None,
        Field(description="Before this time points are made of hourly roll-ups; null: of snapshots only."),
    ] = None
    points: list[SeriesPoint]
