"""/v1/plans/fleet: one budget of processors for many stored topologies."""

from fastapi import APIRouter, Response

from app.database.connections.transactions import SessionDep
from app.deciding.fleet import service
from app.deciding.fleet.schemas import FleetPlanAnswer, FleetRequest
from app.web.callers.security import may_read
from app.web.overload.admission import computes
from app.web.problems.documented_problems import DESCRIBED_CALL
from app.web.routing import SettingsDep, StrictJsonRoute, declare

router = APIRouter(prefix="/v1/plans/fleet", tags=["plans"], route_class=StrictJsonRoute)


@router.post(
    "",
    response_model=FleetPlanAnswer,
    **declare(may_read, "Plan a fleet", "unknown-topology", "budget-too-small", *DESCRIBED_CALL),
)
@computes
def plan_fleet(body: FleetRequest, session: SessionDep, settings: SettingsDep) -> Response:
    """Shares `k_max` processors among topologies, by their newest snapshots and their policies' targets.

    All keep up first; then targets are met by priority; the rest shortens the weighted E[T]. Nothing is stored.
    """
    answer = service.answer_fleet(session, body, settings)
    return Response(answer.model_dump_json(), media_type="application/json")
