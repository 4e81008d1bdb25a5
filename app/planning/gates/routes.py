"""The routes of gates: for a topology in the body, and under /v1/topologies for a stored topology."""

from fastapi import APIRouter

from app.database.connections.transactions import SessionDep
from app.planning.gates import service
from app.planning.gates.schemas import GateAnswer, GateRequest, StoredGateRequest
from app.web.callers.security import may_read
from app.web.fields import TopologyName
from app.web.overload.admission import computes
from app.web.problems.documented_problems import BODY, DESCRIBED_CALL, STORED_CALL
from app.web.routing import SettingsDep, StrictJsonRoute, declare

router = APIRouter(prefix="/v1", tags=["gates"], route_class=StrictJsonRoute)


@router.post(
    "/gate",
    **declare(
        may_read,
        "Pass or fail a deployment",
        *DESCRIBED_CALL,
        "invalid-allocation",
    ),
)
@computes
async def check_gate(body: GateRequest, settings: SettingsDep) -> GateAnswer:
    """Checks that the processors carry the load within the given limits; 200 for a pass and for a fail."""
    return await service.judge_in_thread(body, settings)


@router.post(
    "/topologies/{name}/gate",
    **declare(
        may_read,
        "Pass or fail a stored topology",
        *STORED_CALL,
        "stale-snapshots",
        "invalid-load",
        "invalid-allocation",
        *BODY,
    ),
)
@computes
def check_stored_gate(
    name: TopologyName, session: SessionDep, settings: SettingsDep, body: StoredGateRequest | None = None
) -> GateAnswer:
    """Judges under the newest snapshot, or smoothed over several; 200 for a pass and for a fail."""
    return service.judge_stored(session, name, body or StoredGateRequest(), settings)
