"""What a topology's snapshots let expect of its external rate."""

from datetime import datetime
from math import ceil

from sqlalchemy.orm import Session

from app.observability import time_planner
from app.plans.gathering import Gathered
from app.policies.schemas import PolicyBody
from app.snapshots.service import find_newest
from app.tables import SnapshotRow
from planner.errors import PlannerError
from planner.horizon import RatesAhead, count_steps_ahead
from planner.rate_forecast import RateForecast, forecast_rate
from planner.workload import Measurement

HISTORY = 300
MOST_STEPS = 1_000


def look_for_changes(
    session: Session, found: Gathered, terms: PolicyBody, decided_for: datetime
) -> RatesAhead:
    """The rates to be ready for in the coming intervals; or why they cannot be told."""
    try:
        forecast = forecast_ahead(session, found, terms, decided_for)
    except PlannerError as error:
        return RatesAhead(missing=str(error))
    return RatesAhead(forecast.upper_rates, found.newest.window_seconds)


def forecast_ahead(
    session: Session,
    found: Gathered,
    terms: PolicyBody,
    decided_for: datetime,
    *,
    steps: int | None = None,
    history: int = HISTORY,
) -> RateForecast:
    """The upper quantile of the external rate over the coming steps, from the snapshots before, and its further way."""
    window = found.newest.window_seconds
    rows = find_newest(session, found.stored, history, decided_for)
    measured = [read_measurement(row) for row in rows if row.window_seconds == window]
    steps = steps or count_steps(terms, window)
    reach = count_steps_ahead(window, terms.horizon_seconds, len(found.topology.operators))
    with time_planner("forecast_rate"):
        return forecast_rate(measured, window, steps, terms.qos_target, reach=reach)


def count_steps(terms: PolicyBody, window_seconds: float) -> int:
    """As many intervals as cooldown_seconds holds: so long nothing else can be changed."""
    return min(max(1, ceil(terms.cooldown_seconds / window_seconds)), MOST_STEPS)


def read_measurement(row: SnapshotRow) -> Measurement:
    """One step of the workload."""
    return Measurement(row.observed_at.timestamp(), row.external_rate)
