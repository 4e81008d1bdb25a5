"""/v1/topologies/{name}/policy: the goal and the limits by which decisions about one topology are made."""

from typing import Any

from fastapi import APIRouter, Response

from app.database.connections.transactions import SessionDep
from app.deciding.policies import service
from app.deciding.policies.schemas import PolicyAnswer, PolicyBody
from app.web.callers.security import may_read, may_store
from app.web.fields import TopologyName
from app.web.negotiation import IfMatch
from app.web.outgoing import find_fault
from app.web.problems.documented_problems import BODY
from app.web.problems.errors import InvalidRequest
from app.web.routing import SettingsDep, StrictJsonRoute, declare, tell_created

router = APIRouter(prefix="/v1/topologies/{name}/policy", tags=["decisions"], route_class=StrictJsonRoute)


CREATED: dict[int | str, Any] = {
    201: {"model": PolicyAnswer, "description": "The topology had no policy before."}
}


@router.put(
    "", **declare(may_store, "Store the policy", "unknown-topology", "revision-conflict", *BODY, also=CREATED)
)
def put_policy(
    name: TopologyName,
    body: PolicyBody,
    session: SessionDep,
    settings: SettingsDep,
    response: Response,
    if_match: IfMatch = None,
) -> PolicyAnswer:
    """Creates the policy (201) or replaces it as a whole (200); an absent field gets its default."""
    if body.webhook is not None and (fault := find_fault(settings, body.webhook.url)):
        raise InvalidRequest((("#/webhook/url", fault),))
    answer, is_new = service.store_policy(session, name, body, if_match)
    response.headers["ETag"] = service.tag_policy(answer.updated_at)
    if is_new:
        response.status_code = 201
        tell_created(response, "topologies", name, "policy", is_answered=True)
    return answer


@router.get("", **declare(may_read, "Read the policy", "unknown-topology", "unknown-policy"))
def get_policy(name: TopologyName, session: SessionDep, response: Response) -> PolicyAnswer:
    """The stored policy of a topology, with every default."""
    answer = service.find_policy(session, name)
    response.headers["ETag"] = service.tag_policy(answer.updated_at)
    return answer


@router.delete(
    "", status_code=204, **declare(may_store, "Delete the policy", "unknown-topology", "unknown-policy")
)
def delete_policy(name: TopologyName, session: SessionDep) -> None:
    """Deletes the policy; decisions made under it stay stored."""
    service.delete_policy(session, name)
