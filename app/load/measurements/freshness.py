"""The age and the basis of stored measurements, which answers report; old measurements are refused for a verdict."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeVar

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.database.tables import PolicyRow
from app.load.bodies.answers import DiagnosticAnswer, EstimateAnswer
from app.load.measurements.load import Gathered
from app.load.measurements.snapshots import find_end
from app.load.measurements.stored_topologies import StoredTopology
from app.web.stored_data_errors import StaleSnapshots
from planner.wording import write_age, write_seconds

DEFAULT_LIMIT_SECONDS = 900.0
LIMIT_SECONDS = func.coalesce(PolicyRow.policy["max_snapshot_age_seconds"].as_float(), DEFAULT_LIMIT_SECONDS)
"""SQL for the largest trusted age of snapshots in seconds, of the PolicyRow in the query; without one the default."""


def find_limit(session: Session, stored: StoredTopology) -> float:
    """The largest trusted age of a topology's snapshots in seconds: from its policy, else the default."""
    found = session.scalar(select(LIMIT_SECONDS).where(PolicyRow.topology_id == stored.id))
    return DEFAULT_LIMIT_SECONDS if found is None else found


def find_age(ended_at: datetime, now: datetime | None = None) -> float:
    """Seconds since a measured interval ended, by the clock unless `now` is given; negative if it ends in the
    future.
    """
    return ((now or datetime.now(UTC)) - ended_at).total_seconds()


def refuse_old(
    name: str,
    ended_at: datetime,
    limit_seconds: float,
    now: datetime | None = None,
    *,
    takes_at: bool = False,
) -> None:
    """Raises StaleSnapshots if the newest measurements of a topology ended longer ago than `limit_seconds`.

    `takes_at`: the call can decide for a past time, and the problem explains how.
    """
    age = find_age(ended_at, now)
    if age > limit_seconds:
        raise StaleSnapshots(name, ended_at, age, limit_seconds, takes_at)


def describe_age(session: Session, found: Gathered) -> list[DiagnosticAnswer]:
    """A diagnostic if the newest snapshot is older than the limit."""
    age, limit = find_age(find_end(found.newest)), find_limit(session, found.stored)
    if age <= limit:
        return []
    detail = (
        f"The newest snapshot ended {write_age(age)}, longer ago than the {write_seconds(limit)} for which "
        "measurements are trusted: the load may have changed since."
    )
    return [DiagnosticAnswer(code="old-snapshots", detail=detail)]


def describe_end(
    session: Session, stored: StoredTopology, end_seconds: float, asked_at: datetime | None = None
) -> list[DiagnosticAnswer]:
    """A diagnostic if the measurements of a forecast ended more than the limit before `asked_at` (left out: now)."""
    limit = find_limit(session, stored)
    if (asked_at or datetime.now(UTC)).timestamp() - end_seconds <= limit:
        return []
    when = f"ended more than {write_seconds(limit)} " + ("before as_of" if asked_at else "ago")
    detail = f"The newest snapshot {when}: the forecast begins there, so all or part of it is in the past."
    return [DiagnosticAnswer(code="old-snapshots", detail=detail)]


A = TypeVar("A", bound=EstimateAnswer)


def add_basis(answer: A, found: Gathered, aged: Sequence[DiagnosticAnswer]) -> A:
    """The answer with its basis and calibration, and the diagnostics of the stored data and their age."""
    said = [*map(DiagnosticAnswer.model_validate, found.diagnostics), *aged]
    changed = {
        "diagnostics": said + answer.diagnostics,
        "calibration": list(found.calibration) or None,
        "basis": found.basis,
    }
    return answer.model_copy(update=changed)
