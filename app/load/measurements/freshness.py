"""The age and the basis of stored measurements, which answers report; a verdict refuses old measurements."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from sqlalchemy.orm import Session

from app.database.stored_topologies import StoredTopology
from app.database.tables import PolicyRow
from app.load.bodies.answers import DiagnosticAnswer, EstimateAnswer
from app.load.measurements.load import Gathered
from app.web.stored_data_errors import StaleSnapshots
from planner.wording import write_age, write_seconds

DEFAULT_LIMIT_SECONDS = 900.0


def find_limit(session: Session, stored: StoredTopology) -> float:
    """The age in seconds up to which snapshots are trusted: from the topology's policy, else the default."""
    row = session.get(PolicyRow, stored.id)
    policy = {} if row is None else row.policy
    return float(policy.get("max_snapshot_age_seconds", DEFAULT_LIMIT_SECONDS))


def measure_age(found: Gathered) -> float:
    """Seconds from the end of the newest interval until now; negative where it lies ahead of the clock."""
    begun = (datetime.now(UTC) - found.newest.observed_at).total_seconds()
    return begun - float(found.newest.window_seconds)


def refuse_old(session: Session, found: Gathered, limit_seconds: float | None) -> None:
    """Raise StaleSnapshots if the newest snapshot is older than `limit_seconds`, or without it than the trusted age."""
    limit = find_limit(session, found.stored) if limit_seconds is None else limit_seconds
    age = measure_age(found)
    if age > limit:
        ended_at = found.newest.observed_at + timedelta(seconds=found.newest.window_seconds)
        raise StaleSnapshots(found.stored.name, ended_at, age, limit)


def describe_age(session: Session, found: Gathered) -> list[DiagnosticAnswer]:
    """A diagnostic if the newest snapshot is older than the limit."""
    age, limit = measure_age(found), find_limit(session, found.stored)
    if age <= limit:
        return []
    detail = (
        f"The newest snapshot ended {write_age(age)}, more than the {write_seconds(limit)} up to which measurements "
        "are trusted: the load may be another by now."
    )
    return [DiagnosticAnswer(code="old-snapshots", detail=detail)]


def describe_end(
    session: Session, stored: StoredTopology, end_seconds: float, asked_at: datetime | None = None
) -> list[DiagnosticAnswer]:
    """A diagnostic if the measurements of a forecast end longer before `asked_at` (left out: now) than the limit."""
    limit = find_limit(session, stored)
    if (asked_at or datetime.now(UTC)).timestamp() - end_seconds <= limit:
        return []
    when = f"ended more than {write_seconds(limit)} " + ("before as_of" if asked_at else "ago")
    detail = f"The newest snapshot {when}: the forecast begins there, and part of it or all is past."
    return [DiagnosticAnswer(code="old-snapshots", detail=detail)]


A = TypeVar("A", bound=EstimateAnswer)


def add_basis(answer: A, found: Gathered, aged: Sequence[DiagnosticAnswer]) -> A:
    """The answer with its basis and calibration, the diagnostics of the stored data, and those of its age."""
    said = [*map(DiagnosticAnswer.model_validate, found.diagnostics), *aged]
    changed = {
        "diagnostics": said + answer.diagnostics,
        "calibration": list(found.calibration) or None,
        "basis": found.basis,
    }
    return answer.model_copy(update=changed)
