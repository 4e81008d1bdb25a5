"""The external rates of a topology's snapshots as a time series, for forecasts and backtests."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.http.error_pointers import blaming_what_is_stored
from app.storage.storage_errors import NoSnapshot
from app.storage.stored_topologies import StoredTopology
from app.tables import SnapshotRow
from planner.workloads.series import Measurement, Workload, check_forecastable, regularise_workload


def read_workload(
    session: Session,
    stored: StoredTopology,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    step_seconds: float | None = None,
    most: int,
    needed: int | None = None,
) -> Workload:
    """The external rates of the newest `most` snapshots, made regular; where `needed`, so many varying steps."""
    measured, window_seconds = read_external_rates(session, stored, since, until, most)
    if not measured:
        raise NoSnapshot(stored.name)
    # One snapshot alone is as long as its window.
    known_step = window_seconds if len(measured) == 1 else None
    with blaming_what_is_stored(stored.name):
        workload = regularise_workload(measured, step_seconds or known_step)
        if needed is not None:
            check_forecastable(workload.series, needed)
    return workload


def read_external_rates(
    session: Session, stored: StoredTopology, since: datetime | None, until: datetime | None, most: int
) -> tuple[Sequence[Measurement], float | None]:
    """The rates of the snapshots that are as long as the newest, oldest first, and that length in seconds."""
    of_topology = SnapshotRow.topology_id == stored.id
    bounds = [of_topology]
    if since is not None:
        bounds.append(SnapshotRow.observed_at >= since)
    if until is not None:
        bounds.append(SnapshotRow.observed_at < until)
    newest_first = SnapshotRow.observed_at.desc()
    window = (
        select(SnapshotRow.window_seconds)
        .where(*bounds)
        .order_by(newest_first, SnapshotRow.window_seconds)
        .limit(1)
        .scalar_subquery()
    )
    rows = session.execute(
        select(SnapshotRow.observed_at, SnapshotRow.external_rate, SnapshotRow.window_seconds)
        .where(*bounds, SnapshotRow.window_seconds == window)
        .order_by(newest_first)
        .limit(most)
    ).all()
    measured = [Measurement(row.observed_at.timestamp(), row.external_rate) for row in reversed(rows)]
    return measured, rows[0].window_seconds if rows else None
