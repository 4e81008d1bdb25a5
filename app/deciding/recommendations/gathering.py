"""Everything that a recommendation is computed from, read from the database."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.deciding.decisions.gathering import GatheredDecision, gather_decision
from app.deciding.recommendations.schemas import RecommendationRequest
from app.load.bodies.topology import Graph
from app.machines.placements.gathering import GatheredPlacement, gather_placement
from app.settings import Settings
from app.web.errors import InvalidRequest
from planner.errors import PlannerError
from planner.workloads.line_forecasts import HISTORY


@dataclass(frozen=True)
class GatheredRecommendation:
    """What decision and placement are computed from; `no_placement` says why there is none."""

    decision: GatheredDecision
    placement: GatheredPlacement | None
    no_placement: str = ""


def gather_recommendation(
    session: Session, name: str, body: RecommendationRequest, settings: Settings
) -> GatheredRecommendation:
    """Reads all that is stored, with as many snapshots as the forecast is fitted on."""
    history = body.forecast.history if body.forecast else HISTORY
    decision = gather_decision(session, name, body, settings, history=history)
    if body.placement is None:
        return GatheredRecommendation(decision, None)
    graph = Graph.model_validate(decision.stored.definition)
    try:
        return GatheredRecommendation(decision, gather_placement(session, graph, body.placement))
    except (PlannerError, InvalidRequest) as error:
        return GatheredRecommendation(decision, None, str(error))
