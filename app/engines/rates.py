"""Rates and intervals out of an engine's counts and times; what cannot be a rate stays unknown."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from pydantic import JsonValue, ValidationError

from app.engines.numbers import MOST, divide
from app.web.fields import read_utc_time

# Clocks of engines count milliseconds: a shorter interval says nothing.
SHORTEST_SECONDS = 1e-3


def find_rate(count: float | None, seconds: float | None) -> float | None:
    """count / seconds; None where either is unknown, the time is too short, or the rate is out of all bounds."""
    if seconds is None or seconds < SHORTEST_SECONDS:
        return None
    return _limit(divide(count, seconds))


def find_service_rate(count: float | None, busy_seconds: float | None) -> float | None:
    """count / busy seconds; None, too, where nothing was served."""
    return _limit(divide(count, busy_seconds)) or None


def _limit(rate: float | None) -> float | None:
    return rate if rate is not None and 0.0 <= rate <= MOST else None


def find_growth(before: float | None, after: float | None) -> float | None:
    """after − before; None where either is unknown, or where it fell: a counter that was reset."""
    if before is None or after is None or after < before:
        return None
    return after - before


def add_known(parts: Iterable[float | None]) -> float | None:
    """The sum; None where any part is unknown, or where there is none."""
    listed = list(parts)
    known = [part for part in listed if part is not None]
    return sum(known) if listed and len(known) == len(listed) else None


def read_time(value: JsonValue) -> datetime | None:
    """A time in ISO 8601 with its zone; None for everything else."""
    try:
        return read_utc_time(value)
    except ValidationError:
        return None


def move_time(at: datetime, seconds: float) -> datetime | None:
    """The time so many seconds later (earlier where negative); None beyond the calendar."""
    try:
        return at + timedelta(seconds=seconds)
    except OverflowError:
        return None
