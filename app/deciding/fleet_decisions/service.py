"""Decides about all topologies that share the fleet's budget, and stores a decision of each."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.database.tables import FleetDecisionRow, FleetPolicyRow
from app.deciding.decisions.answers import to_decision_answer
from app.deciding.decisions.gathering import describe_origin
from app.deciding.decisions.schemas import DecisionAnswer
from app.deciding.decisions.service import compute_decision, store_once, write_document
from app.deciding.fleet_decisions.answers import to_fleet_decision
from app.deciding.fleet_decisions.gathering import GatheredFleet, gather_joint, gather_parts
from app.deciding.fleet_decisions.history import NEWEST_FIRST, to_answer
from app.deciding.fleet_decisions.schemas import FleetDecisionAnswer
from app.deciding.fleet_policy.schemas import FleetPolicyBody
from app.deciding.fleet_policy.service import ONLY
from app.deciding.fleet_turns import find_promised, store_shares
from app.settings import Settings
from app.web.fields import StoredFields
from app.web.observability import time_planner
from app.web.problems.fleet_errors import NoFleetPolicy
from planner.decisions.shared_budget import SharedDecisions, decide_together

KEPT = timedelta(days=30)
"""How long decisions of the fleet are kept; those of its topologies are kept by the settings."""


def store_fleet_decision(session: Session, settings: Settings) -> FleetDecisionAnswer:
    """Decides on the stored data, and stores one decision of each topology and one of the fleet.

    Two such decisions at once are made one after the other.
    """
    row = session.get(FleetPolicyRow, ONLY, with_for_update=True)
    if row is None:
        raise NoFleetPolicy
    terms = FleetPolicyBody.model_validate(row.policy, strict=False)
    now = datetime.now(UTC)
    found = gather_parts(session, terms, settings, now)
    joint = None if terms.reserve is None else gather_joint(session, found, terms.reserve, now)
    taken = sum(sum(one.processors.values()) for one in found.held)
    with time_planner("fleet"):
        shared = decide_together(found.parts, terms.k_max, taken, joint, find_growing(session, found))
    decided = store_parts(session, found, shared)
    answer = to_fleet_decision(terms.k_max, found, shared, decided)
    store_shares(session, list_shares(found, answer))
    return store(session, answer)


def find_growing(session: Session, found: GatheredFleet) -> dict[str, int]:
    """The processors that topologies may run by the decision before, by name."""
    promised = find_promised(session)
    return {
        name: promised[one.found.stored.id]
        for name, one in found.gathered.items()
        if one.found.stored.id in promised
    }


def list_shares(found: GatheredFleet, answer: FleetDecisionAnswer) -> list[dict[str, Any]]:
    """The shares of the topologies that were decided about, as rows."""
    ids = {name: one.found.stored.id for name, one in found.gathered.items()}
    return [
        {
            "topology_id": ids[row.name],
            "processors": row.processors_total,
            "after": [ids[name] for name in row.after],
        }
        for row in answer.topologies
        if row.decision_id is not None
    ]


def store_parts(session: Session, found: GatheredFleet, shared: SharedDecisions) -> dict[str, DecisionAnswer]:
    """Computes and stores the decision of each topology with its share of the budget."""
    decided = {}
    for name, question in shared.questions.items():
        gathered = found.gathered[name]
        composed = compute_decision(gathered, question)
        answer = to_decision_answer(gathered, composed, question.outlook)
        stored = gathered.found.stored
        origin = describe_origin(session, stored, answer.decided_for, at=None, sent=None)
        stamps = store_once(session, stored, answer, write_document(answer), origin)
        decided[name] = answer.model_copy(update=stamps)
    return decided


def store(session: Session, answer: FleetDecisionAnswer) -> FleetDecisionAnswer:
    """Stores the decision of the fleet, unless it is the same as the newest one, which is answered then."""
    document = answer.model_dump(mode="json", exclude={*StoredFields.model_fields, "stale"})
    newest = session.scalars(select(FleetDecisionRow).order_by(*NEWEST_FIRST).limit(1)).one_or_none()
    if newest is None or newest.answer != document:
        newest = FleetDecisionRow(id=uuid4(), answer=document)
        session.add(newest)
        session.flush()
        session.execute(
            delete(FleetDecisionRow).where(FleetDecisionRow.created_at < newest.created_at - KEPT)
        )
    return to_answer(newest)
