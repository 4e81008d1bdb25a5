"""/v1/topologies/{name}/snapshots: measured load, one interval at a time."""

from typing import Annotated

from fastapi import APIRouter, Body, Query, Response

from app.database.connections.transactions import SessionDep
from app.load.bodies.load import FPD_LOAD
from app.load.snapshots import service
from app.load.snapshots.schemas import OneOrMore, SnapshotPage, StoredSnapshots
from app.web.callers.security import may_read, may_store
from app.web.fields import Period, TopologyName, UtcTime
from app.web.paging import PageDep, ask_from, ask_to
from app.web.problems.documented_problems import BODY
from app.web.routing import SettingsDep, StrictJsonRoute, declare, tell_created

router = APIRouter(prefix="/v1/topologies/{name}/snapshots", tags=["snapshots"], route_class=StrictJsonRoute)

EXAMPLES = {
    "one": {"summary": "One interval", "value": FPD_LOAD},
    "several": {"summary": "A list of them", "value": [FPD_LOAD]},
}


@router.post(
    "",
    status_code=201,
    response_model_exclude_unset=True,
    **declare(may_store, "Store measured load", "unknown-topology", *BODY),
)
def store_snapshots(
    name: TopologyName,
    body: Annotated[OneOrMore, Body(openapi_examples=EXAMPLES)],
    settings: SettingsDep,
    session: SessionDep,
    response: Response,
) -> StoredSnapshots:
    """Stores one snapshot or a list, all or none; a snapshot of the same interval replaces the stored one."""
    tell_created(response, "topologies", name, "snapshots")
    return service.store_snapshots(session, name, body, settings)


@router.get("", **declare(may_read, "Read measured load", "unknown-topology"))
def list_snapshots(
    name: TopologyName,
    page: PageDep,
    session: SessionDep,
    since: Annotated[UtcTime | None, ask_from("Intervals that begin at this time or later.")] = None,
    until: Annotated[UtcTime | None, ask_to("Intervals that begin before this time.")] = None,
) -> SnapshotPage:
    """The snapshots of a topology, oldest first."""
    return service.list_snapshots(session, name, page, since, until)


@router.delete(
    "/{observed_at}",
    status_code=204,
    **declare(may_store, "Delete measured load", "unknown-topology", "unknown-snapshot"),
)
def delete_snapshots(
    name: TopologyName,
    observed_at: UtcTime,
    session: SessionDep,
    window_seconds: Annotated[
        Period | None, Query(description="Only snapshots of this length; left out: of any.")
    ] = None,
) -> None:
    """Deletes the snapshots of the interval that begins at this time, such as a wrong measurement."""
    service.delete_snapshots(session, name, observed_at, window_seconds)
