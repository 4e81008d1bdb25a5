"""Reads the runs of the ingest and the lines that they rejected."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.database.tables import IngestRunRow, RejectedLineRow
from app.load.ingest_runs.schemas import IngestRun, IngestRunPage, RejectedLine, RejectedLinePage
from app.web.paging import Page
from app.web.stored_data_errors import UnknownIngestRun


def list_runs(session: Session, page: Page) -> IngestRunPage:
    """Newest first."""
    rows, following = page.read_rows(
        session.scalars, select(IngestRunRow), IngestRunRow.id, newest_first=True
    )
    return IngestRunPage(items=[IngestRun.model_validate(row) for row in rows], next=following)


def find_run(session: Session, run_id: int) -> IngestRunRow:
    row = session.get(IngestRunRow, run_id)
    if row is None:
        raise UnknownIngestRun(run_id)
    return row


def read_run(session: Session, run_id: int) -> IngestRun:
    """One run."""
    return IngestRun.model_validate(find_run(session, run_id))


def list_rejects(session: Session, run_id: int, page: Page) -> RejectedLinePage:
    """In the order of files and lines."""
    run = find_run(session, run_id)
    query = select(RejectedLineRow).where(RejectedLineRow.run_id == run_id)
    rows, following = page.read_rows(session.scalars, query, RejectedLineRow.number)
    items = [RejectedLine.model_validate(one) for one in rows]
    return RejectedLinePage(items=items, reasons=run.reject_reasons, next=following)
