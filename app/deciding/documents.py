"""Stores the answers of decisions in few bytes, and reads them back as they were answered.

A decision to hold mostly repeats an earlier one with other numbers. It is stored as what differs from a base: a
decision of the same week that is stored as a document, for the same revision and policy, with the same processors.
SQL therefore finds processors and policy in columns of the base (`take_part`), and numbers in columns of the decision.
A decision to change processors, or one with an outcome, always has a document of its own, since such decisions are kept
for longer.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from json import dumps
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Text, Uuid, cast, func, literal, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from app.database.document_walks import Parts
from app.database.folded_documents import Unfolder, fold
from app.database.tables import DecisionRow, Document

SHARED = {"processors": DecisionRow.processors, "policy": DecisionRow.policy}
"""The parts of an answer that are the same in a decision to hold and in its base, and that have columns."""
LEAST_SAVING = 8
"""A folded answer is at most this part of its text; else it is stored as a document, and is the next base."""


def take_part(name: str, field: str | None = None) -> ColumnElement[Any]:
    """SQL: a part of the DecisionRow's answer, one of SHARED, or a field of it, wherever it is stored."""
    base = aliased(DecisionRow)
    parts = (SHARED[name], getattr(base, name))
    own, of_base = (part if field is None else part[field] for part in parts)
    found = select(of_base).where(base.id == DecisionRow.base_id).scalar_subquery()
    return func.coalesce(own, found, type_=JSONB)


def find_key(policy: ColumnElement[Any] | InstrumentedAttribute[Any]) -> ColumnElement[UUID]:
    """SQL: the key that stands for a policy in `DecisionRow.policy_key`."""
    return cast(func.md5(cast(policy, Text)), Uuid)


def fold_answer(session: Session, decision: Mapping[str, Any], document: Document) -> dict[str, Any]:
    """Returns the columns in which a decision's answer is stored: what differs from a base if that is much shorter,
    else the document.
    """
    base = find_base(session, decision, document) if decision["action"] == "hold" else None
    if base is not None:
        changed = fold(document, base.answer)
        if len(changed) * LEAST_SAVING <= len(dumps(document)):
            return {"base_id": base.id, "changed": changed}
    return {"answer": document}


def find_base(session: Session, decision: Mapping[str, Any], document: Document) -> Any:
    """Returns id and answer of the newest decision that may be the base of this one; None if there is none."""
    begin = find_week(decision["decided_for"])
    return session.execute(
        select(DecisionRow.id, DecisionRow.answer)
        .where(
            DecisionRow.topology_id == decision["topology_id"],
            DecisionRow.decided_for >= begin,
            DecisionRow.decided_for < begin + timedelta(weeks=1),
            DecisionRow.content.is_not(None),
            DecisionRow.changed.is_(None),
            DecisionRow.revision == decision["revision"],
            *(part == literal(document[name], JSONB) for name, part in SHARED.items()),
        )
        .order_by(DecisionRow.decided_for.desc())
        .limit(1)
    ).one_or_none()


def find_week(at: datetime) -> datetime:
    """Returns the Monday, in UTC, with which the week of this time begins."""
    day = at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return day - timedelta(days=day.weekday())


def unfold_row(session: Session, row: DecisionRow) -> Document:
    """Returns the answer of a decision as a document."""
    (document,) = unfold_rows(session, [row])
    return document


def unfold_rows(session: Session, rows: Sequence[Any], parts: Parts | None = None) -> list[Document]:
    """Returns the answers of decisions as documents; the rows have `answer`, `changed` and `base_id`.

    `parts` are those of the answers that are read; None: all.
    """
    wanted = {row.base_id for row in rows if row.changed is not None}
    found = (
        session.execute(select(DecisionRow.id, DecisionRow.answer).where(DecisionRow.id.in_(wanted))).all()
        if wanted
        else []
    )
    bases = {one.id: Unfolder(one.answer, parts) for one in found}
    return [row.answer if row.changed is None else bases[row.base_id].unfold(row.changed) for row in rows]


def keep_whole(row: DecisionRow, document: Document) -> None:
    """Stores the answer in the row as a document of its own."""
    row.answer, row.changed, row.base_id = document, None, None
