"""Past forecasts beside the highest rate that was measured in the forecast time."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, func, select, true
from sqlalchemy.orm import Session

from app.database.tables import DecisionRow, SnapshotRow
from app.forecasts.past.answers import to_past_forecasts
from app.forecasts.past.schemas import PastForecasts
from app.load.measurements.stored_topologies import StoredTopology, find_topology


def gather_forecasts(session: Session, stored: StoredTopology, most: int) -> Sequence[Row[Any]]:
    """The newest decisions with a forecast, newest first; `came` is null if nothing was measured since."""
    ahead = DecisionRow.answer["look_ahead"]
    looked = (
        select(
            DecisionRow.id,
            DecisionRow.decided_for,
            ahead["expected_rate"].as_float().label("expected_rate"),
            ahead["upper_rate"].as_float().label("upper_rate"),
            ahead["quantile"].as_float().label("quantile"),
            ahead["model"].as_string().label("model"),
            ahead["steps"].as_integer().label("steps"),
        )
        .where(DecisionRow.topology_id == stored.id, func.jsonb_typeof(ahead) == "object")
        .order_by(DecisionRow.decided_for.desc(), DecisionRow.created_at.desc(), DecisionRow.id)
        .limit(most)
        .subquery("looked")
    )
    before = (
        select(SnapshotRow.window_seconds.label("window"))
        .where(SnapshotRow.topology_id == stored.id, SnapshotRow.observed_at < looked.c.decided_for)
        .order_by(SnapshotRow.observed_at.desc(), SnapshotRow.window_seconds)
        .limit(1)
        .lateral("before")
    )
    until = looked.c.decided_for + func.make_interval(0, 0, 0, 0, 0, 0, looked.c.steps * before.c.window)
    came = (
        select(func.max(SnapshotRow.external_rate).label("came"))
        .where(
            SnapshotRow.topology_id == stored.id,
            SnapshotRow.observed_at >= looked.c.decided_for,
            SnapshotRow.observed_at < until,
            SnapshotRow.window_seconds == before.c.window,
        )
        .lateral("came")
    )
    joined = looked.join(before, true()).join(came, true())
    query = select(looked, until.label("until"), came.c.came).select_from(joined)
    return session.execute(query.order_by(looked.c.decided_for.desc())).all()


def find_newest_end(session: Session, stored: StoredTopology) -> datetime | None:
    """The end of the newest snapshot."""
    length = func.make_interval(0, 0, 0, 0, 0, 0, SnapshotRow.window_seconds)
    return session.scalar(
        select(SnapshotRow.observed_at + length)
        .where(SnapshotRow.topology_id == stored.id, SnapshotRow.window_seconds < 1e9)
        .order_by(SnapshotRow.observed_at.desc(), SnapshotRow.window_seconds.desc())
        .limit(1)
    )


def read_past_forecasts(session: Session, name: str, most: int) -> PastForecasts:
    """The forecasts of the newest decisions about a topology."""
    stored = find_topology(session, name)
    return to_past_forecasts(gather_forecasts(session, stored, most), find_newest_end(session, stored))
