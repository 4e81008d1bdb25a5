"""/v1/overview: one row for each topology, the most urgent first."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from app.database.connections.transactions import SessionDep
from app.pages.overview import service
from app.pages.overview.schemas import Overview, OverviewFilter, read_filter
from app.web.callers.security import may_read
from app.web.paging import PageDep
from app.web.routing import StrictJsonRoute, declare

router = APIRouter(prefix="/v1/overview", tags=["topologies"], route_class=StrictJsonRoute)


@router.get(
    "",
    response_model=Overview,
    **declare(
        may_read,
        "List topologies by urgency",
        also={304: {"description": "Unchanged since the ETag in If-None-Match."}},
    ),
)
def get_overview(
    page: PageDep,
    session: SessionDep,
    wanted: Annotated[OverviewFilter, Depends(read_filter)],
) -> Response:
    """Sorted by status, the most urgent first, then by name; old measurements recommend nothing."""
    content = service.read_overview(session, page, wanted).model_dump_json(by_alias=True).encode()
    return Response(content, media_type="application/json")
