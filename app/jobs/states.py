"""What all jobs share: their states as JSON, reading them from rows, listing, cancelling and deleting."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query
from sqlalchemy import ColumnElement, Select, delete, func, select, update
from sqlalchemy.orm import Session

from app.database.tables import JobColumns
from app.web.fields import Answer, StoredBy
from app.web.paging import Page
from app.web.problems.stored_data_errors import Unlisted

State = Literal["queued", "running", "succeeded", "failed", "cancelled"]
StateFilter = Annotated[State | None, Query(description="Only jobs in this state.")]
UNFINISHED = ("queued", "running")
READ_FROM_ROW = ("id", "state", "progress", "error", "created_at", "created_by", "started_at", "finished_at")


class JobErrorAnswer(Answer):
    """Why a job failed: a problem type, `internal-error` or `interrupted`."""

    type: str
    detail: str


class JobAnswer(Answer):
    """The state of a job; `progress` goes from 0 to 1, `activity` is a sentence."""

    id: UUID
    state: State
    progress: float
    activity: str
    error: JobErrorAnswer | None
    created_at: datetime
    created_by: StoredBy = None
    started_at: datetime | None
    finished_at: datetime | None


def select_states(table: type[JobColumns], *columns: ColumnElement[Any]) -> Select[Any]:
    """Returns the query for the states of jobs with these columns, without requests and answers, which may be large."""
    return select(*(getattr(table, name) for name in READ_FROM_ROW), *columns)


def read_state(row: Any) -> dict[str, Any]:
    """Returns the fields of a JobAnswer, all but `activity`, from a row of `select_states`."""
    return {name: getattr(row, name) for name in READ_FROM_ROW}


def list_jobs(
    session: Session, query: Select[Any], table: type[JobColumns], page: Page, state: State | None
) -> tuple[Sequence[Any], str | None]:
    """Returns a page of the jobs that the query finds, newest first, and the address of the next page."""
    if state is not None:
        query = query.where(table.state == state)
    return page.read_rows(session.execute, query, table.created_at, table.id, newest_first=True)


def cancel_or_delete(session: Session, row: type[JobColumns], job_id: UUID, unknown: type[Unlisted]) -> bool:
    """Cancels an unfinished job, keeps its row and returns True; deletes a finished job and returns False."""
    of_id = row.id == job_id
    state = session.scalar(select(row.state).where(of_id).with_for_update())
    if state is None:
        raise unknown(job_id)
    if state not in UNFINISHED:
        session.execute(delete(row).where(of_id))
        return False
    session.execute(update(row).where(of_id).values(state="cancelled", finished_at=func.now()))
    return True
