"""The standing decision of a topology, and the change that began its cooldown: both rules are written only here.

The standing decision is the newest by the time of its data (`decided_for`) that was made for the topology's present
revision and under its present policy, and is no trial. Overview, decisions/latest, report, patch, KEDA and the gauges
read it from `select_standing`; the cooldown begins with `find_last_change`.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import Session

from app.database.tables import DecisionRow, PolicyRow, TopologyRow
from app.deciding.policies.schemas import PolicyBody
from app.load.measurements.snapshots import find_end, find_newest
from app.load.measurements.stored_topologies import StoredTopology

NEVER_MADE = ("refused", "failed")
ROLLED_BACK = "rolled-back"
UNDONE = (*NEVER_MADE, ROLLED_BACK)
NEWEST_FIRST = (DecisionRow.decided_for.desc(), DecisionRow.created_at.desc(), DecisionRow.id)
"""Decisions by the time of their data; of several on the same data, the one made last comes first."""


def select_standing(*columns: Any) -> Select[Any]:
    """Columns of the standing decision of the TopologyRow in the enclosing query: use it as a lateral or a scalar.

    For a topology without a policy, decisions under any sent policy may stand.
    """
    policy = select(PolicyRow.policy).where(PolicyRow.topology_id == TopologyRow.id).correlate(TopologyRow)
    return (
        select(*columns)
        .where(
            DecisionRow.topology_id == TopologyRow.id,
            DecisionRow.revision == TopologyRow.revision,
            DecisionRow.is_trial.is_(False),
            func.coalesce(DecisionRow.policy == policy.scalar_subquery(), True),
        )
        .order_by(*NEWEST_FIRST)
        .limit(1)
        .correlate(TopologyRow)
    )


def find_standing_id(session: Session, stored: StoredTopology) -> UUID | None:
    """The id of the standing decision of one topology."""
    standing = select_standing(DecisionRow.id).scalar_subquery()
    return session.scalar(select(standing).select_from(TopologyRow).where(TopologyRow.id == stored.id))


def find_standing(session: Session, stored: StoredTopology) -> DecisionRow | None:
    """The standing decision of one topology."""
    standing_id = find_standing_id(session, stored)
    return None if standing_id is None else session.get(DecisionRow, standing_id)


def describe_origin(
    session: Session,
    stored: StoredTopology,
    decided_for: datetime,
    *,
    at: datetime | None,
    sent: PolicyBody | None,
) -> dict[str, Any]:
    """The columns `policy` and `is_trial` of a new decision; `at` and `sent` (the policy) are those of the request.

    A decision is a trial if `at` left out newer snapshots that are stored, or if the policy that was sent is not the
    stored one. Without a stored policy the one that was sent is the only one, and no trial.
    """
    row = session.get(PolicyRow, stored.id)
    policy, is_other = ({} if row is None else row.policy), False
    if sent is not None and (row is None or PolicyBody.model_validate(row.policy) != sent):
        policy, is_other = sent.model_dump(mode="json"), row is not None
    return {"policy": policy, "is_trial": is_other or is_past(session, stored, decided_for, at)}


def is_past(session: Session, stored: StoredTopology, decided_for: datetime, at: datetime | None) -> bool:
    """Whether `at` left out newer snapshots that are stored."""
    if at is None:
        return False
    return any(find_end(newest) > decided_for for newest in find_newest(session, stored, 1))


def find_last_change(session: Session, stored: StoredTopology, decided_for: datetime) -> DecisionRow | None:
    """The newest change on data older than `decided_for` that began a cooldown, under any revision and policy.

    A trial begins none. A change that was refused or failed is left out, because the platform was not disturbed. A
    change that was rolled back counts, because the platform was changed twice. A change without a report counts too.
    """
    change = select_changes(DecisionRow, topology_id=stored.id, decided_for=decided_for)
    return session.scalars(change).one_or_none()


def find_change_in_force(
    session: Session, stored: StoredTopology, decided_for: datetime
) -> DecisionRow | None:
    """The newest change on older data that was not refused, did not fail, and was not rolled back."""
    change = select_changes(DecisionRow, topology_id=stored.id, decided_for=decided_for, without=UNDONE)
    return session.scalars(change).one_or_none()


def select_changes(
    *columns: Any, topology_id: Any, decided_for: Any, without: Sequence[str] = NEVER_MADE
) -> Select[Any]:
    """Columns of the newest change on older data that is no trial and whose outcome is none of `without`."""
    state = DecisionRow.outcome["state"].astext
    return (
        select(*columns)
        .where(
            DecisionRow.topology_id == topology_id,
            DecisionRow.is_trial.is_(False),
            DecisionRow.action != "hold",
            DecisionRow.decided_for < decided_for,
            or_(state.is_(None), state.not_in(without)),
        )
        .order_by(*NEWEST_FIRST)
        .limit(1)
    )


def read_counts(change: DecisionRow | None) -> dict[str, int]:
    """The processors since a change: the reported ones, else the recommended ones, or the earlier ones if it was
    rolled back.
    """
    return {} if change is None else join_counts(change.answer["processors"], change.outcome)


def join_counts(processors: Mapping[str, Any], outcome: Mapping[str, Any] | None) -> dict[str, int]:
    """The counts of `read_counts` from the processors of a change's answer and from its outcome."""
    reported = outcome or {}
    since = "current" if reported.get("state") == ROLLED_BACK else "recommended"
    counts: dict[str, int] = processors[since]
    return counts | (reported.get("processors") or {})
