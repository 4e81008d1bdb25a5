"""/v1/topologies/{name}/policy: the terms of decisions about one topology."""

from fastapi import APIRouter

from app.database.transactions import SessionDep
from app.deciding.policies import service
from app.deciding.policies.schemas import PolicyAnswer, PolicyBody
from app.web.documented_problems import BODY
from app.web.fields import TopologyName
from app.web.routing import StrictJsonRoute, declare
from app.web.security import may_read, may_store

router = APIRouter(prefix="/v1/topologies/{name}/policy", tags=["decisions"], route_class=StrictJsonRoute)


@router.put("", **declare(may_store, "Store the policy", "unknown-topology", *BODY))
def put_policy(name: TopologyName, body: PolicyBody, session: SessionDep) -> PolicyAnswer:
    """Replaces the whole policy; a field that is left out takes its default."""
    return service.store_policy(session, name, body)


@router.get("", **declare(may_read, "Read the policy", "unknown-topology", "unknown-policy"))
def get_policy(name: TopologyName, session: SessionDep) -> PolicyAnswer:
    """The stored policy, with every default written out."""
    return service.find_policy(session, name)


@router.delete(
    "", status_code=204, **declare(may_store, "Delete the policy", "unknown-topology", "unknown-policy")
)
def delete_policy(name: TopologyName, session: SessionDep) -> None:
    """Deletes the policy; the decisions that it led to stay stored."""
    service.delete_policy(session, name)
