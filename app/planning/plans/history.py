"""Reads stored plans."""

from uuid import UUID

from sqlalchemy.orm import Session

from app.database.stored_answers import list_answers, read_answer
from app.database.tables import PlanRow
from app.planning.plans.schemas import PlanAnswer, PlanPage, PlanSummary
from app.web.paging import Page
from app.web.stored_data_errors import UnknownPlan

SUMMED_UP = ("model", "processors_total", "processors", "expected_sojourn_seconds")


def find_plan(session: Session, plan_id: UUID) -> PlanAnswer:
    """A stored plan, with the same fields as when it was answered."""
    return read_answer(session, PlanRow, PlanAnswer, UnknownPlan, plan_id)


def list_plans(session: Session, name: str, page: Page) -> PlanPage:
    """The plans of a topology, newest first."""
    summed_up = (PlanRow.answer[field].label(field) for field in SUMMED_UP)
    rows, following = list_answers(
        session, PlanRow, name, page, PlanRow.objective, PlanRow.revision, *summed_up
    )
    return PlanPage(items=[PlanSummary.model_validate(row) for row in rows], next=following)
