"""/v1/topologies/{name}/recommendation: forecast, plan, placement and decision in one call."""

from fastapi import APIRouter, Response

from app.decisions.schemas import PROBLEMS
from app.http.admission import computes
from app.http.declarations import declare
from app.http.dependencies import SettingsDep
from app.http.documented_problems import BODY
from app.http.fields import TopologyName
from app.http.security import may_store
from app.http.strict_json import StrictJsonRoute
from app.recommendations import service
from app.recommendations.schemas import RecommendationAnswer, RecommendationRequest
from app.storage.sessions import SessionDep

router = APIRouter(
    prefix="/v1/topologies/{name}/recommendation", tags=["decisions"], route_class=StrictJsonRoute
)


@router.post("", status_code=201, **declare(may_store, "Forecast, plan, place, and decide", *PROBLEMS, *BODY))
@computes
def recommend(
    name: TopologyName,
    session: SessionDep,
    settings: SettingsDep,
    response: Response,
    body: RecommendationRequest | None = None,
) -> RecommendationAnswer:
    """Forecasts, plans, places and decides. A stage without data is left out and says why; all others are stored."""
    answer = service.store_recommendation(session, name, body or RecommendationRequest(), settings)
    response.headers["Location"] = f"/v1/decisions/{answer.decision.id}"
    return answer
