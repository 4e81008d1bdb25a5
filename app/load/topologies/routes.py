"""/v1/topologies: create, read, change, delete."""

from typing import Annotated

from fastapi import APIRouter, Header, Query, Response

from app.database.connections.transactions import SessionDep
from app.load.measurements.stored_topologies import find_topology
from app.load.topologies import service
from app.load.topologies.schemas import TopologyAnswer, TopologyBody, TopologyChange, TopologyPage
from app.load.topologies.service import draw_topology, to_topology_answer
from app.web.callers.security import may_read, may_store
from app.web.fields import TopologyName
from app.web.negotiation import FORMS, Accept, IfMatch, answer_in_form, choose_form, is_known
from app.web.overload.admission import draws
from app.web.paging import PageDep
from app.web.problems.documented_problems import BODY
from app.web.routing import SettingsDep, StrictJsonRoute, declare, tell_created

router = APIRouter(prefix="/v1/topologies", tags=["topologies"], route_class=StrictJsonRoute)


@router.post(
    "",
    status_code=201,
    **declare(may_store, "Store a topology", "topology-exists", "invalid-topology", "no-steady-state", *BODY),
)
def create_topology(
    body: TopologyBody, settings: SettingsDep, response: Response, session: SessionDep
) -> TopologyAnswer:
    """Checks the graph (names, cycles with a gain of 1 or more) and stores it as revision 1."""
    stored = service.create_topology(session, body, settings)
    response.headers["ETag"] = stored.etag
    tell_created(response, "topologies", stored.name)
    return to_topology_answer(stored)


@router.get("", **declare(may_read, "List topologies"))
def list_topologies(page: PageDep, session: SessionDep) -> TopologyPage:
    """Topologies by name, a page at a time."""
    return service.list_topologies(session, page)


@router.get(
    "/{name}",
    response_model=TopologyAnswer,
    **declare(
        may_read,
        "Read a topology",
        "unknown-topology",
        "unknown-revision",
        pictures=True,
        also={304: {"description": "Unchanged since the ETag in If-None-Match."}},
    ),
)
@draws
def get_topology(
    name: TopologyName,
    session: SessionDep,
    revision: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="An older revision.")] = None,
    if_none_match: Annotated[str | None, Header()] = None,
    accept: Accept = None,
) -> Response:
    """The current revision, or the one asked for, as JSON, or as a picture of the graph (PNG or SVG), by `Accept`."""
    form = choose_form(accept, FORMS)
    stored = find_topology(session, name, revision)
    headers = {"ETag": service.tag(stored, form), "Vary": "Accept"}
    if is_known(headers["ETag"], if_none_match):
        return Response(status_code=304, headers=headers)
    answer = answer_in_form(to_topology_answer(stored), form, lambda _, form: draw_topology(stored, form))
    answer.headers.update(headers)
    return answer


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
    body: TopologyChange,
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
    """Deletes the topology with all its revisions, snapshots and plans."""
    service.delete_topology(session, name, if_match)
