"""/v1/decisions/{id}/outcome: what became of a decision."""

from uuid import UUID

from fastapi import APIRouter

from app.database.sessions import SessionDep
from app.deciding.outcomes import service
from app.deciding.outcomes.schemas import OutcomeAnswer, OutcomeBody
from app.web.declarations import declare
from app.web.dependencies import SettingsDep
from app.web.documented_problems import BODY
from app.web.security import may_store
from app.web.strict_json import StrictJsonRoute

router = APIRouter(prefix="/v1", tags=["decisions"], route_class=StrictJsonRoute)


@router.put(
    "/decisions/{decision_id:uuid}/outcome",
    **declare(may_store, "Report what became of a decision", "unknown-decision", "outcome-conflict", *BODY),
)
def put_outcome(
    decision_id: UUID, body: OutcomeBody, session: SessionDep, settings: SettingsDep
) -> OutcomeAnswer:
    """Whoever applies decisions reports here; `GET /v1/decisions/{id}` shows it. The same twice changes nothing."""
    return service.store_outcome(session, decision_id, body, settings)
