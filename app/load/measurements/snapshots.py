"""Reads the newest snapshots of a topology; which snapshots cover their whole window."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, func, select, union_all
from sqlalchemy.orm import Session, undefer

from app.database.stored_topologies import StoredTopology
from app.database.tables import SnapshotRow, TopologyRow

KEY = (SnapshotRow.observed_at, SnapshotRow.window_seconds)
# A snapshot that covers a smaller share of its window is noisy, and its last tuples are missing.
LEAST_COVERED = 0.95
# Shapes are long: of more snapshots they would be most of the time of an answer, and gigabytes in memory.
MOST_SHAPES = 60
IS_WHOLE = (
    func.coalesce(SnapshotRow.covered_seconds, SnapshotRow.window_seconds)
    >= LEAST_COVERED * SnapshotRow.window_seconds
)


def find_newest(
    session: Session, topology: StoredTopology, count: int, ended_by: datetime | None = None
) -> Sequence[SnapshotRow]:
    """The newest `count` snapshots that cover their whole window and ended by `ended_by`, oldest first.

    If there is none, those that cover part of it. If `count` is 1, the one of the newest two that covers more: a
    short log gives two parts, and the last may be only a moment long.
    """
    query = select_snapshots(topology).where(*ended(ended_by)).order_by(*(column.desc() for column in KEY))
    if whole := read_first(session, query.where(IS_WHOLE), count):
        return whole[::-1]
    partial = read_first(session, query, max(count, 2))
    return [max(partial, key=_find_covered_share)] if partial and count == 1 else partial[::-1]


def select_newest(*columns: Any) -> Select[Any]:
    """Columns of the snapshot that `find_newest` finds, for the TopologyRow of the enclosing query (as a lateral)."""
    covered = (
        func.coalesce(SnapshotRow.covered_seconds, SnapshotRow.window_seconds) / SnapshotRow.window_seconds
    )
    newest_first = (
        select(*columns, IS_WHOLE.label("is_whole"), covered.label("covered_share"))
        .where(SnapshotRow.topology_id == TopologyRow.id)
        .order_by(*(column.desc() for column in KEY))
        .correlate(TopologyRow)
    )
    # Two queries that end at their first rows: the index has no order by covered share.
    either = union_all(newest_first.where(IS_WHOLE).limit(1), newest_first.limit(2)).subquery()
    return select(either).order_by(either.c.is_whole.desc(), either.c.covered_share.desc()).limit(1)


def read_first(
    session: Session, query: Select[SnapshotRow], count: int, shaped: int = MOST_SHAPES
) -> Sequence[SnapshotRow]:
    """The first `count` rows of a query, the first `shaped` of them with their shapes."""
    first = session.scalars(query.options(undefer(SnapshotRow.shapes)).limit(min(count, shaped))).all()
    if count <= shaped or len(first) < shaped:
        return first
    return [*first, *session.scalars(query.offset(shaped).limit(count - shaped)).all()]


def find_newest_rates(
    session: Session, topology: StoredTopology, count: int, ended_by: datetime
) -> list[tuple[datetime, float, float]]:
    """Beginning, length and external rate of the newest `count` snapshots that cover their window, oldest first."""
    columns = select(SnapshotRow.observed_at, SnapshotRow.window_seconds, SnapshotRow.external_rate)
    query = columns.where(SnapshotRow.topology_id == topology.id, IS_WHOLE, *ended(ended_by))
    rows = session.execute(query.order_by(*(column.desc() for column in KEY)).limit(count)).all()
    return [(row[0], row[1], row[2]) for row in rows[::-1]]


def count_partial_since(
    session: Session, topology: StoredTopology, since: datetime, ended_by: datetime | None = None
) -> int:
    """How many snapshots that begin at `since` or later and ended by `ended_by` cover only part of their window."""
    query = select(func.count()).where(
        SnapshotRow.topology_id == topology.id, SnapshotRow.observed_at >= since, ~IS_WHOLE, *ended(ended_by)
    )
    return session.scalars(query).one()


def find_end(row: SnapshotRow) -> datetime:
    """The time at which the interval of a snapshot ends."""
    try:
        return row.observed_at + timedelta(seconds=row.window_seconds)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def is_partial(row: SnapshotRow) -> bool:
    """Whether the snapshot covers less than LEAST_COVERED of its window."""
    return _find_covered_share(row) < LEAST_COVERED


def _find_covered_share(row: SnapshotRow) -> float:
    return 1.0 if row.covered_seconds is None else row.covered_seconds / row.window_seconds


def ended(by: datetime | None) -> list[ColumnElement[bool]]:
    """The condition that a snapshot ended by this time; none without one."""
    if by is None:
        return []
    return [SnapshotRow.window_seconds <= func.extract("epoch", by - SnapshotRow.observed_at)]


def select_snapshots(topology: StoredTopology) -> Select[SnapshotRow]:
    return select(SnapshotRow).where(SnapshotRow.topology_id == topology.id)
