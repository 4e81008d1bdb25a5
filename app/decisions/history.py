"""The decisions that were made, as they were answered."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from app.decisions.schemas import DecisionAnswer, DecisionPage, DecisionSummary
from app.http.pages import Page, bad_cursor
from app.storage.storage_errors import UnknownDecision
from app.storage.stored_topologies import find_topology
from app.tables import DecisionRow

KEY = (DecisionRow.created_at, DecisionRow.id)


def find_latest(session: Session, name: str) -> DecisionAnswer:
    """The newest decision about a topology."""
    stored = find_topology(session, name)
    row = session.scalar(
        select(DecisionRow)
        .where(DecisionRow.topology_id == stored.id)
        .order_by(*(column.desc() for column in KEY))
        .limit(1)
    )
    if row is None:
        raise UnknownDecision(name)
    return read_row(row)


def find_decision(session: Session, decision_id: UUID) -> DecisionAnswer:
    """A stored decision, as it was answered."""
    row = session.get(DecisionRow, decision_id)
    if row is None:
        raise UnknownDecision(decision_id)
    return read_row(row)


def read_row(row: DecisionRow) -> DecisionAnswer:
    """As it was answered; with the forecast and the placement, where it was part of a recommendation."""
    return DecisionAnswer.model_validate(row.answer | {"id": row.id, "created_at": row.created_at})


def list_decisions(session: Session, name: str, page: Page) -> DecisionPage:
    """The decisions about a topology, newest first."""
    stored = find_topology(session, name)
    query = (
        select(
            DecisionRow.id,
            DecisionRow.created_at,
            DecisionRow.decided_for,
            DecisionRow.action,
            DecisionRow.external_rate,
            DecisionRow.answer["processors"].label("processors"),
            DecisionRow.answer["reasons"].label("reasons"),
        )
        .where(DecisionRow.topology_id == stored.id)
        .order_by(*(column.desc() for column in KEY))
        .limit(page.limit + 1)
    )
    if key := page.after_key(2):
        query = query.where(tuple_(*KEY) < tuple_(*_read_key(*key)))
    rows = session.execute(query).all()
    items = [DecisionSummary.model_validate(row) for row in rows[: page.limit]]
    more = len(rows) > page.limit
    return DecisionPage(
        items=items, next=page.next_url(items[-1].created_at.isoformat(), items[-1].id) if more else None
    )


def _read_key(created_at: str, decision_id: str) -> tuple[datetime, UUID]:
    try:
        return datetime.fromisoformat(created_at), UUID(decision_id)
    except ValueError as error:
        raise bad_cursor() from error
