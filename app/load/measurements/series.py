"""A topology's external rates as a time series, and its throughput samples, for forecasts and backtests."""

from collections.abc import Sequence
from datetime import UTC, datetime
from math import fsum

import numpy as np
from sqlalchemy import (
    ColumnElement,
    Double,
    LargeBinary,
    ScalarSelect,
    cast,
    extract,
    func,
    literal_column,
    select,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import Session

from app.database.tables import MstSampleRow, SnapshotRow
from app.load.bodies.series import MOST_SAMPLES
from app.load.measurements.snapshots import ended, find_ahead
from app.load.measurements.stored_topologies import StoredTopology
from app.web.fields import find_time
from app.web.problems.error_pointers import blaming_what_is_stored
from app.web.problems.errors import InvalidRequest
from app.web.problems.stored_data_errors import NoSnapshot
from planner.wording import write_seconds
from planner.workloads.series import Measurement, Workload, check_forecastable, regularise_workload

LAST_SECONDS = datetime(9999, 12, 30, tzinfo=UTC).timestamp()
MOST_READ = 50_000
"""The most snapshots read after a forecast: as many as a forecast reads of the past."""


def read_workload(
    session: Session,
    stored: StoredTopology,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    ended_by: datetime | None = None,
    step_seconds: float | None = None,
    most: int,
    needed: int | None = None,
) -> Workload:
    """The external rates of the newest `most` snapshots, made regular; with `needed`, at least that many steps,
    which must vary.

    `ended_by` leaves out snapshots that end later, as if they had not come yet.
    """
    chosen = choose_snapshots(session, stored, since, until, ended_by)
    measured, window_seconds = read_external_rates(session, chosen, most)
    if not measured:
        raise NoSnapshot(stored.name, find_ahead(session, stored))
    # One snapshot alone is as long as its window.
    known_step = window_seconds if len(measured) == 1 else None
    with blaming_what_is_stored(stored.name):
        workload = regularise_workload(measured, step_seconds or known_step)
        if needed is not None:
            check_forecastable(workload.series, needed)
    return workload


def find_window(session: Session, stored: StoredTopology, ended_by: datetime | None) -> float | None:
    """The length in seconds of the snapshots that `read_workload` reads; None if there are none."""
    return session.scalar(select(_select_window(choose_snapshots(session, stored, None, None, ended_by))))


def _select_window(chosen: Sequence[ColumnElement[bool]]) -> ScalarSelect[float]:
    """The length of the newest of the chosen snapshots."""
    newest_first = (SnapshotRow.observed_at.desc(), SnapshotRow.window_seconds)
    return (
        select(SnapshotRow.window_seconds).where(*chosen).order_by(*newest_first).limit(1).scalar_subquery()
    )


def choose_snapshots(
    session: Session,
    stored: StoredTopology,
    since: datetime | None,
    until: datetime | None,
    ended_by: datetime | None,
) -> list[ColumnElement[bool]]:
    """The condition on snapshots of a topology: begun from `since` on and before `until`, and ended by `ended_by`."""
    chosen = [SnapshotRow.topology_id == stored.id, *ended(session, ended_by)]
    if since is not None:
        chosen.append(SnapshotRow.observed_at >= since)
    if until is not None:
        chosen.append(SnapshotRow.observed_at < until)
    return chosen


def read_external_rates(
    session: Session, chosen: Sequence[ColumnElement[bool]], most: int
) -> tuple[Sequence[Measurement], float | None]:
    """The rates of the chosen snapshots that are as long as the newest, oldest first, and that length in seconds."""
    window_seconds = _select_window(chosen)
    newest = (
        select(SnapshotRow.observed_at, SnapshotRow.external_rate, SnapshotRow.window_seconds)
        .where(*chosen, SnapshotRow.window_seconds == window_seconds)
        .order_by(SnapshotRow.observed_at.desc())
        .limit(most)
        .subquery()
    )
    # All numbers in one row, since 43,200 rows, a month of minutes, took 0.2 s more of the service's processor time.
    in_order: ColumnElement[bytes] = aggregate_order_by(literal_column("''::bytea"), newest.c.observed_at)
    seconds, rates = (
        func.string_agg(func.float8send(cast(column, Double)), in_order, type_=LargeBinary)
        for column in (extract("epoch", newest.c.observed_at), newest.c.external_rate)
    )
    row = session.execute(select(seconds, rates, func.min(newest.c.window_seconds))).one()
    if row[0] is None:
        return [], None
    columns = (np.frombuffer(numbers, dtype=">f8").tolist() for numbers in row[:2])
    return list(map(Measurement, *columns)), row[2]


def read_rates_since(
    session: Session, stored: StoredTopology, known: Workload, ended_by: datetime, steps: int
) -> list[float | None]:
    """The measured rate of each of the `steps` steps after the workload `known`; None for steps without a measurement.

    Only snapshots as long as the newest that had ended by `ended_by` are used. If several begin in one step, their mean
    is used.
    """
    window = _select_window(choose_snapshots(session, stored, None, None, ended_by))
    begin = known.end_seconds - known.step_seconds / 2.0
    since, until = (find_time(at) for at in (begin, begin + known.step_seconds * steps))
    rows = session.execute(
        select(SnapshotRow.observed_at, SnapshotRow.external_rate)
        .where(
            *choose_snapshots(session, stored, since, until, None),
            SnapshotRow.window_seconds == window,
        )
        .order_by(SnapshotRow.observed_at)
        .limit(MOST_READ)
    ).all()
    by_step: dict[int, list[float]] = {}
    for at, rate in rows:
        by_step.setdefault(round((at.timestamp() - known.end_seconds) / known.step_seconds), []).append(rate)
    return [fsum(found) / len(found) if (found := by_step.get(step)) else None for step in range(steps)]


def refuse_endless(known: Workload, steps: int, pointer: str) -> None:
    """Refuses `steps` after a known workload that end beyond the year 9999; `pointer` is the place of their number."""
    if known.end_seconds + known.step_seconds * steps > LAST_SECONDS:
        detail = (
            f"The forecast covers {steps} steps of {write_seconds(known.step_seconds)} after the last rate and ends "
            "beyond the year 9999: ask for fewer steps, or correct the times of the rates."
        )
        raise InvalidRequest(((pointer, detail),))


def find_newest_samples(session: Session, topology_id: int) -> Sequence[MstSampleRow]:
    """The newest throughput samples of a topology, newest first, as many as one call may send."""
    newest_first = (MstSampleRow.observed_at.desc(), MstSampleRow.vms.desc())
    query = select(MstSampleRow).where(MstSampleRow.topology_id == topology_id)
    return session.scalars(query.order_by(*newest_first).limit(MOST_SAMPLES)).all()
