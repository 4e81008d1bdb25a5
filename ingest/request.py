"""What a run is asked, counts and notes; the workers import it, so it knows no database."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta


@dataclass(frozen=True, slots=True)
class Request:
    """What a run was asked to read; two runs with equal requests read the same records."""

    paths: tuple[str, ...]
    day: date | None
    window_seconds: int
    max_rejected: float
    most_records: int = 1_000_000  # that a worker holds at once

    @property
    def window_ns(self) -> int:
        return self.window_seconds * 1_000_000_000

    def day_bounds(self) -> tuple[datetime, datetime] | None:
        """The beginning of the day in UTC and that of the next day."""
        if self.day is None:
            return None
        begin = datetime.combine(self.day, datetime.min.time(), UTC)
        return begin, begin + timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts of a run's records: read = accepted + rejected + duplicates."""

    read: int
    rejected: int
    duplicates: int
    reject_reasons: Mapping[str, int]

    @property
    def accepted(self) -> int:
        return self.read - self.rejected - self.duplicates


@dataclass(frozen=True, slots=True)
class RunDiagnosticRow:
    """A note about a run for readers of its summaries."""

    code: str
    topology: str
    detail: str
