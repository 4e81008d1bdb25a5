"""One pipeline: forecast of the rate, processors under the goal, slots and VMs, what moves, a decision.

Each stage is optional: where data are missing it is left out, and the answer says why.
"""

from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from app.blame import blaming_what_is_stored
from app.decisions.outlook import count_steps, forecast_ahead
from app.decisions.schemas import DecisionAnswer, Reason
from app.decisions.service import Prepared, compose_answer, keep, prepare
from app.errors import InvalidRequest
from app.observability import time_planner
from app.placements.computing import compute_placement
from app.placements.schemas import Choices, PlacementAnswer
from app.placements.service import open_library
from app.recommendations.schemas import ForecastTerms, RecommendationAnswer, RecommendationRequest
from app.recommendations.stages import RateForecast, Recommended, Stage
from app.settings import Settings
from app.topologies.schemas import Graph
from planner.errors import PlannerError
from planner.horizon import RatesAhead, scale_measured

FORECAST_FIELDS = ("expected_rate", "upper_rate", "step", "model", "history", "diagnostics")


@dataclass(frozen=True)
class Forecasted:
    """The forecast, if there is one, the rates of its steps, and the stage that says what became of it."""

    forecast: RateForecast | None
    ahead: RatesAhead
    stage: Stage


def store_recommendation(
    session: Session, name: str, body: RecommendationRequest, settings: Settings
) -> RecommendationAnswer:
    """Goes the whole way, and keeps all of it with the decision."""
    prepared = prepare(session, name, body.at, body.policy, settings)
    forecasted = run_forecast(session, prepared, body.forecast)
    measured_rate = prepared.found.load.external_rate
    upper = forecasted.forecast.upper_rate if forecasted.forecast else 0.0
    rate = max(measured_rate, upper)
    with time_planner("decide"), blaming_what_is_stored(name):
        decision = compose_answer(look_ahead(prepared, rate), lambda: forecasted.ahead)
    if rate != measured_rate:
        detail = (
            f"Decided for {rate:.6g} tuples/s, for which the forecast says to be ready; measured are "
            f"{measured_rate:.6g}."
        )
        ahead = Reason(code="planned-ahead", detail=detail)
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


def run_forecast(session: Session, prepared: Prepared, terms: ForecastTerms | None) -> Forecasted:
    """The upper quantile of the external rate over the coming steps, from the snapshots before."""
    if terms is None:
        why = "Not asked for."
        return Forecasted(None, RatesAhead(missing=why), Stage(name="forecast", done=False, detail=why))
    found, policy = prepared.found, prepared.terms
    window = found.newest.window_seconds
    steps = terms.steps or count_steps(policy, window)
    try:
        seen = forecast_ahead(
            session, found, policy, prepared.decided_for, steps=steps, history=terms.history
        )
    except PlannerError as error:
        why = str(error)
        return Forecasted(None, RatesAhead(missing=why), Stage(name="forecast", done=False, detail=why))
    fields = {field: getattr(seen, field) for field in FORECAST_FIELDS}
    answer = RateForecast.model_validate(fields | {"quantile": policy.qos_target, "steps": steps})
    detail = (
        f"{seen.model}, learnt from {seen.history} intervals of {window:g} s: at most {seen.upper_rate:.6g} "
        f"tuples/s with probability {policy.qos_target:g}, {seen.step} of {steps} intervals ahead."
    )
    stage = Stage(name="forecast", done=True, detail=detail)
    return Forecasted(answer, RatesAhead(seen.upper_rates, window), stage)


def look_ahead(prepared: Prepared, rate: float) -> Prepared:
    """The same at the rate to be ready for; E[T] was not measured there, but a target missed now stays missed."""
    load = prepared.found.load
    if rate == load.external_rate or not load.external_rate:
        return prepared
    measured, t_max_seconds = load.measured_sojourn_seconds, prepared.terms.goal.t_max_seconds
    ahead = scale_measured(load, rate)
    if measured is not None and t_max_seconds is not None and measured > t_max_seconds:
        ahead = replace(ahead, measured_sojourn_seconds=measured)
    return replace(prepared, found=replace(prepared.found, load=ahead))


def describe_processors(decision: DecisionAnswer, rate: float, measured_rate: float) -> Stage:
    """What the goal asks for at the rate planned for."""
    at = f"at {rate:.6g} tuples/s" + ("" if rate == measured_rate else f" (measured: {measured_rate:.6g})")
    if decision.optimum is None:
        limits = " ".join(one.detail for one in decision.constraints)
        return Stage(name="processors", done=False, detail=f"No answer {at}: {limits}")
    detail = f"{decision.optimum.processors_total} processors {at}, for the goal {decision.goal}."
    return Stage(name="processors", done=True, detail=detail)


def run_placement(
    session: Session, prepared: Prepared, choices: Choices | None, rate: float
) -> tuple[PlacementAnswer | None, Stage]:
    """Threads, slots and VMs for that rate, by the profiles of those operators that have one."""
    if choices is None:
        return None, Stage(name="placement", done=False, detail="Not asked for: give `placement`.")
    try:
        with time_planner("place"):
            graph = Graph.model_validate(prepared.stored.definition)
            answer = compute_placement(choices, graph, rate, open_library(session))
    except (PlannerError, InvalidRequest) as error:
        return None, Stage(name="placement", done=False, detail=str(error))
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
