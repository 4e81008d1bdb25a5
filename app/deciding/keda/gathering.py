"""The standing decision, where it rests on the newest snapshot."""

from datetime import UTC, datetime

from sqlalchemy.orm import Session

from app.database.stored_topologies import StoredTopology
from app.deciding.decisions.gathering import refuse_stale
from app.deciding.decisions.schemas import DecisionAnswer
from app.deciding.standing import find_standing
from app.load.measurements.snapshots import find_end, find_newest
from app.web.stored_data_errors import NoSnapshot


def find_standing_decision(session: Session, stored: StoredTopology) -> DecisionAnswer | None:
    """The standing decision on the newest snapshot, None where none was made; raises where that snapshot is too old."""
    newest = find_newest(session, stored, 1)
    if not newest:
        raise NoSnapshot(stored.name)
    row = find_standing(session, stored)
    if row is None or row.decided_for != find_end(newest[0]):
        return None
    answer = DecisionAnswer.model_validate(row.answer)
    refuse_stale(stored.name, answer.policy, row.decided_for, datetime.now(UTC))
    return answer
