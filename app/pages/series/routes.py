"""/v1/topologies/{name}/series: measurements, estimates and recommendations over time."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from app.database.connections.transactions import SessionDep
from app.pages.series import service
from app.pages.series.answers import draw_series
from app.pages.series.schemas import Series
from app.web.callers.security import may_read
from app.web.fields import TopologyName, UtcTime
from app.web.negotiation import FORMS, Accept, answer_in_form, choose_form
from app.web.overload.admission import computes
from app.web.paging import ask_from, ask_to
from app.web.routing import StrictJsonRoute, declare

router = APIRouter(prefix="/v1/topologies/{name}/series", tags=["snapshots"], route_class=StrictJsonRoute)


@router.get(
    "",
    response_model=Series,
    **declare(may_read, "Read measurements and decisions over time", "unknown-topology", pictures=True),
)
@computes
def get_series(
    name: TopologyName,
    session: SessionDep,
    since: Annotated[
        UtcTime | None, ask_from("Left out: 24 hours before `to`, or the first data since then.")
    ] = None,
    until: Annotated[UtcTime | None, ask_to("Left out: the end of the newest snapshot.")] = None,
    points: Annotated[int, Query(ge=1, le=1000, description="The largest number of buckets.")] = 300,
    accept: Accept = None,
) -> Response:
    """At most `points` buckets of equal length; a bucket is not shorter than the newest snapshot.

    JSON, PNG or SVG, by `Accept`.
    """
    form = choose_form(accept, FORMS)
    return answer_in_form(service.read_series(session, name, since, until, points), form, draw_series)
