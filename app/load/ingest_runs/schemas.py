"""Runs of the ingest and the lines they rejected, as JSON."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field

from app.web.fields import Answer


class RunDiagnostic(Answer):
    """A fact that limits how far the run's windows can be trusted."""

    code: str
    topology: str
    detail: str


class IngestRun(Answer):
    """One run; read = accepted + rejected + duplicates once it has succeeded."""

    id: int
    state: Annotated[
        Literal["running", "succeeded", "failed", "abandoned"],
        Field(description="abandoned: its process ended without a report; nothing of it was written."),
    ]
    paths: list[str]
    day: Annotated[date | None, Field(description="The value of --date.")]
    window_seconds: int
    started_at: datetime
    finished_at: datetime | None
    seconds: float | None
    read: Annotated[int | None, Field(description="Records, without blank lines.")]
    accepted: int | None
    rejected: int | None
    duplicates: int | None
    windows: Annotated[int | None, Field(description="(topology, operator, window) written.")]
    first_window_at: datetime | None
    last_window_at: datetime | None
    reject_reasons: Annotated[dict[str, int], Field(description="Rejected records by reason.")]
    diagnostics: list[RunDiagnostic]
    error: str | None


class IngestRunPage(Answer):
    """Runs, newest first; `next` is the address of the following page."""

    items: list[IngestRun]
    next: str | None = None


class RejectedLine(Answer):
    """A record that could not be used."""

    file: str
    line: Annotated[int, Field(description="Counted from 1; in Parquet the row.")]
    reason: str
    text: Annotated[str, Field(description="Its first 200 characters.")]


class RejectedLinePage(Answer):
    """The rejected lines of a run, by file and line, with the counts of all of them by reason."""

    items: list[RejectedLine]
    reasons: dict[str, int]
    next: str | None = None
