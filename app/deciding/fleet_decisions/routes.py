"""/v1/fleet/decisions: one consistent set of changes for all topologies that share a budget."""

from fastapi import APIRouter, Response

from app.database.connections.transactions import SessionDep
from app.deciding.fleet_decisions import history, service
from app.deciding.fleet_decisions.schemas import FleetDecisionAnswer, FleetDecisionPage
from app.web.callers.security import may_read, may_store
from app.web.overload.admission import computes
from app.web.paging import PageDep
from app.web.routing import SettingsDep, StrictJsonRoute, declare, tell_created

router = APIRouter(prefix="/v1/fleet/decisions", tags=["decisions"], route_class=StrictJsonRoute)


@router.post(
    "",
    status_code=201,
    **declare(
        may_store, "Decide about the fleet and store", "no-policy", "unknown-topology", "budget-too-small"
    ),
)
@computes
def decide_fleet(session: SessionDep, settings: SettingsDep, response: Response) -> FleetDecisionAnswer:
    """Shares the budget of the fleet's policy, and stores a decision for each topology, which its other calls read."""
    answer = service.store_fleet_decision(session, settings)
    tell_created(response, "fleet", "decisions", "latest", is_answered=True)
    return answer


@router.get("", **declare(may_read, "List the fleet's decisions"))
def list_fleet_decisions(page: PageDep, session: SessionDep) -> FleetDecisionPage:
    """The decisions of the fleet of the last 30 days, newest first, without their topologies."""
    return history.list_decisions(session, page)


@router.get("/latest", **declare(may_read, "Read the fleet's newest decision", "unknown-decision"))
def get_latest_fleet_decision(session: SessionDep) -> FleetDecisionAnswer:
    """The newest decision of the fleet, as it was answered."""
    return history.find_latest(session)
