"""Snapshots and decisions in buckets of time, put together by the database."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, SQLColumnExpression, func, literal, select, true
from sqlalchemy.orm import Session

from app.database.tables import DecisionRow, SnapshotRow
from app.load.measurements.snapshots import find_end, find_newest
from app.load.measurements.stored_topologies import StoredTopology

USUAL_SECONDS = 86_400.0
LEAST_SECONDS = 1e-3
# A last bucket with a smaller share of the length is an error of rounding.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Buckets:
    """Buckets of `seconds` each, from `since` to `until`."""

    since: datetime
    until: datetime
    seconds: float

    def count_all(self) -> int:
        """The number of buckets; the last one may be shorter."""
        return max(1, ceil((self.until - self.since).total_seconds() / self.seconds - ROUNDING))

    def number(self, column: SQLColumnExpression[datetime]) -> ColumnElement[int]:
        """The bucket in which a time lies."""
        passed = func.extract("epoch", column - literal(self.since))
        return func.least(func.floor(passed / self.seconds), self.count_all() - 1)

    def begin(self, number: int) -> datetime:
        """The beginning of a bucket."""
        return self.since + timedelta(seconds=number * self.seconds)


def find_buckets(
    session: Session, stored: StoredTopology, since: datetime | None, until: datetime | None, points: int
) -> Buckets:
    """Buckets for this number of points; they end now if nothing was measured."""
    newest = find_newest(session, stored, 1, until)
    window = newest[-1].window_seconds if newest else 0.0
    last = until or (find_end(newest[-1]) if newest else datetime.now(UTC))
    first = since or go_back(last, max(USUAL_SECONDS, window))
    length = max((last - first).total_seconds(), 0.0)
    return Buckets(first, max(first, last), max(window, length / points, LEAST_SECONDS))


def go_back(at: datetime, seconds: float) -> datetime:
    """The time that lies `seconds` earlier, but not before the year 1."""
    try:
        return at - timedelta(seconds=seconds)
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def gather_snapshots(session: Session, stored: StoredTopology, buckets: Buckets) -> Sequence[Row[Any]]:
    """The number of each bucket, the aggregates of its snapshots, and the load of the newest one."""
    grouped = group_snapshots(stored, buckets).subquery()
    newest = (
        select(SnapshotRow.operators, SnapshotRow.external_rate.label("newest_rate"))
        .where(SnapshotRow.topology_id == stored.id, SnapshotRow.observed_at == grouped.c.newest)
        .order_by(SnapshotRow.window_seconds)
        .limit(1)
        .lateral()
    )
    query = select(grouped, newest.c.operators, newest.c.newest_rate).join(newest, true())
    return session.execute(query.order_by(grouped.c.number)).all()


def group_snapshots(stored: StoredTopology, buckets: Buckets) -> Select[Any]:
    """For each bucket: snapshots, mean and highest rate, E[T] as a mean over tuples, start of the newest snapshot."""
    sojourn, rate = SnapshotRow.measured_sojourn_seconds, SnapshotRow.external_rate
    number = buckets.number(SnapshotRow.observed_at).label("number")
    tuples = rate * SnapshotRow.window_seconds
    measured = func.sum(tuples).filter(sojourn.is_not(None))
    # Without any tuple all intervals have the same weight.
    mean_sojourn = func.coalesce(func.sum(sojourn * tuples) / func.nullif(measured, 0.0), func.avg(sojourn))
    return (
        select(
            number,
            func.count().label("snapshots"),
            func.avg(rate).label("external_rate"),
            func.max(rate).label("highest_rate"),
            mean_sojourn.label("measured_sojourn_seconds"),
            func.max(SnapshotRow.observed_at).label("newest"),
        )
        .where(
            SnapshotRow.topology_id == stored.id,
            SnapshotRow.observed_at >= buckets.since,
            SnapshotRow.observed_at < buckets.until,
        )
        .group_by(number)
    )


def gather_decisions(session: Session, stored: StoredTopology, buckets: Buckets) -> Sequence[Row[Any]]:
    """For each bucket with decisions: its number, and action and processors of the newest decision on its data."""
    # A decision is for the end of its newest interval, which belongs to the bucket of that interval.
    number = buckets.number(DecisionRow.decided_for - timedelta(microseconds=1)).label("number")
    query = (
        select(number, DecisionRow.action, DecisionRow.recommended.label("total"))
        .where(
            DecisionRow.topology_id == stored.id,
            DecisionRow.decided_for > buckets.since,
            DecisionRow.decided_for <= buckets.until,
        )
        .distinct(number)
        .order_by(number, DecisionRow.decided_for.desc(), DecisionRow.created_at.desc())
    )
    return list(session.execute(query))
