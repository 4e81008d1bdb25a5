"""Reads what the ingest wrote down of its runs."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.http.pages import Page, bad_cursor
from app.ingest_runs.schemas import IngestRun, IngestRunPage, RejectedLine, RejectedLinePage
from app.storage.storage_errors import UnknownIngestRun
from app.tables import IngestRunRow, RejectedLineRow


def list_runs(session: Session, page: Page) -> IngestRunPage:
    """Newest first."""
    query = select(IngestRunRow).order_by(IngestRunRow.id.desc()).limit(page.limit + 1)
    if key := page.after_key(1):
        query = query.where(IngestRunRow.id < read_number(key[0]))
    rows = session.scalars(query).all()
    items = [IngestRun.model_validate(row) for row in rows[: page.limit]]
    return IngestRunPage(items=items, next=page.next_url(items[-1].id) if len(rows) > page.limit else None)


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
    row = RejectedLineRow
    query = select(row).where(row.run_id == run_id).order_by(row.number).limit(page.limit + 1)
    if key := page.after_key(1):
        query = query.where(row.number > read_number(key[0]))
    rows = session.scalars(query).all()
    more = len(rows) > page.limit
    return RejectedLinePage(
        items=[RejectedLine.model_validate(one) for one in rows[: page.limit]],
        reasons=run.reject_reasons,
        next=page.next_url(rows[page.limit - 1].number) if more else None,
    )


def read_number(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 18:
        raise bad_cursor()
    return int(text)
