"""/v1/decisions/{id}/outcome: what became of a decision."""

from uuid import UUID

from fastapi import APIRouter

from app.http.declarations import declare
from app.http.dependencies import SettingsDep
from app.http.documented_problems import BODY
from app.http.security import may_store
from app.http.strict_json import StrictJsonRoute
from app.outcomes import service
from app.outcomes.schemas import OutcomeAnswer, OutcomeBody
from app.storage.sessions import SessionDep

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
