"""Cancels jobs that are not finished, and deletes those that are."""

from uuid import UUID

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from app.database.storage_errors import Unlisted
from app.database.tables import JobColumns

UNFINISHED = ("queued", "running")


def cancel_or_delete(session: Session, row: type[JobColumns], job_id: UUID, unknown: type[Unlisted]) -> bool:
    """True: it was not finished and is cancelled now, which keeps its row. False: it was finished and is deleted."""
    of_id = row.id == job_id
    state = session.scalar(select(row.state).where(of_id).with_for_update())
    if state is None:
        raise unknown(job_id)
    if state not in UNFINISHED:
        session.execute(delete(row).where(of_id))
        return False
    session.execute(update(row).where(of_id).values(state="cancelled", finished_at=func.now()))
    return True
