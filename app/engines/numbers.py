"""Numbers out of an engine's JSON: engines write them as numbers and as text, "NaN" among them; unknown stays None."""

import math
from collections.abc import Mapping

from pydantic import JsonValue

MOST = 1e15
"""Engines count milliseconds, bytes and records: a larger number is a mistake."""


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


def read_object(value: JsonValue) -> Mapping[str, JsonValue]:
    """An object; an empty one for everything else."""
    return value if isinstance(value, dict) else {}


def read_list(value: JsonValue) -> list[JsonValue]:
    """A list; an empty one for everything else."""
    return value if isinstance(value, list) else []


def divide(part: float | None, whole: float | None) -> float | None:
    """part / whole; None where either is unknown or the whole is 0."""
    if part is None or whole is None or whole <= 0.0:
        return None
    ratio = part / whole
    return ratio if math.isfinite(ratio) else None
