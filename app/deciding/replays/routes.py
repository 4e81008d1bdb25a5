"""/v1/topologies/{name}/policy/replay: what a policy would have done over stored snapshots."""

from fastapi import APIRouter

from app.database.connections.transactions import SessionDep
from app.deciding.decisions.schemas import PROBLEMS
from app.deciding.replays import service
from app.deciding.replays.schemas import ReplayAnswer, ReplayRequest
from app.web.callers.security import may_read
from app.web.fields import TopologyName
from app.web.overload.admission import computes
from app.web.problems.documented_problems import BODY
from app.web.routing import SettingsDep, StrictJsonRoute, declare

router = APIRouter(
    prefix="/v1/topologies/{name}/policy/replay", tags=["decisions"], route_class=StrictJsonRoute
)
NEVER = {"stale-snapshots"}


@router.post(
    "", **declare(may_read, "Replay a policy", *[one for one in PROBLEMS if one not in NEVER], *BODY)
)
@computes
def replay_policy(
    name: TopologyName, session: SessionDep, settings: SettingsDep, body: ReplayRequest | None = None
) -> ReplayAnswer:
    """What the policy would have done over stored snapshots, beside what ran; nothing is stored."""
    return service.answer_replay(session, name, body or ReplayRequest(), settings)
