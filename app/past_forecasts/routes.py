"""/v1/topologies/{name}/past-forecasts: what decisions expected of the rate, beside what came."""

from typing import Annotated

from fastapi import APIRouter, Query

from app.http.declarations import declare
from app.http.fields import TopologyName
from app.http.security import may_read
from app.http.strict_json import StrictJsonRoute
from app.past_forecasts import service
from app.past_forecasts.schemas import PastForecasts
from app.storage.sessions import SessionDep

router = APIRouter(
    prefix="/v1/topologies/{name}/past-forecasts", tags=["decisions"], route_class=StrictJsonRoute
)


@router.get("", **declare(may_read, "Compare past forecasts with what came", "unknown-topology"))
def get_past_forecasts(
    name: TopologyName,
    session: SessionDep,
    limit: Annotated[int, Query(ge=1, le=1000, description="Of the newest decisions.")] = 200,
) -> PastForecasts:
    """For each decision that looked ahead: the rate that it expected at most, and the highest that came."""
    return service.read_past_forecasts(session, name, limit)
