"""Reads stored decisions of the fleet."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.database.tables import FleetDecisionRow
from app.deciding.fleet_decisions.schemas import FleetDecisionAnswer, FleetDecisionPage, FleetDecisionSummary
from app.load.measurements.freshness import find_stale
from app.web.paging import Page
from app.web.problems.fleet_errors import NoFleetDecision

NEWEST_FIRST = (FleetDecisionRow.created_at.desc(), FleetDecisionRow.id.desc())


def find_latest(session: Session) -> FleetDecisionAnswer:
    """Returns the newest decision of the fleet; raises NoFleetDecision."""
    row = session.scalars(select(FleetDecisionRow).order_by(*NEWEST_FIRST).limit(1)).one_or_none()
    if row is None:
        raise NoFleetDecision
    answer = to_answer(row)
    decided = [one.name for one in answer.topologies if one.decision_id is not None]
    return answer.model_copy(update={"stale": find_stale(session, decided)})


def to_answer(row: FleetDecisionRow) -> FleetDecisionAnswer:
    """A stored decision as it was answered."""
    stamps = {"id": row.id, "created_at": row.created_at, "created_by": row.created_by}
    return FleetDecisionAnswer.model_validate(row.answer | stamps)


def list_decisions(session: Session, page: Page) -> FleetDecisionPage:
    """Returns a page of the decisions of the fleet, newest first, without their topologies."""
    query = select(
        FleetDecisionRow.id,
        FleetDecisionRow.created_at,
        FleetDecisionRow.created_by,
        FleetDecisionRow.answer.op("-")("topologies").label("answer"),
    )
    rows, following = page.read_rows(
        session.execute, query, FleetDecisionRow.created_at, FleetDecisionRow.id, newest_first=True
    )
    items = [
        FleetDecisionSummary.model_validate(
            row.answer | {"id": row.id, "created_at": row.created_at, "created_by": row.created_by}
        )
        for row in rows
    ]
    return FleetDecisionPage(items=items, next=following)
