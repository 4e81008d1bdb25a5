"""/v1/decisions/{id}/outcome: receives the report on what a decision led to."""

from uuid import UUID

from fastapi import APIRouter

from app.database.connections.transactions import SessionDep
from app.deciding.outcomes import service
from app.deciding.outcomes.schemas import OutcomeAnswer, OutcomeBody
from app.web.callers.security import may_store
from app.web.problems.documented_problems import BODY
from app.web.routing import SettingsDep, StrictJsonRoute, declare

router = APIRouter(prefix="/v1", tags=["decisions"], route_class=StrictJsonRoute)


@router.put(
    "/decisions/{decision_id:uuid}/outcome",
    **declare(may_store, "Report a decision's outcome", "unknown-decision", "outcome-conflict", *BODY),
)
def put_outcome(
    decision_id: UUID, body: OutcomeBody, session: SessionDep, settings: SettingsDep
) -> OutcomeAnswer:
    """Stores the report of the program that applies decisions; `GET /v1/decisions/{id}` shows it. A repeated report
    changes nothing.
    """
    return service.store_outcome(session, decision_id, body, settings)
