"""Reads stored decisions, as they were answered."""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.decisions.schemas import DecisionAnswer, DecisionPage, DecisionSummary
from app.http.pages import Page
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
    """The stored answer, with the forecast and the placement where a recommendation made it."""
    return DecisionAnswer.model_validate(row.answer | {"id": row.id, "created_at": row.created_at})


def list_decisions(session: Session, name: str, page: Page) -> DecisionPage:
    """The decisions about a topology, newest first."""
    stored = find_topology(session, name)
    query = select(
        DecisionRow.id,
        DecisionRow.created_at,
        DecisionRow.decided_for,
        DecisionRow.action,
        DecisionRow.external_rate,
        DecisionRow.answer["processors"].label("processors"),
        DecisionRow.answer["reasons"].label("reasons"),
    ).where(DecisionRow.topology_id == stored.id)
    rows, following = page.read_rows(session.execute, query, *KEY, newest_first=True)
    return DecisionPage(items=[DecisionSummary.model_validate(row) for row in rows], next=following)
