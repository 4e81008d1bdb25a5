"""The plans that were stored, as they were answered."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from app.http.pages import Page, bad_cursor
from app.plans.schemas import PlanAnswer, PlanPage, PlanSummary
from app.storage.storage_errors import UnknownPlan
from app.storage.stored_topologies import find_topology
from app.tables import PlanRow

SUMMED_UP = ("model", "processors_total", "processors", "expected_sojourn_seconds")


def find_plan(session: Session, plan_id: UUID) -> PlanAnswer:
    """A stored plan, as it was answered."""
    row = session.get(PlanRow, plan_id)
    if row is None:
        raise UnknownPlan(plan_id)
    return PlanAnswer.model_validate(row.answer | {"id": row.id, "created_at": row.created_at})


def list_plans(session: Session, name: str, page: Page) -> PlanPage:
    """The plans of a topology, newest first."""
    stored = find_topology(session, name)
    columns = (PlanRow.created_at, PlanRow.id)
    query = (
        select(
            PlanRow.id,
            PlanRow.created_at,
            PlanRow.objective,
            PlanRow.revision,
            *(PlanRow.answer[field].label(field) for field in SUMMED_UP),
        )
        .where(PlanRow.topology_id == stored.id)
        .order_by(*(column.desc() for column in columns))
        .limit(page.limit + 1)
    )
    if key := page.after_key(2):
        query = query.where(tuple_(*columns) < tuple_(*_read_key(*key)))
    rows = session.execute(query).all()
    items = [PlanSummary.model_validate(row) for row in rows[: page.limit]]
    more = len(rows) > page.limit
    return PlanPage(
        items=items, next=page.next_url(items[-1].created_at.isoformat(), items[-1].id) if more else None
    )


def _read_key(created_at: str, plan_id: str) -> tuple[datetime, UUID]:
    try:
        return datetime.fromisoformat(created_at), UUID(plan_id)
    except ValueError as error:
        raise bad_cursor() from error
