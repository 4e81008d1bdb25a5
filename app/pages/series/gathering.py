"""Snapshots and decisions in buckets of time, put together by the database."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Integer,
    Row,
    Select,
    SQLColumnExpression,
    case,
    cast,
    func,
    literal,
    select,
    true,
    union_all,
)
from sqlalchemy.orm import Session

from app.database.tables import DecisionRow, HourlyLoadRow, SnapshotRow
from app.load.measurements.snapshots import find_end, find_newest
from app.load.measurements.stored_topologies import StoredTopology

USUAL_SECONDS = 86_400.0
HOUR = timedelta(hours=1)
LEAST_SECONDS = 1e-3
# A last bucket with a smaller share of the length is an error of rounding.
ROUNDING = 1e-9
# Errors of rounding in the time at which a bucket begins are smaller, also of a bucket that takes years.
LEAST_SLACK, SLACK = timedelta(milliseconds=10), 1e-6


@dataclass(frozen=True, slots=True)
class Buckets:
    """Buckets of `seconds` each, from `since` to `until`; before `hourly_until` snapshots are rolled up to hours."""

    since: datetime
    until: datetime
    seconds: float
    hourly_until: datetime | None = None

    def count_all(self) -> int:
        """The number of buckets; the last one may be shorter."""
        return max(1, ceil((self.until - self.since).total_seconds() / self.seconds - ROUNDING))

    def number(self, column: SQLColumnExpression[datetime]) -> ColumnElement[int]:
        """The bucket in which a time lies."""
        passed = func.date_part("epoch", column - literal(self.since))
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
    hourly_until = find_hourly_until(session, stored, first, last)
    if since is None and hourly_until is None:
        first = find_first(session, stored, first, last)
    length = max((last - first).total_seconds(), 0.0)
    least = window if hourly_until is None else max(window, HOUR.total_seconds())
    return Buckets(first, max(first, last), max(least, length / points, LEAST_SECONDS), hourly_until)


def find_first(session: Session, stored: StoredTopology, since: datetime, until: datetime) -> datetime:
    """The time from which on anything was measured or decided in [since, until); `since` if nothing was."""
    measured, decided = SnapshotRow.observed_at, DecisionRow.decided_for
    return min(
        session.scalar(
            select(func.min(measured)).where(
                SnapshotRow.topology_id == stored.id, measured >= since, measured < until
            )
        )
        or since,
        session.scalar(
            select(func.min(decided)).where(
                DecisionRow.topology_id == stored.id, decided > since, decided < until
            )
        )
        or until,
    )


def find_hourly_until(
    session: Session, stored: StoredTopology, since: datetime, until: datetime
) -> datetime | None:
    """The end of the last hour in [since, until) whose snapshots were rolled up; None: there is none."""
    last = session.scalar(
        select(func.max(HourlyLoadRow.hour)).where(
            HourlyLoadRow.topology_id == stored.id, HourlyLoadRow.hour >= since, HourlyLoadRow.hour < until
        )
    )
    return None if last is None else last + HOUR


def go_back(at: datetime, seconds: float) -> datetime:
    """The time that lies `seconds` earlier, but not before the year 1."""
    try:
        return at - timedelta(seconds=seconds)
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def gather_snapshots(session: Session, stored: StoredTopology, buckets: Buckets) -> Sequence[Row[Any]]:
    """The number of each bucket, the aggregates of its snapshots, and the load of the newest one."""
    grouped = group_snapshots(stored, buckets).subquery()
    own = (
        select(SnapshotRow.operators, SnapshotRow.external_rate.label("newest_rate"))
        .where(SnapshotRow.topology_id == stored.id, SnapshotRow.observed_at == grouped.c.newest)
        .order_by(SnapshotRow.window_seconds)
        .limit(1)
        .correlate(grouped)
    )
    of_hour = (
        select(HourlyLoadRow.operators, HourlyLoadRow.newest_rate)
        .where(
            HourlyLoadRow.topology_id == stored.id,
            HourlyLoadRow.hour == func.date_trunc("hour", grouped.c.newest, "UTC"),
            HourlyLoadRow.newest_at == grouped.c.newest,
        )
        .correlate(grouped)
    )
    newest = (own if buckets.hourly_until is None else union_all(own, of_hour).limit(1)).lateral()
    query = select(grouped, newest.c.operators, newest.c.newest_rate).join(newest, true())
    return session.execute(query.order_by(grouped.c.number)).all()


def group_snapshots(stored: StoredTopology, buckets: Buckets) -> Select[Any]:
    """For each bucket: snapshots, mean and highest rate, E[T] as a mean over tuples, start of the newest snapshot."""
    one = select_sums(stored, buckets).subquery()
    number = buckets.number(one.c.at).label("number")
    # Without any tuple all intervals have the same weight.
    by_tuples = func.sum(one.c.sojourn_tuples) / func.nullif(func.sum(one.c.measured_tuples), 0.0)
    by_intervals = func.sum(one.c.sojourn_sum) / func.nullif(func.sum(one.c.sojourns), 0)
    columns: list[Any] = [
        number,
        func.sum(one.c.snapshots).label("snapshots"),
        (func.sum(one.c.rate_sum) / func.sum(one.c.snapshots)).label("external_rate"),
        func.max(one.c.highest_rate).label("highest_rate"),
        func.coalesce(by_tuples, by_intervals).label("measured_sojourn_seconds"),
        func.max(one.c.newest).label("newest"),
    ]
    return select(*columns).group_by(number)


def select_sums(stored: StoredTopology, buckets: Buckets) -> CompoundSelect[Any] | Select[Any]:
    """The sums of HourlyLoadRow for each snapshot in the buckets, and those of the hours that were rolled up."""
    sojourn, rate, at = (
        SnapshotRow.measured_sojourn_seconds,
        SnapshotRow.external_rate,
        SnapshotRow.observed_at,
    )
    tuples, is_measured = rate * SnapshotRow.window_seconds, sojourn.is_not(None)
    of_minutes = select(
        at.label("at"),
        literal(1).label("snapshots"),
        cast(is_measured, Integer).label("sojourns"),
        rate.label("rate_sum"),
        rate.label("highest_rate"),
        case((is_measured, tuples)).label("measured_tuples"),
        (sojourn * tuples).label("sojourn_tuples"),
        sojourn.label("sojourn_sum"),
        at.label("newest"),
    ).where(SnapshotRow.topology_id == stored.id, at >= buckets.since, at < buckets.until)
    if buckets.hourly_until is None:
        return of_minutes
    row = HourlyLoadRow
    is_known = row.sojourns > 0
    of_hours = select(
        row.hour,
        row.snapshots,
        row.sojourns,
        row.rate_sum,
        row.highest_rate,
        case((is_known, row.measured_tuples)),
        case((is_known, row.sojourn_tuples)),
        case((is_known, row.sojourn_sum)),
        row.newest_at,
    ).where(row.topology_id == stored.id, row.hour >= buckets.since, row.hour < buckets.until)
    return union_all(of_minutes, of_hours)


def gather_decisions(session: Session, stored: StoredTopology, buckets: Buckets) -> Sequence[Row[Any]]:
    """For each bucket with decisions that are no trials: its number, and the newest one's action and processors."""
    every = select(func.generate_series(0, buckets.count_all() - 1).label("number")).subquery()
    # A decision is for the end of its newest interval, which belongs to the bucket of that interval.
    number = buckets.number(DecisionRow.decided_for - timedelta(microseconds=1))
    nearly = literal(buckets.since) + func.make_interval(0, 0, 0, 0, 0, 0, every.c.number * buckets.seconds)
    slack = LEAST_SLACK + timedelta(seconds=buckets.seconds * SLACK)
    newest = (
        select(DecisionRow.action, DecisionRow.recommended.label("total"))
        .where(
            DecisionRow.topology_id == stored.id,
            DecisionRow.is_trial.is_(False),
            DecisionRow.decided_for > buckets.since,
            DecisionRow.decided_for <= buckets.until,
            # These bounds, wider than the bucket, let the index find the few rows of which `number` is computed.
            DecisionRow.decided_for >= nearly - slack,
            DecisionRow.decided_for <= nearly + (timedelta(seconds=buckets.seconds) + slack),
            number == every.c.number,
        )
        .order_by(DecisionRow.decided_for.desc(), DecisionRow.created_at.desc())
        .limit(1)
        .correlate(every)
        .lateral()
    )
    columns: list[Any] = [every.c.number, newest.c.action, newest.c.total]
    query = select(*columns).join(newest, true())
    return session.execute(query.order_by(every.c.number)).all()
