"""Past forecasts as JSON and as a picture."""

from collections.abc import Sequence
from datetime import datetime
from math import fsum
from typing import Any

from sqlalchemy import Row

from app.forecasts.past.schemas import PastForecast, PastForecasts
from app.rendering.charts import BAND, DASHED, DOTTED, SOLID, Chart, Line, Panel, Sign, draw_chart
from app.rendering.picture_files import write_picture
from app.rendering.picture_shapes import Key
from planner.wording import write_percent, write_rate


def to_past_forecasts(rows: Sequence[Row[Any]], newest_end: datetime | None) -> PastForecasts:
    """The forecasts, oldest first, and how often they covered the measured rate."""
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
    """One forecast; it is judged when its whole time was measured, or when a higher rate came than it covers."""
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


def draw_past_forecasts(answer: PastForecasts, form: str, name: str) -> bytes:
    """The highest rate of each coming cooldown as expected, covered and measured; a cross marks uncovered rates."""
    items = answer.items
    expected = [one.expected_rate for one in items]
    upper = [one.upper_rate for one in items]
    lines = [
        Line("came", [one.came_rate for one in items], SOLID),
        Line("expected", expected, DOTTED),
        Line("covered up to", upper, DASHED),
    ]
    missed = [
        Sign(one.decided_for.timestamp(), one.came_rate, "cross", say_missed(one))
        for one in items
        if one.covered is False and one.came_rate is not None
    ]
    keys = [
        Key("expected to covered", BAND),
        *([Key("✕ a higher rate came than was covered")] if missed else []),
    ]
    chart = Chart(
        f"{name}: the highest rate of the coming cooldown, as forecast and as measured",
        [say_coverage(answer)],
        [one.decided_for.timestamp() for one in items],
        [Panel("Tuples per second", lines, band=(expected, upper), signs=missed, keys=keys)],
        "UTC",
        nothing="No decision has made a forecast yet.",
    )
    return write_picture(draw_chart(chart), form)


def say_missed(one: PastForecast) -> str:
    """The time and the rates of a forecast that did not cover the measured rate."""
    rates = f"{write_rate(one.came_rate)} came, {write_rate(one.upper_rate)} covered"
    return f"{one.decided_for:%Y-%m-%d %H:%M} UTC: {rates}"


def say_coverage(answer: PastForecasts) -> str:
    """The share of forecasts that covered the measured rate, and the share that should cover it."""
    if not answer.judged:
        return "No forecast can be judged yet: for none of them is the whole time measured."
    return (
        f"{write_percent(answer.coverage)} covered ({answer.covered} of {answer.judged} whose time is over and was "
        f"measured); the aim is {write_percent(answer.wanted)}"
    )
