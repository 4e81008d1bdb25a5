"""Works out the age of stored measurements, which answers report; old measurements are refused where a verdict
is asked.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field
from sqlalchemy import ColumnElement, func, literal, select, true
from sqlalchemy.orm import Session

from app.database.tables import PolicyRow, TopologyRow
from app.load.bodies.answers import DiagnosticAnswer, EstimateAnswer
from app.load.measurements.load import Gathered
from app.load.measurements.snapshots import (
    ENDED_AT,
    find_ahead,
    find_end,
    find_latest_end,
    find_newest,
    select_newest,
)
from app.load.measurements.stored_topologies import StoredTopology
from app.web.fields import Answer, UtcTime, write_time
from app.web.problems.stored_data_errors import StaleSnapshots, describe_ahead, find_address
from planner.wording import write_age, write_seconds

DEFAULT_LIMIT_SECONDS = 900.0
LIMIT_SECONDS = func.coalesce(PolicyRow.policy["max_snapshot_age_seconds"].as_float(), DEFAULT_LIMIT_SECONDS)
"""SQL for the largest trusted age of snapshots in seconds, of the PolicyRow in the query; without one the default."""


class DataState(Answer):
    """The age of a topology's measurements and the limit for it, at the time of the answer."""

    state: Annotated[
        Literal["fresh", "stale", "ahead", "none"],
        Field(
            description="ahead: a snapshot is ahead of the service's clock. stale: the newest is older than the limit."
        ),
    ]
    measured_until: Annotated[
        UtcTime | None, Field(description="The end of the newest snapshot that is not ahead; null: none.")
    ]
    usable: Annotated[
        bool, Field(description="Whether measured_until is recent enough for a decision, by the limit.")
    ]
    limit_seconds: Annotated[float, Field(description="Nothing is recommended on older measurements.")]
    limit_source: Annotated[
        Literal["policy", "default"], Field(description="default: the topology has no policy.")
    ]
    ahead_until: Annotated[
        UtcTime | None, Field(description="The end of the snapshot ahead of the service's clock; null: none.")
    ]
    detail: Annotated[str, Field(description="The state in one or two sentences.")]

    @property
    def limit_words(self) -> str:
        """The limit for the age of the data, and who set it, in words."""
        is_own = self.limit_source == "policy"
        whose = "the policy's limit" if is_own else "the default limit, because the topology has no policy"
        return f"{write_seconds(self.limit_seconds)} ({whose})"


class Withheld(Answer):
    """The reason why no processors are recommended now, and what the caller should do."""

    code: Annotated[
        Literal["no-snapshot", "stale-snapshots", "stale-decision"],
        Field(description="stale-decision: newer snapshots are stored, and none of them was decided on."),
    ]
    detail: str
    remedy: str


def describe_data(
    ended_at: datetime | None,
    limit_seconds: float,
    ahead_until: datetime | None,
    now: datetime,
    *,
    has_policy: bool,
) -> DataState:
    """The state of measurements of which the newest ended at `ended_at`, with the limit for their age."""
    usable = ended_at is not None and find_age(ended_at, now) <= limit_seconds
    found = DataState(
        state="ahead" if ahead_until else "fresh" if usable else "stale" if ended_at else "none",
        measured_until=ended_at,
        usable=usable,
        limit_seconds=limit_seconds,
        limit_source="policy" if has_policy else "default",
        ahead_until=ahead_until,
        detail="No snapshot is stored.",
    )
    told = [f"The newest snapshot ended at {write_time(ended_at)}."] if ended_at else []
    if ended_at and not usable:
        told.append(f"Measurements older than {found.limit_words} are not trusted.")
    if ahead_until:
        told.append(describe_ahead(ahead_until))
    return found.model_copy(update={"detail": " ".join(told)}) if told else found


def find_data_state(session: Session, stored: StoredTopology) -> DataState:
    """The state of a topology's measurements now."""
    limit = find_policy_limit(session, stored)
    ends = [find_end(newest) for newest in find_newest(session, stored, 1)]
    return describe_data(
        ends[0] if ends else None,
        DEFAULT_LIMIT_SECONDS if limit is None else limit,
        find_ahead(session, stored),
        datetime.now(UTC),
        has_policy=limit is not None,
    )


def withhold(
    name: str, data: DataState, decided_for: datetime | None, now: datetime | None = None
) -> Withheld | None:
    """The reason why a decision on data that ended at `decided_for` must not be acted on; None if it may be."""
    if data.usable and (decided_for is None or find_age(decided_for, now) <= data.limit_seconds):
        return None
    address = find_address(name)
    if data.measured_until is None:
        return Withheld(
            code="no-snapshot", detail=data.detail, remedy=f"POST snapshots to {address}/snapshots."
        )
    if not data.usable:
        remedy = f"POST a newer snapshot to {address}/snapshots, and then POST to {address}/decisions."
        return Withheld(code="stale-snapshots", detail=data.detail, remedy=remedy)
    ended = "" if decided_for is None else f" that ended at {write_time(decided_for)}"
    detail = (
        f"The decision rests on measurements{ended}. Measurements older than {data.limit_words} are not trusted, and "
        "newer snapshots are stored."
    )
    return Withheld(code="stale-decision", detail=detail, remedy=f"POST to {address}/decisions.")


def find_limit(session: Session, stored: StoredTopology) -> float:
    """The largest age in seconds at which a topology's snapshots are trusted: from its policy, else the default."""
    found = find_policy_limit(session, stored)
    return DEFAULT_LIMIT_SECONDS if found is None else found


def find_policy_limit(session: Session, stored: StoredTopology) -> float | None:
    """The largest age in seconds at which the topology's policy trusts snapshots; None if the topology has no
    policy.
    """
    return session.scalar(select(LIMIT_SECONDS).where(PolicyRow.topology_id == stored.id))


def find_age(ended_at: datetime, now: datetime | None = None) -> float:
    """The seconds since a measured interval ended, at `now` or by the clock; negative if it ends in the future."""
    return ((now or datetime.now(UTC)) - ended_at).total_seconds()


def find_age_sql(now: datetime, ended_at: ColumnElement[datetime]) -> ColumnElement[Any]:
    """The seconds since a measured interval ended, as an SQL expression."""
    return func.extract("epoch", literal(now) - ended_at)


def find_stale(session: Session, names: Sequence[str]) -> list[str]:
    """Which of the topologies have no measurements that are recent enough to act on, by name."""
    now = datetime.now(UTC)
    newest = select_newest(find_latest_end(session, now), ENDED_AT).lateral("newest")
    fresh = (
        select(TopologyRow.name)
        .join(newest, true())
        .outerjoin(PolicyRow, PolicyRow.topology_id == TopologyRow.id)
        .where(TopologyRow.name.in_(names), find_age_sql(now, newest.c.ended_at) <= LIMIT_SECONDS)
    )
    return sorted(set(names) - set(session.scalars(fresh)))


def refuse_old(
    name: str,
    ended_at: datetime,
    limit_seconds: float,
    now: datetime | None = None,
    *,
    ahead_until: datetime | None = None,
    takes_at: bool = False,
) -> None:
    """Raises StaleSnapshots if the newest measurements of a topology ended longer ago than `limit_seconds`.

    `ahead_until`: the end of a snapshot ahead of the clock, which the problem names. `takes_at`: the call can decide
    for a past time, and the problem explains how.
    """
    age = find_age(ended_at, now)
    if age > limit_seconds:
        raise StaleSnapshots(name, ended_at, age, limit_seconds, takes_at, ahead_until)


def describe_age(session: Session, found: Gathered) -> list[DiagnosticAnswer]:
    """A diagnostic, in a list, if the newest snapshot is older than the limit; else an empty list."""
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
    """The answer with the data that it was computed from, its calibration, and the diagnostics of these data
    and their age.
    """
    said = [*map(DiagnosticAnswer.model_validate, found.diagnostics), *aged]
    changed = {
        "diagnostics": said + answer.diagnostics,
        "calibration": list(found.calibration) or None,
        "basis": found.basis,
    }
    return answer.model_copy(update=changed)
