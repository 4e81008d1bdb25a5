"""What a topology's snapshots let expect of its external rate: gathered first, computed without the database."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil

from sqlalchemy.orm import Session

from app.measured.load import Gathered
from app.measured.snapshots import find_newest_rates
from app.policies.schemas import PolicyBody
from app.serving.observability import time_planner
from planner.decisions.change_horizon import RatesAhead, count_steps_ahead
from planner.errors import PlannerError
from planner.workloads.rate_ahead import RateAhead, look_ahead
from planner.workloads.series import Measurement
from planner.workloads.upper_rate import forecast_rate

HISTORY = 300
MOST_STEPS = 1_000


@dataclass(frozen=True)
class RateHistory:
    """The external rates of the newest intervals of one length, oldest first."""

    measurements: Sequence[Measurement] = ()
    window_seconds: float = 0.0


@dataclass(frozen=True)
class RateOutlook:
    """The rate to be ready for over the coming cooldown; None, and then why."""

    rate: RateAhead | None = None
    missing: str = ""


def gather_rates(session: Session, found: Gathered, decided_for: datetime, count: int) -> RateHistory:
    """Of the newest `count` snapshots, those as long as the newest."""
    window = found.newest.window_seconds
    rows = find_newest_rates(session, found.stored, count, decided_for)
    measured = [Measurement(at.timestamp(), rate) for at, seconds, rate in rows if seconds == window]
    return RateHistory(measured, window)


def look_out(history: RateHistory, terms: PolicyBody, steps: int | None = None) -> RateOutlook:
    """The upper quantile of the external rate until the next change can be made; or why it cannot be told."""
    window = history.window_seconds
    try:
        with time_planner("look_ahead"):
            rate = look_ahead(
                history.measurements, window, steps or count_steps(terms, window), terms.qos_target
            )
    except PlannerError as error:
        return RateOutlook(missing=str(error))
    return RateOutlook(rate)


def look_for_changes(history: RateHistory, terms: PolicyBody, operators: int) -> RatesAhead:
    """The rates of each of the coming intervals, for how long a change would last; or why they cannot be told."""
    window = history.window_seconds
    try:
        with time_planner("forecast_rate"):
            reach = count_steps_ahead(window, terms.horizon_seconds, operators)
            forecast = forecast_rate(
                history.measurements, window, count_steps(terms, window), terms.qos_target, reach=reach
            )
    except PlannerError as error:
        return RatesAhead(missing=str(error))
    return RatesAhead(forecast.upper_rates, window)


def count_steps(terms: PolicyBody, window_seconds: float) -> int:
    """As many intervals as cooldown_seconds holds: so long nothing else can be changed."""
    return min(max(1, ceil(terms.cooldown_seconds / window_seconds)), MOST_STEPS)
