"""/v1/fleet/policy: the budget that topologies share, and who comes first."""

from typing import Any

from fastapi import APIRouter, Response

from app.database.connections.transactions import SessionDep
from app.deciding.fleet_policy import service
from app.deciding.fleet_policy.schemas import FleetPolicyAnswer, FleetPolicyBody
from app.web.callers.security import may_read, may_store
from app.web.problems.documented_problems import BODY
from app.web.routing import StrictJsonRoute, declare, tell_created

router = APIRouter(prefix="/v1/fleet/policy", tags=["decisions"], route_class=StrictJsonRoute)

CREATED: dict[int | str, Any] = {201: {"model": FleetPolicyAnswer, "description": "There was none before."}}


@router.put("", **declare(may_store, "Store the fleet's policy", *BODY, also=CREATED))
def put_fleet_policy(body: FleetPolicyBody, session: SessionDep, response: Response) -> FleetPolicyAnswer:
    """Creates the policy (201) or replaces it as a whole (200). Decisions of the fleet share its budget."""
    answer, is_new = service.store_policy(session, body)
    if is_new:
        response.status_code = 201
        tell_created(response, "fleet", "policy", is_answered=True)
    return answer


@router.get("", **declare(may_read, "Read the fleet's policy", "unknown-policy"))
def get_fleet_policy(session: SessionDep) -> FleetPolicyAnswer:
    """The stored policy of the fleet, with every default."""
    return service.find_policy(session)


@router.delete("", status_code=204, **declare(may_store, "Delete the fleet's policy", "unknown-policy"))
def delete_fleet_policy(session: SessionDep) -> None:
    """Deletes the policy; decisions made under it stay stored."""
    service.delete_policy(session)
