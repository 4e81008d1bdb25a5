"""Numbers, names, times and rates from an engine's JSON; unusable values become None (unknown).

Engines write numbers as numbers and as text, for example "NaN".
"""

import math
from collections.abc import Iterable, Mapping
from datetime import datetime

from pydantic import JsonValue, ValidationError

from app.web.fields import read_utc_time

MOST = 1e15
"""The largest number that is read: engines count milliseconds, bytes and records, and a larger number is a
mistake.
"""
LONGEST_NAME = 200
# Clocks of engines count milliseconds: counts over a shorter interval give no rate.
SHORTEST_SECONDS = 1e-3


def read_number(value: JsonValue) -> float | None:
    """The value as a finite number, 0 or larger; None if it is missing, negative, infinite, "NaN" or no number."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and 0.0 <= number <= MOST else None


def read_count(value: JsonValue) -> int | None:
    """The value as a whole number, 0 or larger; None if it is anything else."""
    number = read_number(value)
    return int(number) if number is not None and number == int(number) else None


def read_text(value: JsonValue) -> str | None:
    """The value if it is a text that is not empty; else None."""
    return value if isinstance(value, str) and value else None


def read_name(value: JsonValue) -> str | None:
    """The value as the name of an operator: printable, at most 200 characters, without white space at its ends; else
    None.
    """
    text = read_text(value)
    if text is None:
        return None
    printable = "".join(character if character.isprintable() else " " for character in text)
    return printable.strip()[:LONGEST_NAME].strip() or None


def read_object(value: JsonValue) -> Mapping[str, JsonValue]:
    """The value if it is a JSON object; else an empty object."""
    return value if isinstance(value, dict) else {}


def read_list(value: JsonValue) -> list[JsonValue]:
    """The value if it is a JSON list; else an empty list."""
    return value if isinstance(value, list) else []


def read_objects(value: JsonValue) -> list[Mapping[str, JsonValue]]:
    """The items of a JSON list as objects; an item of another type becomes an empty object, and a value that is no list
    an empty list.
    """
    return [read_object(one) for one in read_list(value)]


def read_time(value: JsonValue) -> datetime | None:
    """The time that a text gives in ISO 8601 with a time zone; None if the value is anything else."""
    try:
        return read_utc_time(value)
    except ValidationError:
        return None


def divide(part: float | None, whole: float | None) -> float | None:
    """The quotient part / whole; None if either is unknown or the whole is 0."""
    if part is None or whole is None or whole <= 0.0:
        return None
    ratio = part / whole
    return ratio if math.isfinite(ratio) else None


def add_known(parts: Iterable[float | None]) -> float | None:
    """The sum of the parts; None if any part is unknown, or if there are no parts."""
    listed = list(parts)
    known = [part for part in listed if part is not None]
    return sum(known) if listed and len(known) == len(listed) else None


def find_mean(weighted: Iterable[tuple[float, float]]) -> float | None:
    """The weighted mean of (weight, value) pairs; None if the weights add up to 0."""
    listed = list(weighted)
    return divide(sum([weight * value for weight, value in listed]), sum([weight for weight, _ in listed]))


def find_rate(count: float | None, seconds: float | None) -> float | None:
    """The rate count / seconds; None if either is unknown, the time is too short, or the rate is too large."""
    if seconds is None or seconds < SHORTEST_SECONDS:
        return None
    rate = divide(count, seconds)
    return rate if rate is not None and 0.0 <= rate <= MOST else None


def find_service_rate(count: float | None, busy_seconds: float | None) -> float | None:
    """The service rate, count / busy seconds; None if either is unknown, or if nothing was served."""
    rate = divide(count, busy_seconds)
    return rate if rate is not None and 0.0 < rate <= MOST else None


def find_growth(before: float | None, after: float | None) -> float | None:
    """The growth of a counter, after − before; None if either is unknown, or if the counter fell because it
    was reset.
    """
    if before is None or after is None or after < before:
        return None
    return after - before
