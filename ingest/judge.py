"""What a record must be: its fields as found -> its values, or why it is rejected.

Times are whole nanoseconds since the epoch, so that differences are exact and the order of summation changes no mean.
Doubles are 0.24 µs apart at today's epoch. The double nearest to a whole microsecond stands for that microsecond (a
writer of 1763424000.123456 meant it); any other double is rounded to the nearest nanosecond.
"""

import math
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from ingest.records import Kind

NAMES = ("topology", "operator", "instance", "from_operator")
TIMES = ("arrived_at", "started_at", "finished_at")
FIELDS = (*NAMES, "tuple_id", *TIMES, "sample_every", "sampling")
EVERY_NTH, RANDOM = "every-nth", "random"
NANOS_PER_SECOND = 1_000_000_000
YEAR_2200 = 7_258_118_400
LEAST_NANOS = 10**17  # no epoch seconds lie here: an integer this large is a timestamp of nanoseconds
MAX_NAME_LENGTH = 200
MAX_SAMPLE_EVERY = 1_000_000
ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(?:(:\d\d)(?:\.(\d{1,9}))?)?(?: ?([Zz]|[+-]\d\d(?::?\d\d)?))?",
    re.ASCII,
)


class Unusable(Exception):
    """Why a record is rejected."""


class Bare(str):
    """A JSON value without quotation marks: a number, true or false."""

    __slots__ = ()


class Event(NamedTuple):
    """One usable record."""

    kind: Kind
    tuple_id: str
    arrived_ns: int
    started_ns: int
    finished_ns: int


def judge_record(found: Mapping[str, Any]) -> Event:
    """Texts and `Bare` texts are read; an int is nanoseconds, a float seconds; nothing else is usable."""
    topology, operator, instance = (read_name(name, found.get(name)) for name in NAMES[:3])
    tuple_id = read_name("tuple_id", found.get("tuple_id"))
    from_operator = read_name("from_operator", found.get("from_operator"))
    arrived, started, finished = (read_time(name, found.get(name)) for name in TIMES)
    if started < arrived:
        raise Unusable("started_at is before arrived_at")
    if finished < started:
        raise Unusable("finished_at is before started_at")
    sample = read_sample(found.get("sample_every")), read_sampling(found.get("sampling"))
    assert topology and operator and instance and tuple_id
    return Event(
        Kind(topology, operator, instance, from_operator, *sample), tuple_id, arrived, started, finished
    )


def read_name(name: str, value: Any) -> str | None:
    """The rules of the service, since names of topologies and operators become parts of addresses and answers."""
    if name == "from_operator" and (value is None or value == ""):
        return None
    if value is None:
        raise Unusable(f"{name} is missing")
    if not isinstance(value, str) or (isinstance(value, Bare) and name not in {"instance", "tuple_id"}):
        raise Unusable(f"{name} is not a string")
    if not value.strip(" "):
        raise Unusable(f"{name} is empty")
    if len(value) > MAX_NAME_LENGTH:
        raise Unusable(f"{name} is longer than {MAX_NAME_LENGTH} characters")
    if name != "tuple_id" and not value.isprintable():  # a tuple_id is never shown
        raise Unusable(f"{name} holds control characters")
    if name not in {"instance", "tuple_id"} and value != value.strip(" "):
        raise Unusable(f"{name} begins or ends with white space")
    if name == "topology" and (value in {".", ".."} or "/" in value or "\\" in value):
        raise Unusable("topology holds a slash or is dots alone")
    return str(value)


def read_time(name: str, value: Any) -> int:
    """Nanoseconds since the epoch, from 1970 to 2200."""
    if value is None or (isinstance(value, str) and not value.strip()):
        raise Unusable(f"{name} is missing")
    if type(value) is int:
        nanos = value
    else:
        seconds = read_number(value)
        if seconds is None:
            nanos = read_iso(name, value)
        elif not math.isfinite(seconds):
            raise Unusable(f"{name} is not finite")
        else:
            nanos = convert_seconds(seconds)
    if not 0 <= nanos < YEAR_2200 * NANOS_PER_SECOND:
        raise Unusable(f"{name} is no second between 1970 and 2200")
    return nanos


def read_number(value: Any) -> float | None:
    try:
        return float(value) if isinstance(value, (str, float)) else None
    except ValueError:
        return None


def convert_seconds(seconds: float) -> int:
    micros, whole = round(seconds * 1e6) if abs(seconds) < YEAR_2200 else 0, math.floor(seconds)
    if micros / 1e6 == seconds:
        return micros * 1000
    return whole * NANOS_PER_SECOND + round((seconds - whole) * 1e9)


def read_iso(name: str, value: Any) -> int:
    """Nanoseconds of an ISO 8601 text with a zone."""
    parts = ISO.fullmatch(value) if isinstance(value, str) else None
    if parts is None:
        raise Unusable(f"{name} is not a time")
    day, minute, second, fraction, zone = parts.groups()
    if zone is None:
        raise Unusable(f"{name} has no time zone")
    try:
        at = datetime.fromisoformat(f"{day}T{minute}{second or ':00'}{zone.upper()}")
    except ValueError as error:
        raise Unusable(f"{name} is not a time") from error
    return int(at.timestamp()) * NANOS_PER_SECOND + int((fraction or "0").ljust(9, "0"))


def read_sample(value: Any) -> int:
    """1 where the value is missing."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return 1
    number = float(value) if type(value) is int else read_number(value)
    if number is None or not 1 <= number <= MAX_SAMPLE_EVERY or number != int(number):
        raise Unusable(f"sample_every is not a whole number between 1 and {MAX_SAMPLE_EVERY}")
    return int(number)


def read_sampling(value: Any) -> bool:
    """Whether tuples were chosen by chance; a missing value is every n-th."""
    if value is not None and (not isinstance(value, str) or value not in {"", EVERY_NTH, RANDOM}):
        raise Unusable(f"sampling is neither {EVERY_NTH} nor {RANDOM}")
    return value == RANDOM


READERS: dict[str, Callable[[Any], Any]] = {
    **{name: lambda value, name=name: read_name(name, value) for name in NAMES},
    "sample_every": read_sample,
    "sampling": read_sampling,
}
