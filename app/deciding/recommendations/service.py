"""Makes a recommendation in one call: rate forecast, processors under the goal, slots and VMs, moved state, decision.

Each stage is optional: a stage whose data are missing is left out, and the answer says why.
"""

from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from app.deciding.decisions.answers import to_decision_answer
from app.deciding.decisions.gathering import GatheredDecision, gather_decision
from app.deciding.decisions.service import compute_decision, store_answer
from app.deciding.recommendations.schemas import (
    ForecastTerms,
    FoundForecast,
    FoundPlacement,
    Recommendation,
    RecommendationAnswer,
    RecommendationRequest,
    to_recommended,
)
from app.load.bodies.topology import Graph
from app.machines.placements.gathering import GatheredPlacement, gather_placement
from app.machines.placements.schemas import PlacementChoices
from app.machines.placements.service import compute_placement
from app.settings import Settings
from app.web.observability import time_planner
from app.web.problems.errors import InvalidRequest
from planner.decisions.case import DecisionQuestion
from planner.decisions.compose import ComposedDecision, plan_for_rate
from planner.decisions.horizon import NO_OUTLOOK, count_cooldown_steps, look_out
from planner.decisions.wording import give_reason
from planner.errors import PlannerError
from planner.wording import write_numbers_apart
from planner.workloads.weighed_forecast import LOOKED_BACK


@dataclass(frozen=True)
class GatheredRecommendation:
    """The inputs of the decision and of the placement; `no_placement` says why there is no placement."""

    decision: GatheredDecision
    placement: GatheredPlacement | None
    no_placement: str = ""


def gather_recommendation(
    session: Session, name: str, body: RecommendationRequest, settings: Settings
) -> GatheredRecommendation:
    """Reads the stored inputs of a recommendation, with as many snapshots as its forecast needs."""
    history = body.forecast.history if body.forecast else LOOKED_BACK
    decision = gather_decision(session, name, body, settings, history=history)
    if body.placement is None:
        return GatheredRecommendation(decision, None)
    graph = Graph.model_validate(decision.found.stored.definition)
    try:
        return GatheredRecommendation(decision, gather_placement(session, graph, body.placement))
    except (PlannerError, InvalidRequest) as error:
        return GatheredRecommendation(decision, None, str(error))


def store_recommendation(
    session: Session, name: str, body: RecommendationRequest, settings: Settings
) -> RecommendationAnswer:
    """Gathers the inputs, computes every stage of the recommendation, and stores the stages with the decision."""
    gathered = gather_recommendation(session, name, body, settings)
    found = compute_recommendation(gathered, body)
    outlook = found.forecast.outlook if found.forecast else NO_OUTLOOK
    decision = to_decision_answer(gathered.decision, found.composed, outlook)
    recommended = to_recommended(found)
    kept = store_answer(session, gathered.decision, decision, body, recommended)
    return RecommendationAnswer.model_validate({**dict(recommended), "decision": kept})


def compute_recommendation(gathered: GatheredRecommendation, body: RecommendationRequest) -> Recommendation:
    """Computes the forecast, then the decision at the larger of measured and forecast rate, then its placement."""
    question = gathered.decision.question
    forecast = look_out_for(question, body.forecast)
    outlook = forecast.outlook if forecast else NO_OUTLOOK
    measured_rate = question.load.external_rate
    rate = max(measured_rate, outlook.upper_rate or 0.0)
    asked = plan_for_rate(replace(question, outlook=outlook), rate)
    composed = compute_decision(gathered.decision, asked)
    if rate != measured_rate:
        composed = explain_rate(composed, rate, measured_rate)
    placement = place(gathered, body.placement, rate)
    return Recommendation(question.policy, forecast, measured_rate, rate, composed, placement)


def look_out_for(question: DecisionQuestion, terms: ForecastTerms | None) -> FoundForecast | None:
    """Returns the forecast of the external rate over the coming steps; None if the request asks for no forecast."""
    history, policy = question.history, question.policy
    if terms is None or history is None:
        return None
    with time_planner("look_ahead"):
        outlook = look_out(history, policy, terms.steps)
    steps = terms.steps or count_cooldown_steps(policy, history.step_seconds)
    return FoundForecast(outlook, steps, history.step_seconds)


def explain_rate(composed: ComposedDecision, rate: float, measured_rate: float) -> ComposedDecision:
    """Returns the decision with one more reason in front, which names the external rate that it was made for."""
    planned, measured = write_numbers_apart(rate, measured_rate)
    decision = composed.decision
    reasons = (give_reason("planned-ahead", planned=planned, measured=measured), *decision.reasons)
    return replace(composed, decision=replace(decision, reasons=reasons))


def place(
    gathered: GatheredRecommendation, choices: PlacementChoices | None, rate: float
) -> FoundPlacement | None:
    """Places threads on slots and VMs for this external rate; operators without a profile are left out."""
    if choices is None:
        return None
    if gathered.placement is None:
        return FoundPlacement(choices, missing=gathered.no_placement)
    try:
        with time_planner("place"):
            placed = compute_placement(gathered.placement, choices, rate)
    except (PlannerError, InvalidRequest) as error:
        return FoundPlacement(choices, missing=str(error))
    return FoundPlacement(choices, gathered.placement, placed)
