"""Reads stored decisions from the database, as they were answered, together with their outcomes."""

from datetime import datetime
from typing import Annotated, Any, NamedTuple
from uuid import UUID

from pydantic import Field
from sqlalchemy import Row, Select, Text, case, column, func, literal, select, true
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from app.database.tables import DecisionRow
from app.deciding.advised import describe_now
from app.deciding.decisions.schemas import Action, Counts, DecisionAnswer, ReasonAnswer
from app.deciding.documents import unfold_row, unfold_rows
from app.deciding.outcomes.answers import Became
from app.deciding.outcomes.schemas import Observed, Outcome
from app.deciding.outcomes.service import find_outcomes
from app.deciding.promises import StoredDecision
from app.deciding.standing import find_standing_id
from app.load.measurements.stored_topologies import StoredTopology, find_topology
from app.web.fields import Answer, NextPage, UtcTime
from app.web.paging import Page
from app.web.problems.errors import InvalidRequest
from app.web.problems.stored_data_errors import UnknownDecision
from planner.values import Topology

PARTS = (
    "processors",
    "reasons",
    "measured_sojourn_seconds",
    "expected_sojourn_seconds",
    "corrected_sojourn_seconds",
    "policy",
    "moving",
    "counterfactuals",
    "current",
    "basis",
)
"""The parts of an answer that a list needs; long parts stay in the database."""
READ = dict.fromkeys(PARTS) | {
    "policy": dict.fromkeys(("goal", "cooldown_seconds", "horizon_seconds")),
    "moving": {"horizon": None},
    "counterfactuals": {"holds_up_to_rate": None},
    "current": {"evidence": {"known_error": None}},
    "basis": dict.fromkeys(("first_observed_at", "last_observed_at")),
}
"""What is read of them in a folded answer."""


class DecisionSummary(Answer):
    """A decision as an item of a list."""

    id: UUID
    created_at: datetime
    decided_for: UtcTime
    action: Action
    external_rate: float
    processors: Counts
    reasons: list[ReasonAnswer]
    trial: bool
    outcome: Outcome = None
    observed: Observed = None


class DecisionPage(Answer):
    """Decisions, newest first."""

    items: list[DecisionSummary]
    next: NextPage = None
    standing: Annotated[
        UUID | None,
        Field(description="The decision of `decisions/latest`, which may be on another page; null: none."),
    ]


class Picked(NamedTuple):
    """The filters of a list of decisions: the action, and that the data of the decision ended in [since, until)."""

    since: datetime | None = None
    until: datetime | None = None
    action: Action | None = None


def find_latest(session: Session, name: str) -> DecisionAnswer:
    """Returns the standing decision about a topology; raises if the topology has none."""
    standing_id = find_standing_id(session, find_topology(session, name))
    if standing_id is None:
        raise UnknownDecision(name)
    return find_decision(session, standing_id)


def find_decision(session: Session, decision_id: UUID) -> DecisionAnswer:
    """Returns a stored decision as it was answered, together with its outcome."""
    row = session.get(DecisionRow, decision_id)
    if row is None:
        raise UnknownDecision(decision_id)
    document = unfold_row(session, row)
    stamps = {"id": row.id, "created_at": row.created_at, "created_by": row.created_by}
    answer = DecisionAnswer.model_validate(document | stamps)
    decision = StoredDecision(row.action, row.decided_for, document, row.outcome)
    (became,) = find_outcomes(session, row.topology_id, [decision])
    answer.outcome, answer.observed = became
    stored = find_topology(session, answer.basis.topology)
    now = describe_now(session, stored, row.action, row.decided_for, document, is_trial=row.is_trial)
    return answer.model_copy(update=dict(now))


def find_topology_of(session: Session, decision: DecisionAnswer) -> Topology:
    """Returns the topology at the revision for which the decision was made."""
    return find_topology(session, decision.basis.topology, decision.basis.revision).to_values()


def list_decisions(session: Session, name: str, page: Page, picked: Picked) -> DecisionPage:
    """Returns a page of the decisions about a topology, newest first."""
    if picked.since is not None and picked.until is not None and picked.since >= picked.until:
        raise InvalidRequest((("?from", "The time in `from` must be before the one in `to`."),))
    stored = find_topology(session, name)
    query = select_decisions(stored, picked)
    rows, following = page.read_rows(
        session.execute, query, DecisionRow.created_at, DecisionRow.id, newest_first=True
    )
    answers = unfold_rows(session, rows, READ)
    decisions = [
        StoredDecision(row.action, row.decided_for, answer, row.outcome)
        for row, answer in zip(rows, answers, strict=True)
    ]
    became = find_outcomes(session, stored.id, decisions)
    items = [summarise(*found) for found in zip(rows, decisions, became, strict=True)]
    return DecisionPage(items=items, next=following, standing=find_standing_id(session, stored))


def select_decisions(stored: StoredTopology, picked: Picked) -> Select[Any]:
    """Returns the query for the decisions that pass the filters, with only the parts of their answers that a list
    shows; an answer that is folded comes as it is stored.
    """
    columns = [column(name, JSONB) for name in PARTS]
    parts = (
        func.jsonb_to_record(DecisionRow.answer)
        .table_valued(*columns)
        .render_derived("parts", with_types=True)
    )
    evidence = func.jsonb_build_object("evidence", parts.c.current["evidence"])
    listed = [evidence if name == "current" else parts.c[name] for name in PARTS]
    named = [part for name, value in zip(PARTS, listed, strict=True) for part in (literal(name, Text), value)]
    answer = case((DecisionRow.changed.is_(None), func.jsonb_build_object(*named))).label("answer")
    conditions = [DecisionRow.topology_id == stored.id]
    if picked.since is not None:
        conditions.append(DecisionRow.decided_for >= picked.since)
    if picked.until is not None:
        conditions.append(DecisionRow.decided_for < picked.until)
    if picked.action is not None:
        conditions.append(DecisionRow.action == picked.action)
    return (
        select(
            DecisionRow.id,
            DecisionRow.created_at,
            DecisionRow.decided_for,
            DecisionRow.action,
            DecisionRow.external_rate,
            DecisionRow.outcome,
            DecisionRow.is_trial,
            DecisionRow.base_id,
            DecisionRow.changed,
            answer,
        )
        .outerjoin(parts, true())
        .where(*conditions)
    )


def summarise(row: Row[Any], decision: StoredDecision, became: Became) -> DecisionSummary:
    """Turns a database row and the outcome of the decision into an item of a list of decisions."""
    return DecisionSummary(
        id=row.id,
        created_at=row.created_at,
        decided_for=row.decided_for,
        action=row.action,
        external_rate=row.external_rate,
        processors=decision.answer["processors"],
        reasons=decision.answer["reasons"],
        trial=row.is_trial,
        outcome=became.outcome,
        observed=became.observed,
    )
