"""The newest decision that still stands: on the newest snapshot, the current revision and the stored policy."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.database.storage_errors import NoSnapshot
from app.database.stored_topologies import StoredTopology
from app.database.tables import DecisionRow, Document, PolicyRow
from app.deciding.decisions.gathering import refuse_stale
from app.deciding.decisions.schemas import DecisionAnswer
from app.deciding.policies.schemas import PolicyBody
from app.load.measurements.snapshots import find_newest

MOST_COMPARED = 10
"""Decisions on the same data: more than one are made where somebody tries policies out."""


def find_standing_decision(session: Session, stored: StoredTopology) -> DecisionAnswer | None:
    """The stored decision on the newest snapshot, None where none was made; raises where that snapshot is too old."""
    newest = find_newest(session, stored, 1)
    if not newest:
        raise NoSnapshot(stored.name)
    try:
        ended = newest[0].observed_at + timedelta(seconds=newest[0].window_seconds)
    except OverflowError:
        return None  # deciding says what is wrong
    row = session.get(PolicyRow, stored.id)
    policy = None if row is None else PolicyBody.model_validate(row.policy)
    for document in list_decisions_for(session, stored, ended):
        answer = DecisionAnswer.model_validate(document)
        if policy is None or policy == answer.policy:
            refuse_stale(stored.name, answer.policy, ended, datetime.now(UTC))
            return answer
    return None


def list_decisions_for(session: Session, stored: StoredTopology, ended: datetime) -> Sequence[Document]:
    """The newest decisions for this time at the current revision, newest first."""
    query = (
        select(DecisionRow.answer)
        .where(
            DecisionRow.topology_id == stored.id,
            DecisionRow.revision == stored.revision,
            DecisionRow.decided_for == ended,
        )
        .order_by(DecisionRow.created_at.desc(), DecisionRow.id)
        .limit(MOST_COMPARED)
    )
    return session.scalars(query).all()
