"""The throughput samples that are stored for a topology."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.database.tables import MstSampleRow
from app.load.bodies.series import MOST_SAMPLES


def find_newest_samples(session: Session, topology_id: int) -> Sequence[MstSampleRow]:
    """The newest samples, newest first: as many as one call may send."""
    newest_first = (MstSampleRow.observed_at.desc(), MstSampleRow.vms.desc())
    query = select(MstSampleRow).where(MstSampleRow.topology_id == topology_id)
    return session.scalars(query.order_by(*newest_first).limit(MOST_SAMPLES)).all()
