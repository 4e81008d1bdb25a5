"""/v1/topologies: create, read, change, delete."""

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Header, Query, Response

from app.http.declarations import declare
from app.http.dependencies import SettingsDep
from app.http.documented_problems import BODY
from app.http.fields import TopologyName
from app.http.pages import PageDep
from app.http.security import may_read, may_store
from app.http.strict_json import StrictJsonRoute
from app.storage.sessions import SessionDep
from app.storage.stored_topologies import find_topology
from app.topologies import service
from app.topologies.answers import to_topology_answer
from app.topologies.schemas import TopologyAnswer, TopologyBody, TopologyPage

router = APIRouter(prefix="/v1/topologies", tags=["topologies"], route_class=StrictJsonRoute)
IfMatch = Annotated[
    str | None, Header(description="The ETag that the change was made from; guards against lost updates.")
]


@router.post(
    "",
    status_code=201,
    **declare(may_store, "Store a topology", "topology-exists", "invalid-topology", "no-steady-state", *BODY),
)
def create_topology(
    body: TopologyBody, settings: SettingsDep, response: Response, session: SessionDep
) -> TopologyAnswer:
    """Checks the graph (names, cycles that gain) and stores it as revision 1."""
    stored = service.create_topology(session, body, settings)
    response.headers["ETag"] = stored.etag
    response.headers["Location"] = f"/v1/topologies/{quote(stored.name, safe='')}"
    return to_topology_answer(stored)


@router.get("", **declare(may_read, "List topologies"))
def list_topologies(page: PageDep, session: SessionDep) -> TopologyPage:
    """By name, a page at a time."""
    return service.list_topologies(session, page)


@router.get(
    "/{name}",
    **declare(
        may_read,
        "Read a topology",
        "unknown-topology",
        "unknown-revision",
        also={304: {"description": "Unchanged since the ETag in If-None-Match."}},
    ),
)
def get_topology(
    name: TopologyName,
    session: SessionDep,
    response: Response,
    revision: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="An older one.")] = None,
    if_none_match: Annotated[str | None, Header()] = None,
) -> TopologyAnswer:
    """The current revision, or the one asked for."""
    stored = find_topology(session, name, revision)
    if service.is_unchanged(stored, if_none_match):
        return Response(status_code=304, headers={"ETag": stored.etag})  # type: ignore[return-value]  # has no body
    response.headers["ETag"] = stored.etag
    return to_topology_answer(stored)


@router.put(
    "/{name}",
    **declare(
        may_store,
        "Change a topology",
        "unknown-topology",
        "revision-conflict",
        "invalid-topology",
        "no-steady-state",
        *BODY,
    ),
)
def replace_topology(
    name: TopologyName,
    body: TopologyBody,
    settings: SettingsDep,
    response: Response,
    session: SessionDep,
    if_match: IfMatch = None,
) -> TopologyAnswer:
    """Makes a new revision; older ones stay readable, and snapshots stay."""
    stored = service.replace_topology(session, name, body, if_match, settings)
    response.headers["ETag"] = stored.etag
    return to_topology_answer(stored)


@router.delete(
    "/{name}",
    status_code=204,
    **declare(may_store, "Delete a topology", "unknown-topology", "revision-conflict"),
)
def delete_topology(name: TopologyName, session: SessionDep, if_match: IfMatch = None) -> None:
    """With all its revisions, snapshots and plans."""
    service.delete_topology(session, name, if_match)
