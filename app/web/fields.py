"""Field types that several bodies share, and the base classes of bodies and answers."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal
from urllib.parse import quote
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter

from app.web.problems.errors import InvalidRequest

MOST_PROCESSORS = 10**9
"""Up to this number the planner's formulas are exact to 1e-11 (planner/queueing/erlang.py)."""
MOST_BUDGET = 10**12
"""The largest number of processors of a topology."""


class Body(BaseModel):
    """A request body: refuses unknown fields, numbers that are not finite, and values of another type."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


StoredBy = Annotated[
    str | None, Field(description="The name of the key with which this was stored; null: not known.")
]


NextPage = Annotated[str | None, Field(description="The address of the following page; null: the last.")]


class Answer(BaseModel):
    """An answer: NaN and Infinity become null."""

    model_config = ConfigDict(from_attributes=True, ser_json_inf_nan="null")


class StoredFields(Answer):
    """The fields that an answer gets when it is stored."""

    id: UUID | None = None
    created_at: datetime | None = None
    created_by: StoredBy = None


def show_example(example: Any) -> ConfigDict:
    """The Pydantic configuration of a body or an answer whose schema in openapi.yaml shows this example."""
    return ConfigDict(json_schema_extra={"examples": [example]})


def printable(name: str) -> str:
    """The text of a name; refuses control characters, and white space at its ends."""
    if name != name.strip() or not name.isprintable():
        raise ValueError("must be printable, with no white space at its ends")
    return name


def drop_nul(value: Any) -> Any:
    """The value without U+0000, which Postgres stores in no text."""
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, dict):
        return {drop_nul(name): drop_nul(one) for name, one in value.items()}
    return [drop_nul(one) for one in value] if isinstance(value, list) else value


def _in_a_path(name: str) -> str:
    if "/" in name or "\\" in name or name in {".", ".."}:
        raise ValueError(
            "must not contain a slash or consist of dots only, because it becomes part of an address"
        )
    return name


def write_time(at: datetime) -> str:
    """A time in whole seconds of UTC as text, such as `2026-11-18T00:00:00Z`."""
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")


def write_address(*parts: object) -> str:
    """The path of an address from its parts, such as `/v1/topologies/fpd`; without a host, it stays right
    behind a proxy.
    """
    return "/v1/" + "/".join(quote(str(part), safe="", errors="replace") for part in parts)


def find_time(epoch_seconds: float) -> datetime:
    """Seconds since 1970 as a time in UTC; refuses a time that no calendar date has."""
    try:
        return datetime.fromtimestamp(epoch_seconds, UTC)
    except (ValueError, OverflowError) as error:
        why = "The answer would reach beyond the year 9999: send earlier times, a shorter step or fewer steps ahead."
        raise InvalidRequest((("#", why),)) from error


def move_time(at: datetime, seconds: float) -> datetime | None:
    """The time moved by a number of seconds, to the past if negative; None if the calendar does not reach so far."""
    try:
        return at + timedelta(seconds=seconds)
    except OverflowError:
        return None


OperatorName = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(printable)]
TopologyName = Annotated[OperatorName, AfterValidator(_in_a_path)]

LEAST, MOST = 1e-15, 1e15
"""The least and the largest rate per second and duration in seconds; 0 is allowed where a field says so. Formulas
overflow with numbers beyond.
"""
Rate = Annotated[float, Field(ge=0, le=MOST, description="Per second.")]
PositiveRate = Annotated[float, Field(ge=LEAST, le=MOST, description="Per second.")]
Scv = Annotated[float, Field(ge=0, le=1e6, description="Squared coefficient of variation: variance / mean².")]
Seconds = Annotated[float, Field(ge=LEAST, le=MOST)]
YEAR_SECONDS = 31_536_000.0
LEAST_PERIOD_SECONDS = 1e-6
"""The least difference between two times."""
Period = Annotated[float, Field(ge=LEAST_PERIOD_SECONDS, le=YEAR_SECONDS)]
"""Seconds that are added to or subtracted from a time: at most a year, so that no calendar date overflows."""
Age = Annotated[float, Field(ge=LEAST_PERIOD_SECONDS, le=1e9)]
"""Seconds since a time: up to 31 years."""
Share = Annotated[float, Field(ge=1e-9, le=1)]
"""A part of a whole; not 0."""
LEAST_PROBABILITY = 1e-6
Probability = Annotated[float, Field(ge=LEAST_PROBABILITY, lt=1)]
"""A probability; neither 0 nor 1."""
MeasuredNumber = Annotated[float, Field(ge=-MOST, le=MOST)]
"""A number that the planner may still refuse, for example if it is negative: its message explains more."""
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
"""The first time of a measurement."""
Processors = Annotated[int, Field(ge=1, le=MOST_PROCESSORS)]
ProcessorsBasis = Annotated[
    Literal["present", "most-busy", "names-seen"],
    Field(
        description="What an ingest took for `processors`: present, the mean of the instances that could serve; "
        "most-busy, the most services under way at once, where those are more; names-seen, where the log is too short "
        "to tell."
    ),
]


def _in_utc(at: datetime) -> datetime:
    try:
        return at.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("must lie between the years 1 and 9999 in UTC") from error


def _written_out(sent: object) -> object:
    """A time as it was sent; refuses a number, which Pydantic would read as seconds or milliseconds, depending
    on its size.
    """
    if isinstance(sent, datetime) or (isinstance(sent, str) and re.match(r"\d{4}-\d\d-\d\d[Tt ]", sent)):
        return sent
    raise ValueError("must be a time with its zone in ISO 8601, such as 2026-11-18T00:00:00Z")


# Strict mode would refuse text for a time, and JSON has no other form; this field alone is not strict.
UtcTime = Annotated[
    AwareDatetime, Field(strict=False), BeforeValidator(_written_out), AfterValidator(_in_utc)
]

_UTC_TIME: TypeAdapter[datetime] = TypeAdapter(UtcTime)


def _refuse_early(at: datetime) -> datetime:
    if at < EARLIEST:
        raise ValueError("must not be before 1970")
    return at


MeasuredTime = Annotated[UtcTime, AfterValidator(_refuse_early)]
"""When a measured interval begins."""


def read_utc_time(sent: object) -> datetime:
    """A text as a time in UTC, by the rules for times in bodies; raises ValidationError."""
    return _UTC_TIME.validate_python(sent)
