"""/v1/topologies/{name}/past-forecasts: rates that decisions expected, beside the rates that were measured later."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Response

from app.database.transactions import SessionDep
from app.forecasts.past import service
from app.forecasts.past.answers import draw_past_forecasts
from app.forecasts.past.schemas import PastForecasts
from app.web.admission import draws
from app.web.fields import TopologyName
from app.web.negotiation import FORMS, Accept, answer_in_form, choose_form
from app.web.routing import StrictJsonRoute, declare
from app.web.security import may_read

router = APIRouter(
    prefix="/v1/topologies/{name}/past-forecasts", tags=["decisions"], route_class=StrictJsonRoute
)


@router.get(
    "",
    response_model=PastForecasts,
    **declare(may_read, "Compare past forecasts with measured rates", "unknown-topology", pictures=True),
)
@draws
def get_past_forecasts(
    name: TopologyName,
    session: SessionDep,
    limit: Annotated[int, Query(ge=1, le=1000, description="Of the newest decisions.")] = 200,
    accept: Accept = None,
) -> Response:
    """For each decision with a forecast: the highest rate that it expected, and the highest rate that was measured.

    JSON, PNG or SVG, by `Accept`.
    """
    form = choose_form(accept, FORMS)
    answer = service.read_past_forecasts(session, name, limit)
    return answer_in_form(answer, form, partial(draw_past_forecasts, name=name))
