"""The overview as JSON."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, get_args
from uuid import UUID

from fastapi import Query
from pydantic import AfterValidator, Field, JsonValue

from app.load.measurements.freshness import DataState, Withheld
from app.web.fields import Answer, NextPage, UtcTime, printable, show_example

Status = Literal[
    "overloaded",
    "target-missed",
    "target-missed-estimated",
    "ahead-of-clock",
    "stale",
    "change-wanted",
    "rate-above-reach",
    "undecided",
    "no-policy",
    "no-measurements",
    "fine",
]
STATUSES: tuple[Status, ...] = get_args(Status)
"""The statuses, the most urgent first: a topology has the first whose condition holds (gathering.find_causes)."""


@dataclass(frozen=True)
class OverviewFilter:
    """The topologies in a list: name and an operator's name contain the texts; the status is one of `statuses`."""

    statuses: tuple[Status, ...] = ()
    contains: str = ""
    operator: str = ""


def read_filter(
    status: Annotated[
        list[Status] | None,
        Query(max_length=len(STATUSES), description="Only topologies with this status; may be repeated."),
    ] = None,
    contains: Annotated[
        Annotated[str, AfterValidator(printable)] | None,
        Query(max_length=200, description="Only names that contain this text, in upper or lower case."),
    ] = None,
    operator: Annotated[
        Annotated[str, AfterValidator(printable)] | None,
        Query(max_length=200, description="Only with an operator whose name contains this text."),
    ] = None,
) -> OverviewFilter:
    """The filter in the query; without parameters it accepts every topology."""
    return OverviewFilter(tuple(status or ()), contains or "", operator or "")


EXAMPLE: dict[str, JsonValue] = {
    "name": "fpd",
    "revision": 1,
    "status": "change-wanted",
    "detail": "22 processors run, 24 are recommended.",
    "decision_id": "0b1f7c62-6f0c-4b7e-9a53-9d3c1c3c7f10",
    "data": {
        "state": "fresh",
        "measured_until": "2026-11-18T00:01:00Z",
        "usable": True,
        "limit_seconds": 900.0,
        "limit_source": "policy",
        "ahead_until": None,
        "detail": "The newest snapshot ended at ...",
    },
    "withheld": None,
    "action": "scale_up",
    "decided_for": "2026-11-18T00:01:00Z",
    "processors_running": 22,
    "processors_recommended": 24,
    "expected_sojourn_seconds": 0.081,
    "recommended_sojourn_seconds": 0.064,
    "measured_sojourn_seconds": 0.094,
    "target_seconds": 0.1,
    "target_of": "E[T]",
    "external_rate": 320.0,
    "holds_up_to_rate": 410.2,
    "measured_until": "2026-11-18T00:01:00Z",
    "outcome": None,
    "rates": [318.5, 320.0],
    "day": [None, 0.094],
    "judged_minutes": 10020.0,
    "kept_minutes": 9814.0,
    "processor_hour_price": 0.05,
    "labels": ["payments"],
}


class OverviewRow(Answer):
    """One topology; null: not known."""

    name: str
    revision: int
    status: Status
    detail: Annotated[str, Field(description="The status in a sentence.")]
    decision_id: UUID | None
    data: Annotated[DataState, Field(description="The measurements now.")]
    withheld: Annotated[
        Withheld | None,
        Field(description="Why the fields of the decision are null."),
    ]
    action: Literal["hold", "scale_up", "scale_down", "rebalance"] | None
    decided_for: UtcTime | None
    processors_running: int | None
    processors_recommended: Annotated[
        int | None,
        Field(
            description="The total of `wanted` of the decision; before its turn in a fleet, what it may run then."
        ),
    ]
    expected_sojourn_seconds: Annotated[
        float | None,
        Field(description="E[T] with the processors that ran at the decision; null also if it is unbounded."),
    ]
    recommended_sojourn_seconds: Annotated[
        float | None,
        Field(
            description="E[T] with the recommended processors as the verdict of the decision states it: corrected by "
            "measured waits where intervals can be compared."
        ),
    ]
    measured_sojourn_seconds: Annotated[float | None, Field(description="Of the newest snapshot.")]
    target_seconds: Annotated[float | None, Field(description="t_max_seconds, or the seconds of `target`.")]
    target_of: Annotated[str | None, Field(description="The limited time, such as E[T].")]
    external_rate: Annotated[float | None, Field(description="Of the newest snapshot.")]
    holds_up_to_rate: Annotated[
        float | None,
        Field(description="The highest external rate at which the recommended processors meet the goal."),
    ]
    measured_until: Annotated[datetime | None, Field(description="The end of the newest snapshot.")]
    outcome: Literal["applied", "refused", "failed", "rolled-back"] | None
    rates: Annotated[
        list[float], Field(description="External rates of the newest 30 snapshots, oldest first.")
    ]
    day: Annotated[
        list[float | None],
        Field(description="Measured E[T] of the newest snapshot of each of the last 24 hours, oldest first."),
    ]
    judged_minutes: Annotated[float, Field(description="Of 7 days: E[T] had a target.")]
    kept_minutes: Annotated[float, Field(description="Those within it.")]
    processor_hour_price: Annotated[float | None, Field(description="The policy's.")]
    labels: list[str]


class Overview(Answer):
    """A page of topologies, the most urgent first."""

    model_config = show_example({"counts": {"change-wanted": 1}, "items": [EXAMPLE], "next": None})

    counts: Annotated[
        dict[str, int],
        Field(
            description="The number of topologies in each status, on all pages and without the filter `status`."
        ),
    ]
    items: list[OverviewRow]
    next: NextPage = None
