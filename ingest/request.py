"""The request, totals and notes of a run. Spark's workers import this module, so it imports no database driver."""

from argparse import ArgumentTypeError
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

MOST_RECORDS = 1_000_000
LEAST_MOST_RECORDS = 10_000  # with fewer, a worker would spend its time on cutting batches


@dataclass(frozen=True, slots=True)
class Request:
    """The input and limits of a run; two runs with equal requests read the same records."""

    paths: tuple[str, ...]
    day: date | None
    window_seconds: int
    max_rejected: float
    most_records: int = MOST_RECORDS  # the most records in the memory of one worker

    @property
    def window_ns(self) -> int:
        return self.window_seconds * 1_000_000_000

    def day_bounds(self) -> tuple[datetime, datetime] | None:
        """The beginning and the end of the request's day in UTC; None if the request has no day."""
        if self.day is None:
            return None
        begin = datetime.combine(self.day, datetime.min.time(), UTC)
        return begin, begin + timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Totals:
    """The counts of a run's records, where read = accepted + rejected + duplicates."""

    read: int
    rejected: int
    duplicates: int
    reject_reasons: Mapping[str, int]

    @property
    def accepted(self) -> int:
        return self.read - self.rejected - self.duplicates


@dataclass(frozen=True, slots=True)
class RunDiagnosticRow:
    """A note about one topology in a run, for readers of its summaries."""

    code: str
    topology: str
    detail: str


def read_day(given: str) -> date:
    """The date of a text: an ISO date, or `today` or `yesterday` in UTC, for use in cron."""
    if given in {"yesterday", "today"}:
        return datetime.now(UTC).date() - timedelta(days=given == "yesterday")
    try:
        return date.fromisoformat(given)
    except ValueError as error:
        raise ArgumentTypeError(f"{given!r} is not a day: write 2026-11-18, or yesterday") from error


def read_share(given: str) -> float:
    """The share that a text such as `5%` or `0.05` gives, from 0 to 1."""
    try:
        share = float(given[:-1]) / 100 if given.endswith("%") else float(given)
    except ValueError as error:
        raise ArgumentTypeError(f"{given!r} is not a share: write 5% or 0.05") from error
    if not 0 <= share <= 1:
        raise ArgumentTypeError(f"{given} must lie between 0 and 100%")
    if share == 1 and not given.endswith("%"):
        raise ArgumentTypeError(f"{given} may mean 1% or 100%: write 1% or 100%")
    return share


def read_most_records(given: str) -> int:
    """The number of records that a text gives; refuses numbers below 10,000."""
    if not (given.isascii() and given.isdecimal() and len(given) < 19) or int(given) < LEAST_MOST_RECORDS:
        raise ArgumentTypeError(
            f"{given!r} must be a whole number of {LEAST_MOST_RECORDS} or more, e.g. {MOST_RECORDS}"
        )
    return int(given)


def read_window(given: str) -> int:
    """The length of a window in whole seconds, which a text gives; refuses more than a day."""
    if not given.isdecimal() or not 1 <= int(given) <= 86_400:
        raise ArgumentTypeError(f"{given!r} must be whole seconds between 1 and 86400")
    return int(given)
