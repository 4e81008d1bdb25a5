"""/v1/topologies/{name}/report: verdict, operators and evidence on one page, for a ticket or an artefact of a job."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from app.database.transactions import SessionDep
from app.pages.topology_report import service
from app.web.fields import TopologyName
from app.web.routing import StrictJsonRoute, declare
from app.web.security import may_read

router = APIRouter(prefix="/v1/topologies/{name}/report", tags=["decisions"], route_class=StrictJsonRoute)
PAGES: dict[int | str, Any] = {200: {"content": {"text/html": {}, "text/markdown": {}}}}


@router.get(
    "",
    response_class=Response,
    **declare(may_read, "Read a report", "unknown-topology", "unknown-decision", also=PAGES),
)
def get_report(
    name: TopologyName,
    session: SessionDep,
    form: Annotated[Literal["html", "markdown"], Query(alias="format")] = "html",
) -> Response:
    """The standing decision as one self-contained page; it runs no script and loads nothing."""
    text, media_type = service.write_report(session, name, form)
    return Response(text, media_type=media_type)
