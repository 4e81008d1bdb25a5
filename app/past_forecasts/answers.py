"""Past forecasts as JSON."""

from collections.abc import Sequence
from datetime import datetime
from math import fsum
from typing import Any

from sqlalchemy import Row

from app.past_forecasts.schemas import PastForecast, PastForecasts


def to_past_forecasts(rows: Sequence[Row[Any]], newest_end: datetime | None) -> PastForecasts:
    """The forecasts, oldest first, and what they amount to."""
    items = [to_past_forecast(row, newest_end) for row in reversed(rows)]
    judged = [one for one in items if one.covered is not None]
    errors = [one.expected_rate / one.came_rate - 1.0 for one in judged if one.came_rate]
    covered = sum(bool(one.covered) for one in judged)
    return PastForecasts(
        judged=len(judged),
        covered=covered,
        coverage=covered / len(judged) if judged else None,
        wanted=fsum(one.quantile for one in judged) / len(judged) if judged else None,
        mean_error=fsum(errors) / len(errors) if errors else None,
        items=items,
    )


def to_past_forecast(row: Row[Any], newest_end: datetime | None) -> PastForecast:
    """One forecast; it is judged when its whole time was measured, or once more came than it covers."""
    is_complete = newest_end is not None and newest_end >= row.until
    is_exceeded = row.came is not None and row.came > row.upper_rate
    covered = None if row.came is None or not (is_complete or is_exceeded) else not is_exceeded
    return PastForecast(
        decision_id=row.id,
        decided_for=row.decided_for,
        until=row.until,
        expected_rate=row.expected_rate,
        upper_rate=row.upper_rate,
        quantile=row.quantile,
        model=row.model,
        came_rate=row.came,
        is_complete=is_complete,
        covered=covered,
    )
