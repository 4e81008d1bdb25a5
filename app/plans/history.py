"""Reads stored plans."""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.http.pages import Page
from app.plans.schemas import PlanAnswer, PlanPage, PlanSummary
from app.storage.storage_errors import UnknownPlan
from app.storage.stored_answers import read_answer
from app.storage.stored_topologies import find_topology
from app.tables import PlanRow

SUMMED_UP = ("model", "processors_total", "processors", "expected_sojourn_seconds")


def find_plan(session: Session, plan_id: UUID) -> PlanAnswer:
    """A stored plan, with the same fields as when it was answered."""
    return read_answer(session, PlanRow, PlanAnswer, UnknownPlan, plan_id)


def list_plans(session: Session, name: str, page: Page) -> PlanPage:
    """The plans of a topology, newest first."""
    stored = find_topology(session, name)
    query = select(
        PlanRow.id,
        PlanRow.created_at,
        PlanRow.objective,
        PlanRow.revision,
        *(PlanRow.answer[field].label(field) for field in SUMMED_UP),
    ).where(PlanRow.topology_id == stored.id)
    rows, following = page.read_rows(
        session.execute, query, PlanRow.created_at, PlanRow.id, newest_first=True
    )
    return PlanPage(items=[PlanSummary.model_validate(row) for row in rows], next=following)
