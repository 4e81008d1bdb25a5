"""/v1/topologies/{name}/recommendation: forecast, plan, placement and decision in one call."""

from fastapi import APIRouter, Response

from app.database.connections.transactions import SessionDep
from app.deciding.decisions.schemas import PROBLEMS
from app.deciding.recommendations import service
from app.deciding.recommendations.schemas import RecommendationAnswer, RecommendationRequest
from app.web.callers.security import may_store
from app.web.fields import TopologyName
from app.web.overload.admission import computes
from app.web.problems.documented_problems import BODY
from app.web.routing import NOT_STORED, SettingsDep, StrictJsonRoute, declare, tell_created

router = APIRouter(
    prefix="/v1/topologies/{name}/recommendation", tags=["decisions"], route_class=StrictJsonRoute
)


@router.post(
    "",
    status_code=201,
    **declare(may_store, "Forecast, plan, place, and decide", *PROBLEMS, *BODY, also=NOT_STORED),
)
@computes
def recommend(
    name: TopologyName,
    session: SessionDep,
    settings: SettingsDep,
    response: Response,
    body: RecommendationRequest | None = None,
) -> RecommendationAnswer:
    """Forecasts, plans, places and decides. A stage without data is left out with the reason; all others are
    stored.
    """
    answer = service.store_recommendation(session, name, body or RecommendationRequest(), settings)
    tell_created(response, "decisions", answer.decision.id)
    return answer
