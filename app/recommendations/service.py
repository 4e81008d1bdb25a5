"""One pipeline: forecast of the rate, processors under the goal, slots and VMs, what moves, a decision.

Each stage is optional: where data are missing it is left out, and the answer says why.
"""

from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from app.decisions.schemas import DecisionAnswer, ReasonAnswer
from app.decisions.service import Prepared, compose_answer, keep, prepare
from app.described.topology import Graph
from app.http.error_pointers import blaming_what_is_stored
from app.http.errors import InvalidRequest
from app.measured.rate_ahead import HISTORY, RateOutlook, count_steps, look_out
from app.placements.answers import to_placement_answer
from app.placements.gathering import gather_placement
from app.placements.schemas import PlacementAnswer, PlacementChoices
from app.placements.service import compute_placement
from app.recommendations.schemas import ForecastTerms, RecommendationAnswer, RecommendationRequest
from app.recommendations.stages import RateForecastAnswer, Recommended, Stage
from app.serving.observability import time_planner
from app.settings import Settings
from planner.decisions.change_horizon import scale_measured
from planner.errors import PlannerError

FORECAST_FIELDS = ("expected_rate", "upper_rate", "quantile", "model", "history", "diagnostics")


@dataclass(frozen=True)
class Forecasted:
    """The forecast, if there is one, as answered and as decided on, and the stage that says what became of it."""

    forecast: RateForecastAnswer | None
    outlook: RateOutlook
    stage: Stage


def store_recommendation(
    session: Session, name: str, body: RecommendationRequest, settings: Settings
) -> RecommendationAnswer:
    """Goes the whole way, and keeps all of it with the decision."""
    history = body.forecast.history if body.forecast else HISTORY
    prepared = prepare(session, name, body, settings, history=history)
    forecasted = run_forecast(prepared, body.forecast)
    measured_rate = prepared.found.load.external_rate
    upper = forecasted.forecast.upper_rate if forecasted.forecast else 0.0
    rate = max(measured_rate, upper)
    with time_planner("decide"), blaming_what_is_stored(name):
        decision = compose_answer(look_ahead(prepared, rate), forecasted.outlook)
    if rate != measured_rate:
        detail = (
            f"Decided for {rate:.6g} tuples/s, for which the forecast says to be ready; measured are "
            f"{measured_rate:.6g}."
        )
        ahead = ReasonAnswer(code="planned-ahead", detail=detail)
        decision = decision.model_copy(update={"reasons": [ahead, *decision.reasons]})
    placement, placed = run_placement(session, prepared, body.placement, rate)
    recommended = Recommended(
        stages=[
            forecasted.stage,
            describe_processors(decision, rate, measured_rate),
            placed,
            describe_moves(decision),
            Stage(name="decision", done=True, detail=describe_decision(decision, rate)),
        ],
        forecast=forecasted.forecast,
        measured_rate=measured_rate,
        planned_rate=rate,
        placement=placement,
    )
    kept = keep(session, prepared.stored, decision.model_copy(update={"recommendation": recommended}))
    # Once in the answer is enough.
    decision = kept.model_copy(update={"recommendation": None})
    return RecommendationAnswer.model_validate({**dict(recommended), "decision": decision})


def run_forecast(prepared: Prepared, terms: ForecastTerms | None) -> Forecasted:
    """The upper quantile of the external rate over the coming steps, from the snapshots before."""
    if terms is None:
        return Forecasted(None, RateOutlook(), Stage(name="forecast", done=False, detail="Not asked for."))
    policy, window = prepared.terms, prepared.history.window_seconds
    outlook = look_out(prepared.history, policy, terms.steps)
    seen = outlook.rate
    if seen is None:
        return Forecasted(None, outlook, Stage(name="forecast", done=False, detail=outlook.missing))
    steps = terms.steps or count_steps(policy, window)
    fields = {field: getattr(seen, field) for field in FORECAST_FIELDS}
    answer = RateForecastAnswer.model_validate(fields | {"step": seen.steps, "steps": steps})
    detail = (
        f"{seen.model}, learnt from {seen.history} intervals of {window:g} s: at most {seen.upper_rate:.6g} "
        f"tuples/s with probability {seen.quantile:g} in the {seen.steps} intervals ahead."
    )
    return Forecasted(answer, outlook, Stage(name="forecast", done=True, detail=detail))


def look_ahead(prepared: Prepared, rate: float) -> Prepared:
    """For a target the decision itself covers the rate to come; the other goals are asked of the load at that rate."""
    load = prepared.found.load
    if prepared.terms.goal.t_max_seconds is not None or rate == load.external_rate or not load.external_rate:
        return prepared
    return replace(prepared, found=replace(prepared.found, load=scale_measured(load, rate)))


def describe_processors(decision: DecisionAnswer, rate: float, measured_rate: float) -> Stage:
    """What the goal asks for at the rate planned for."""
    at = f"at {rate:.6g} tuples/s" + ("" if rate == measured_rate else f" (measured: {measured_rate:.6g})")
    if decision.optimum is None:
        limits = " ".join(one.detail for one in decision.constraints)
        return Stage(name="processors", done=False, detail=f"No answer {at}: {limits}")
    detail = f"{decision.optimum.processors_total} processors {at}, for the goal {decision.goal}."
    return Stage(name="processors", done=True, detail=detail)


def run_placement(
    session: Session, prepared: Prepared, choices: PlacementChoices | None, rate: float
) -> tuple[PlacementAnswer | None, Stage]:
    """Threads, slots and VMs for that rate, by the profiles of those operators that have one."""
    if choices is None:
        return None, Stage(name="placement", done=False, detail="Not asked for: give `placement`.")
    try:
        gathered = gather_placement(session, Graph.model_validate(prepared.stored.definition), choices)
        with time_planner("place"):
            placed = compute_placement(gathered, choices, rate)
    except (PlannerError, InvalidRequest) as error:
        return None, Stage(name="placement", done=False, detail=str(error))
    answer = to_placement_answer(placed, gathered, choices)
    vms = len(answer.mapping.vms)
    detail = f"{answer.allocation.slots} slots on {vms} VM{'' if vms == 1 else 's'}."
    return answer, Stage(name="placement", done=True, detail=detail)


def describe_decision(decision: DecisionAnswer, rate: float) -> str:
    """The action and the last step of its argument."""
    last = [*decision.constraints, *decision.reasons][-1:]
    said = f"{decision.action} for {rate:.6g} tuples/s"
    return f"{said}: {last[0].detail}" if last else f"{said}."


def describe_moves(decision: DecisionAnswer) -> Stage:
    """What moving costs, where anything is known of state."""
    migrations = decision.moving.migrations
    if not decision.policy.states:
        return Stage(name="moves", done=False, detail="The policy knows no operator's state.")
    if not migrations:
        return Stage(name="moves", done=True, detail="Nothing moves.")
    moved = ", ".join(
        f"{name} {one.moved_key_groups} key groups ({one.moved_share:.0%})"
        for name, one in migrations.items()
    )
    return Stage(name="moves", done=True, detail=f"{moved}.")
