"""The rules of each field: turns a raw value into a usable one, or raises Unusable with the reason to reject the
record.

Times are whole nanoseconds since the epoch, so that differences are exact and the order of summation changes no mean.
Doubles are 0.24 µs apart at today's epoch. The double nearest to a whole microsecond stands for that microsecond (the
writer of 1763424000.123456 meant exactly that); any other double is rounded to the nearest nanosecond.
"""

import math
import re
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

NAMES = ("topology", "operator", "instance", "from_operator")
TIMES = ("arrived_at", "started_at", "finished_at")
EVERY_NTH, RANDOM = "every-nth", "random"
SECOND = 1_000_000_000
YEAR_2200 = 7_258_118_400
MAX_NAME_LENGTH = 200
MAX_SAMPLE_EVERY = 1_000_000
ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d(?::\d\d(?::\d\d)?)?)(?:(?<=:\d\d:\d\d)\.(\d{1,9}))?(?: ?([Zz]|[+-]\d\d(?::?\d\d)?))?",
    re.ASCII,
)


class Unusable(Exception):
    """The error that a record has to be rejected, with the reason."""


class Bare(str):
    """A JSON value without quotation marks: a number, true or false."""

    __slots__ = ()


def read_name(name: str, value: Any) -> str | None:
    """Reads a name by the rules of the service, where names become parts of addresses and answers."""
    is_label = name != "tuple_id"  # a tuple_id is never shown
    is_addressed = name not in {"instance", "tuple_id"}
    if name == "from_operator" and (value is None or value == ""):
        return None
    if value is None:
        raise Unusable(f"{name} is missing")
    if not isinstance(value, str) or (is_addressed and isinstance(value, Bare)):
        raise Unusable(f"{name} is not a string")
    if not value.strip(" "):
        raise Unusable(f"{name} is empty")
    if len(value) > MAX_NAME_LENGTH:
        raise Unusable(f"{name} is longer than {MAX_NAME_LENGTH} characters")
    if is_label and not value.isprintable():
        raise Unusable(f"{name} holds control characters")
    if is_addressed and value != value.strip(" "):
        raise Unusable(f"{name} begins or ends with white space")
    if name == "topology" and (value in {".", ".."} or "/" in value or "\\" in value):
        raise Unusable("topology holds a slash or is dots alone")
    return str(value)


def read_time(name: str, value: Any) -> int:
    """A time in nanoseconds since 1970, read from a text, from seconds (float) or from nanoseconds (int);
    until 2200.
    """
    if is_missing(value):
        raise Unusable(f"{name} is missing")
    seconds = read_number(value)
    if seconds is None:
        nanos = value if isinstance(value, int) else read_iso(name, value)
    elif math.isfinite(seconds):
        nanos = convert_seconds(seconds)
    else:
        raise Unusable(f"{name} is not finite")
    if not 0 <= nanos < YEAR_2200 * SECOND:
        raise Unusable(f"{name} is not between 1970 and 2200")
    return nanos


def is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def read_number(value: Any) -> float | None:
    """A number from a text or a float; refuses texts that Python's float() takes, such as 1_000 and digits of
    other scripts.
    """
    if isinstance(value, str) and ("_" in value or not value.isascii()):
        return None
    try:
        return float(value) if isinstance(value, (str, float)) else None
    except ValueError:
        return None


def convert_seconds(seconds: float) -> int:
    micros, whole = round(seconds * 1e6) if abs(seconds) < YEAR_2200 else 0, math.floor(seconds)
    return micros * 1000 if micros / 1e6 == seconds else whole * SECOND + round((seconds - whole) * 1e9)


def read_iso(name: str, text: Any) -> int:
    """A time in nanoseconds since 1970, read from an ISO 8601 text with a time zone."""
    parts = ISO.fullmatch(text) if isinstance(text, str) else None
    if parts is None:
        raise Unusable(f"{name} is not a time")
    day, clock, fraction, zone = parts.groups()
    if zone is None:
        raise Unusable(f"{name} has no time zone")
    try:
        at = datetime.fromisoformat(f"{day}T{clock}{zone.upper()}")
    except ValueError as error:
        raise Unusable(f"{name} is not a time") from error
    return int(at.timestamp()) * SECOND + int((fraction or "0").ljust(9, "0"))


def read_sample(value: Any) -> int:
    """The number of tuples for which a logged tuple stands, from the field sample_every; a missing value means 1."""
    if is_missing(value):
        return 1
    number = float(value) if isinstance(value, int) else read_number(value)
    if number is None or not 1 <= number <= MAX_SAMPLE_EVERY or number != int(number):
        raise Unusable(f"sample_every is not a whole number between 1 and {MAX_SAMPLE_EVERY}")
    return int(number)


def read_sampling(value: Any) -> bool:
    """Whether the logged tuples were chosen at random; a missing value means that every n-th tuple was logged."""
    if value not in (None, "", EVERY_NTH, RANDOM):
        raise Unusable(f"sampling is neither {EVERY_NTH} nor {RANDOM}")
    return bool(value == RANDOM)


# Fields with few distinct values in a log, in the order of `records.TupleKind`.
LABELS: dict[str, Callable[[Any], Any]] = {
    **{name: partial(read_name, name) for name in NAMES},
    "sample_every": read_sample,
    "sampling": read_sampling,
}
FIELDS = ("topology", "operator", "instance", "tuple_id", "from_operator", *TIMES, "sample_every", "sampling")
