"""/v1/ingest-runs: the runs of the nightly ingest, and the lines that they could not use."""

from datetime import date, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path
from pydantic import Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.database.connections.transactions import SessionDep
from app.database.tables import IngestRunRow, RejectedLineRow
from app.web.callers.security import may_read
from app.web.fields import Answer, NextPage
from app.web.paging import PageDep
from app.web.problems.documented_problems import document_problems
from app.web.problems.stored_data_errors import UnknownIngestRun
from app.web.routing import StrictJsonRoute


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
    """Runs, newest first."""

    items: list[IngestRun]
    next: NextPage = None


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
    next: NextPage = None


def find_run(session: Session, run_id: int) -> IngestRunRow:
    row = session.get(IngestRunRow, run_id)
    if row is None:
        raise UnknownIngestRun(run_id)
    return row


router = APIRouter(
    prefix="/v1/ingest-runs", tags=["ingest"], route_class=StrictJsonRoute, dependencies=[Depends(may_read)]
)
RunId = Annotated[int, Path(ge=1, le=2**63 - 1)]


@router.get("", summary="List ingest runs", responses=document_problems())
def list_ingest_runs(page: PageDep, session: SessionDep) -> IngestRunPage:
    """The runs of the nightly ingest, newest first."""
    return page.answer(
        IngestRunPage, session.scalars, select(IngestRunRow), IngestRunRow.id, newest_first=True
    )


@router.get("/{run_id:int}", summary="Read an ingest run", responses=document_problems("unknown-ingest-run"))
def get_ingest_run(run_id: RunId, session: SessionDep) -> IngestRun:
    """The records that the run read, and their results."""
    return IngestRun.model_validate(find_run(session, run_id))


@router.get(
    "/{run_id:int}/rejects",
    summary="Read the lines that a run could not use",
    responses=document_problems("unknown-ingest-run"),
)
def list_rejected_lines(run_id: RunId, page: PageDep, session: SessionDep) -> RejectedLinePage:
    """File, line, reason and the beginning of each; at most 100,000 are kept, while `reasons` counts all."""
    reasons = find_run(session, run_id).reject_reasons
    query = select(RejectedLineRow).where(RejectedLineRow.run_id == run_id)
    rows, following = page.read_rows(session.scalars, query, RejectedLineRow.number)
    return RejectedLinePage.model_validate({"items": rows, "reasons": reasons, "next": following})
