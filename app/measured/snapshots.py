"""Reads the newest snapshots of a topology; which snapshots cover their whole window."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from app.storage.stored_topologies import StoredTopology
from app.tables import SnapshotRow

KEY = (SnapshotRow.observed_at, SnapshotRow.window_seconds)
# Less than this of a window is a part of one: what was measured then is noisy, and its last tuples are missing.
LEAST_COVERED = 0.95
IS_WHOLE = (
    func.coalesce(SnapshotRow.covered_seconds, SnapshotRow.window_seconds)
    >= LEAST_COVERED * SnapshotRow.window_seconds
)


def find_newest(
    session: Session, topology: StoredTopology, count: int, ended_by: datetime | None = None
) -> Sequence[SnapshotRow]:
    """The newest `count` snapshots that are covered whole (of those that have ended by then), oldest first.

    Where none is, those that are covered in part; for one, of the newest two the one of which more is covered: a short
    log has two, and the last may be a moment long.
    """
    query = select_snapshots(topology).where(*_ended(ended_by)).order_by(*(column.desc() for column in KEY))
    if whole := session.scalars(query.where(IS_WHOLE).limit(count)).all():
        return whole[::-1]
    partial = session.scalars(query.limit(max(count, 2))).all()
    return [max(partial, key=_find_covered_share)] if partial and count == 1 else partial[::-1]


def find_newest_rates(
    session: Session, topology: StoredTopology, count: int, ended_by: datetime
) -> list[tuple[datetime, float, float]]:
    """Beginning, length and external rate of the newest `count` snapshots that are covered whole, oldest first.

    Operators stay unread.
    """
    columns = select(SnapshotRow.observed_at, SnapshotRow.window_seconds, SnapshotRow.external_rate)
    query = columns.where(SnapshotRow.topology_id == topology.id, IS_WHOLE, *_ended(ended_by))
    rows = session.execute(query.order_by(*(column.desc() for column in KEY)).limit(count)).all()
    return [(row[0], row[1], row[2]) for row in rows[::-1]]


def count_partial_since(
    session: Session, topology: StoredTopology, since: datetime, ended_by: datetime | None = None
) -> int:
    """How many snapshots that begin at this time or later (of those that have ended by then) are covered in part."""
    query = select(func.count()).where(
        SnapshotRow.topology_id == topology.id, SnapshotRow.observed_at >= since, ~IS_WHOLE, *_ended(ended_by)
    )
    return session.scalars(query).one()


def is_partial(row: SnapshotRow) -> bool:
    """Whether less than LEAST_COVERED of its window was measured."""
    return _find_covered_share(row) < LEAST_COVERED


def _find_covered_share(row: SnapshotRow) -> float:
    return 1.0 if row.covered_seconds is None else row.covered_seconds / row.window_seconds


def _ended(by: datetime | None) -> list[ColumnElement[bool]]:
    if by is None:
        return []
    return [SnapshotRow.window_seconds <= func.extract("epoch", by - SnapshotRow.observed_at)]


def select_snapshots(topology: StoredTopology) -> Select[SnapshotRow]:
    return select(SnapshotRow).where(SnapshotRow.topology_id == topology.id)
