"""/v1/placements places threads on slots of VMs, with the sustained rate and the price."""

from uuid import UUID

from fastapi import APIRouter, Response

from app.database.connections.transactions import SessionDep
from app.machines.placements import gathering, service
from app.machines.placements.schemas import (
    PlacementAnswer,
    PlacementPage,
    PlacementRequest,
    StoredPlacementRequest,
)
from app.web.callers.security import may_read, may_store
from app.web.fields import TopologyName
from app.web.overload.admission import computes
from app.web.paging import PageDep
from app.web.problems.documented_problems import BODY, DESCRIBED_CALL, STORED_CALL
from app.web.routing import SettingsDep, StrictJsonRoute, declare, tell_created

router = APIRouter(prefix="/v1", tags=["placements"], route_class=StrictJsonRoute)

PLACED = (
    *BODY,
    "invalid-profile",
    "missing-profile",
    "idle-task",
    "vm-too-small",
    "placement-too-large",
    "invalid-catalogue",
    "not-enough-slots",
)


@router.post("/placements", **declare(may_read, "Place threads on slots and VMs", *DESCRIBED_CALL, *PLACED))
@computes
def place_threads(body: PlacementRequest, session: SessionDep, settings: SettingsDep) -> PlacementAnswer:
    """Allocates threads and slots, acquires VMs, maps threads to slots and predicts the rate; nothing is stored."""
    return service.place_described(session, body, settings)


@router.post(
    "/topologies/{name}/placements",
    status_code=201,
    **declare(
        may_store,
        "Place a stored topology, and store the placement",
        *STORED_CALL,
        *PLACED,
    ),
)
@computes
def place_stored_topology(
    name: TopologyName, session: SessionDep, response: Response, body: StoredPlacementRequest
) -> PlacementAnswer:
    """Places threads by the profiles that operators name, at the given rate or the newest measured rate."""
    placement = service.place_stored(session, name, body)
    tell_created(response, "placements", placement.id, is_answered=True)
    return placement


@router.get("/topologies/{name}/placements", **declare(may_read, "List placements", "unknown-topology"))
def list_placements(name: TopologyName, page: PageDep, session: SessionDep) -> PlacementPage:
    """The placements of a topology, newest first."""
    return gathering.list_placements(session, name, page)


@router.get("/placements/{placement_id:uuid}", **declare(may_read, "Read a placement", "unknown-placement"))
def get_placement(placement_id: UUID, session: SessionDep) -> PlacementAnswer:
    """A stored placement, as it was answered when it was made."""
    return gathering.find_placement(session, placement_id)
