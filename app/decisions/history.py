"""Reads stored decisions, as they were answered."""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.decisions.schemas import DecisionAnswer, DecisionPage, DecisionSummary
from app.http.pages import Page
from app.outcomes.schemas import OutcomeAnswer
from app.storage.storage_errors import UnknownDecision
from app.storage.stored_answers import list_answers, read_answer
from app.storage.stored_topologies import find_topology
from app.tables import DecisionRow


def find_latest(session: Session, name: str) -> DecisionAnswer:
    """The newest decision about a topology."""
    stored = find_topology(session, name)
    newest = session.scalar(
        select(DecisionRow)
        .where(DecisionRow.topology_id == stored.id)
        .order_by(DecisionRow.created_at.desc(), DecisionRow.id.desc())
        .limit(1)
    )
    if newest is None:
        raise UnknownDecision(name)
    return find_decision(session, newest.id)


def find_decision(session: Session, decision_id: UUID) -> DecisionAnswer:
    """A stored decision, as it was answered, with what became of it."""
    answer = read_answer(session, DecisionRow, DecisionAnswer, UnknownDecision, decision_id)
    row = session.get(DecisionRow, decision_id)
    if row is not None and row.outcome is not None:
        answer.outcome = OutcomeAnswer.model_validate(row.outcome)
    return answer


def list_decisions(session: Session, name: str, page: Page) -> DecisionPage:
    """The decisions about a topology, newest first."""
    columns = (
        DecisionRow.decided_for,
        DecisionRow.action,
        DecisionRow.external_rate,
        DecisionRow.answer["processors"].label("processors"),
        DecisionRow.answer["reasons"].label("reasons"),
        DecisionRow.outcome,
    )
    rows, following = list_answers(session, DecisionRow, name, page, *columns)
    return DecisionPage(items=[DecisionSummary.model_validate(row) for row in rows], next=following)
