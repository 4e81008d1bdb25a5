"""Numbers, names, times and rates out of an engine's JSON; what cannot be one stays unknown (None).

Engines write numbers as numbers and as text, "NaN" among them.
"""

import math
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from pydantic import JsonValue, ValidationError

from app.web.fields import read_utc_time

MOST = 1e15
"""Engines count milliseconds, bytes and records: a larger number is a mistake."""
LONGEST_NAME = 200
# Clocks of engines count milliseconds: counts over a shorter interval give no rate.
SHORTEST_SECONDS = 1e-3


def read_number(value: JsonValue) -> float | None:
    """A finite number, 0 or larger; None for what is missing, "NaN", negative, infinite or no number at all."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and 0.0 <= number <= MOST else None


def read_count(value: JsonValue) -> int | None:
    """A whole number, 0 or larger; None for everything else."""
    number = read_number(value)
    return int(number) if number is not None and number == int(number) else None


def read_text(value: JsonValue) -> str | None:
    """A text that is not empty; None for everything else."""
    return value if isinstance(value, str) and value else None


def read_name(value: JsonValue) -> str | None:
    """The text as the name of an operator: printable, without white space at its ends, at most 200 characters."""
    text = read_text(value)
    if text is None:
        return None
    printable = "".join(character if character.isprintable() else " " for character in text)
    return printable.strip()[:LONGEST_NAME].strip() or None


def read_object(value: JsonValue) -> Mapping[str, JsonValue]:
    """An object; an empty one for everything else."""
    return value if isinstance(value, dict) else {}


def read_list(value: JsonValue) -> list[JsonValue]:
    """A list; an empty one for everything else."""
    return value if isinstance(value, list) else []


def read_objects(value: JsonValue) -> list[Mapping[str, JsonValue]]:
    """The objects of a list, each that is none as an empty one; an empty list for everything else."""
    return [read_object(one) for one in read_list(value)]


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


def divide(part: float | None, whole: float | None) -> float | None:
    """part / whole; None where either is unknown or the whole is 0."""
    if part is None or whole is None or whole <= 0.0:
        return None
    ratio = part / whole
    return ratio if math.isfinite(ratio) else None


def add_known(parts: Iterable[float | None]) -> float | None:
    """The sum; None where any part is unknown, or where there is none."""
    listed = list(parts)
    known = [part for part in listed if part is not None]
    return sum(known) if listed and len(known) == len(listed) else None


def find_mean(weighted: Iterable[tuple[float, float]]) -> float | None:
    """The mean of values by their weights, given as (weight, value); None where the weights add up to 0."""
    listed = list(weighted)
    return divide(sum([weight * value for weight, value in listed]), sum([weight for weight, _ in listed]))


def find_rate(count: float | None, seconds: float | None) -> float | None:
    """count / seconds; None where either is unknown, the time is too short, or the rate is out of all bounds."""
    if seconds is None or seconds < SHORTEST_SECONDS:
        return None
    rate = divide(count, seconds)
    return rate if rate is not None and 0.0 <= rate <= MOST else None


def find_service_rate(count: float | None, busy_seconds: float | None) -> float | None:
    """count / busy seconds; None, too, where nothing was served."""
    rate = divide(count, busy_seconds)
    return rate if rate is not None and 0.0 < rate <= MOST else None


def find_growth(before: float | None, after: float | None) -> float | None:
    """after − before; None where either is unknown, or where it fell: a counter that was reset."""
    if before is None or after is None or after < before:
        return None
    return after - before
