"""Makes a decision about a stored topology under its policy, and stores the decision."""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from json import dumps
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import func, literal, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from app.database.tables import DecisionRow, Document
from app.deciding.advised import AsOfNow, describe_now
from app.deciding.decisions.answers import list_columns, to_decision_answer
from app.deciding.decisions.gathering import GatheredDecision, Origin, describe_origin, gather_decision
from app.deciding.decisions.schemas import DecisionAnswer, DecisionRequest, Recommended
from app.deciding.documents import find_key, fold_answer
from app.deciding.promises import StoredDecision, observe_fresh
from app.load.measurements.stored_topologies import StoredTopology
from app.settings import Settings
from app.web.observability import time_planner
from app.web.problems.error_pointers import blaming_what_is_stored
from planner.decisions.case import DecisionQuestion
from planner.decisions.compose import ComposedDecision, compose_decision
from planner.decisions.horizon import NO_OUTLOOK, RateOutlook, look_out

NOT_STORED = {"id", "created_at", "created_by", "outcome", "observed", *AsOfNow.model_fields}
"""The fields of an answer that change after it was stored."""
STAMPS = (DecisionRow.id, DecisionRow.created_at, DecisionRow.created_by)


def store_decision(session: Session, name: str, body: DecisionRequest, settings: Settings) -> DecisionAnswer:
    """Decides on the stored data and stores the decision; equal data give an equal decision, or are too old."""
    gathered = gather_decision(session, name, body, settings)
    return store_answer(session, gathered, to_decision_answer(gathered, *compute_now(gathered)), body)


def compute_now(gathered: GatheredDecision) -> tuple[ComposedDecision, RateOutlook]:
    """Computes the decision for the gathered data, and the forecast of the rate that the decision uses."""
    outlook = look_out_for(gathered.question)
    return compute_decision(gathered, replace(gathered.question, outlook=outlook)), outlook


def look_out_for(question: DecisionQuestion) -> RateOutlook:
    """Returns the forecast rate of the coming cooldown if the policy asks for a forecast, else an empty outlook."""
    if question.history is None or not question.policy.is_looking_ahead:
        return NO_OUTLOOK
    with time_planner("look_ahead"):
        return look_out(question.history, question.policy)


def compute_decision(gathered: GatheredDecision, question: DecisionQuestion) -> ComposedDecision:
    """Lets the planner decide; measurements that the planner cannot use become a conflict with the stored data."""
    with time_planner("decide"), blaming_what_is_stored(gathered.found.stored.name, gathered.places):
        return compose_decision(question)


def store_answer(
    session: Session,
    gathered: GatheredDecision,
    answer: DecisionAnswer,
    body: DecisionRequest,
    recommended: Recommended | None = None,
) -> DecisionAnswer:
    """Stores the decision, with any recommendation, unless the request says `store: false`; returns the answer."""
    found = gathered.found
    origin = describe_origin(session, found.stored, answer.decided_for, at=body.at, sent=body.policy)
    document = write_document(answer)
    is_trial = origin.is_trial or not body.store
    now = describe_now(session, found.stored, answer.action, answer.decided_for, document, is_trial=is_trial)
    answer = answer.model_copy(update=dict(now))
    if not body.store:
        return answer
    if recommended is not None:
        document["recommendation"] = recommended.model_dump(mode="json")
    stamps = store_once(session, found.stored, answer, document, origin)
    answer = answer.model_copy(update=stamps)
    # After a decision for the past more may be measured already: only GET looks for it.
    if body.at is None or not is_trial:
        decision = StoredDecision(answer.action, answer.decided_for, document, None)
        answer.observed = observe_fresh(decision)
    return answer


def write_document(answer: DecisionAnswer) -> Document:
    """Returns what is stored of an answer."""
    return answer.model_dump(mode="json", exclude=NOT_STORED)


def store_once(
    session: Session, stored: StoredTopology, answer: DecisionAnswer, document: Document, origin: Origin
) -> dict[str, Any]:
    """Stores a decision; returns its id, time and key's name, or those of the same decision on the same data.

    After a report on its outcome a decision is not answered again: the next one may have another outcome.
    """
    same_data = (DecisionRow.topology_id == stored.id, DecisionRow.decided_for == answer.decided_for)
    reported = session.scalars(select(func.count()).where(*same_data, DecisionRow.outcome.is_not(None))).one()
    content = write_content(document, origin.policy, origin.is_trial, reported)
    same = select(*STAMPS).where(*same_data, DecisionRow.content == content)
    earlier = session.execute(same).mappings().one_or_none()
    if earlier is None:
        values = {
            "id": uuid4(),
            "topology_id": stored.id,
            "revision": stored.revision,
            "decided_for": answer.decided_for,
            "action": answer.action,
            "is_trial": origin.is_trial,
            "content": content,
            **list_columns(answer),
        }
        form = fold_answer(session, values, document)
        key = find_key(literal(origin.policy, JSONB))
        insert = postgresql.insert(DecisionRow).values(**values, **form, policy_key=key)
        added = insert.on_conflict_do_nothing().returning(*STAMPS)
        # Another request may have stored it meanwhile: then nothing is added, and that one is found.
        earlier = session.execute(added).mappings().one_or_none() or session.execute(same).mappings().one()
    return dict(earlier)


def write_content(document: Mapping[str, Any], *origin: object) -> UUID:
    """Returns a key that is equal for equal documents of equal origin."""
    written = dumps([document, *origin], sort_keys=True, default=str)
    return UUID(bytes=sha256(written.encode()).digest()[:16])
