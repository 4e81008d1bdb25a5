"""Gates, of what the body describes and (under /v1/topologies) of what is stored."""

from fastapi import APIRouter

from app.gates import service
from app.gates.schemas import GateAnswer, GateRequest, StoredGateRequest
from app.http.admission import computes
from app.http.declarations import declare
from app.http.dependencies import SettingsDep
from app.http.documented_problems import BODY, DESCRIBED_CALL, STORED_CALL
from app.http.fields import TopologyName
from app.http.security import may_read
from app.http.strict_json import StrictJsonRoute
from app.storage.sessions import SessionDep

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
    """Whether the processors carry the load within the limits given; 200 whether it passes or not."""
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
    """Judges under the newest snapshot, or smoothed over several; 200 whether it passes or not."""
    return service.judge_stored(session, name, body or StoredGateRequest(), settings)
