"""Times that come again, as cron writes them: is a time within the hours after such a time, in its time zone?

A day matches where the day of the month and the day of the week match; where both are restricted, either is enough, as
in cron. A start that the clocks skip in spring is an hour later; one that they repeat in autumn counts the first time.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, Field

from app.web.fields import Body, OperatorName, Processors, UtcTime

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat", "sun")
LONGEST = 200
FIELDS: tuple[tuple[str, int, int, tuple[str, ...]], ...] = (
    ("minute", 0, 59, ()),
    ("hour", 0, 23, ()),
    ("day of the month", 1, 31, ()),
    ("month", 1, 12, ("", *MONTHS)),
    ("day of the week", 0, 7, DAYS),
)
"""The fields of cron in order: name, least and largest number, and the names of numbers."""


def read_field(text: str, name: str, least: int, most: int, names: tuple[str, ...]) -> frozenset[int]:
    """The numbers of one field: lists of numbers, ranges and steps, such as `1-5`, `*/15` or `mon,wed`."""
    found: set[int] = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        first, dash, last = ("*", "", "") if span == "*" else span.partition("-")
        try:
            low = least if first == "*" else read_number(first, names)
            high = read_number(last, names) if dash else most if first == "*" or step else low
            by = int(step) if step else 1
        except ValueError:
            low, high, by = 1, 0, 1
        if not least <= low <= high <= most or by < 1 or part.endswith("/"):
            raise ValueError(
                f"{part!r} is no {name} from {least} to {most}: write five fields as cron does, such as 0 8 * * 1-5"
            )
        found |= set(range(low, high + 1, by))
    return frozenset(found)


def read_number(text: str, names: tuple[str, ...]) -> int:
    """The number of a text, which may be a name."""
    lower = text.lower()
    return names.index(lower) if lower and lower in names else int(text)


def read_cron(text: str) -> tuple[frozenset[int], ...]:
    """The numbers of each of the five fields of a cron expression; raises ValueError with what to write."""
    parts = text.split() if len(text) <= LONGEST else []
    if len(parts) != len(FIELDS):
        raise ValueError(
            f"has {len(parts)} fields: write minute, hour, day of the month, month and day of the week, such as "
            "0 8 * * 1-5"
        )
    return tuple([read_field(part, *field) for part, field in zip(parts, FIELDS, strict=True)])


def check_cron(text: str) -> str:
    """The text of a cron expression; refuses what cron would not understand."""
    read_cron(text)
    return text


def check_zone(name: str) -> str:
    """The name of a time zone; refuses one that the IANA database does not have."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(
            f"{name!r} is no time zone of the IANA database: write one such as Europe/Berlin or UTC"
        ) from error
    return name


class Recurring(Body):
    """Hours that begin at times of cron in a time zone."""

    cron: Annotated[str, AfterValidator(check_cron)]
    zone: Annotated[str, AfterValidator(check_zone)] = "UTC"
    hours: Annotated[float, Field(ge=0.01, le=168)]
    until: Annotated[UtcTime | None, Field(description="None later.")] = None

    def covers(self, at: datetime) -> bool:
        """Whether a time lies within the hours after a start."""
        if self.until is not None and at >= self.until:
            return False
        start = self.find_start(at)
        return start is not None and at - start < timedelta(hours=self.hours)

    def find_start(self, at: datetime) -> datetime | None:
        """The newest start up to a time, at most `hours` before; None if there is none."""
        zone, numbers = ZoneInfo(self.zone), read_cron(self.cron)
        today = at.astimezone(zone).date()
        for back in range(int(self.hours / 24.0) + 3):
            day = today - timedelta(days=back)
            if matches_day(day, numbers, self.cron):
                starts = [
                    datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone).astimezone(UTC)
                    for hour in numbers[1]
                    for minute in numbers[0]
                ]
                passed = [one for one in starts if one <= at]
                if passed:
                    return max(passed)
        return None


def matches_day(day: date, numbers: tuple[frozenset[int], ...], cron: str) -> bool:
    """Whether a day is one of a cron expression."""
    _, _, month_days, months, week_days = numbers
    _, _, month_day_text, _, week_day_text = cron.split()
    is_of_month = day.day in month_days
    weekday = day.isoweekday() % 7
    is_of_week = weekday in week_days or (weekday == 0 and 7 in week_days)
    both = month_day_text.startswith("*") or week_day_text.startswith("*")
    is_day = (is_of_month and is_of_week) if both else (is_of_month or is_of_week)
    return is_day and day.month in months


class Schedule(Recurring):
    """The least processors of operators in hours that come again."""

    min_processors: Annotated[dict[OperatorName, Processors], Field(min_length=1)]
