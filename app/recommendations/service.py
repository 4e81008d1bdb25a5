"""One pipeline: forecast of the rate, processors under the goal, slots and VMs, what moves, a decision.

Each stage is optional: where data are missing it is left out, and the answer says why.
"""

from dataclasses import dataclass, replace
from math import ceil

from sqlalchemy.orm import Session

from app.decisions.schemas import DecisionAnswer
from app.decisions.service import Prepared, compose_answer, keep, prepare
from app.errors import InvalidRequest
from app.observability import time_planner
from app.placements.computing import compute_placement
from app.placements.schemas import Choices, PlacementAnswer
from app.placements.service import open_library
from app.plans.service import blaming_what_is_stored
from app.recommendations.schemas import (
    ForecastTerms,
    RateForecast,
    RecommendationAnswer,
    RecommendationRequest,
    Stage,
)
from app.settings import Settings
from app.snapshots.service import find_newest
from app.tables import SnapshotRow
from app.topologies.schemas import Graph
from planner.errors import PlannerError
from planner.rate_forecast import forecast_rate
from planner.values import Load
from planner.workload import Measurement

MOST_STEPS = 1_000
FORECAST_FIELDS = ("expected_rate", "upper_rate", "step", "model", "history", "diagnostics")


@dataclass(frozen=True)
class Forecasted:
    """The forecast, if there is one, and the stage that says what became of it."""

    forecast: RateForecast | None
    stage: Stage


def store_recommendation(
    session: Session, name: str, body: RecommendationRequest, settings: Settings
) -> RecommendationAnswer:
    """Goes the whole way, and keeps the decision."""
    prepared = prepare(session, name, body.at, body.policy, settings)
    forecasted = run_forecast(session, prepared, body.forecast)
    measured_rate = prepared.found.load.external_rate
    upper = forecasted.forecast.upper_rate if forecasted.forecast else 0.0
    rate = max(measured_rate, upper)
    with time_planner("decide"), blaming_what_is_stored(name):
        decision = compose_answer(look_ahead(prepared, rate))
    placement, placed = run_placement(session, prepared, body.placement, rate)
    decision = keep(session, prepared.stored, decision)
    return RecommendationAnswer(
        stages=[
            forecasted.stage,
            describe_processors(decision, rate, measured_rate),
            placed,
            describe_moves(decision),
            Stage(name="decision", done=True, detail=describe_decision(decision)),
        ],
        forecast=forecasted.forecast,
        planned_rate=rate,
        placement=placement,
        decision=decision,
    )


def run_forecast(session: Session, prepared: Prepared, terms: ForecastTerms | None) -> Forecasted:
    """The upper quantile of the external rate over the coming steps, from the snapshots before."""
    if terms is None:
        return Forecasted(None, Stage(name="forecast", done=False, detail="Not asked for."))
    rows = find_newest(session, prepared.stored, terms.history, prepared.decided_for)
    window = prepared.found.newest.window_seconds
    rows = [row for row in rows if row.window_seconds == window]
    steps = terms.steps or min(max(1, ceil(prepared.terms.cooldown_seconds / window)), MOST_STEPS)
    quantile = prepared.terms.qos_target
    try:
        with time_planner("forecast_rate"):
            found = forecast_rate([read_measurement(row) for row in rows], window, steps, quantile)
    except PlannerError as error:
        return Forecasted(None, Stage(name="forecast", done=False, detail=str(error)))
    fields = {field: getattr(found, field) for field in FORECAST_FIELDS}
    answer = RateForecast.model_validate(fields | {"quantile": quantile, "steps": steps})
    detail = (
        f"{found.model}, learnt from {found.history} intervals of {window:g} s: at most {found.upper_rate:.6g} "
        f"tuples/s with probability {quantile:g}, {found.step} of {steps} intervals ahead."
    )
    return Forecasted(answer, Stage(name="forecast", done=True, detail=detail))


def read_measurement(row: SnapshotRow) -> Measurement:
    """One step of the workload."""
    return Measurement(row.observed_at.timestamp(), row.external_rate)


def look_ahead(prepared: Prepared, rate: float) -> Prepared:
    """The same at the rate to be ready for; E[T] was not measured there, but a target missed now stays missed."""
    load = prepared.found.load
    if rate == load.external_rate or not load.external_rate:
        return prepared
    factor = rate / load.external_rate
    operators = {
        name: replace(one, arrival_rate=None if one.arrival_rate is None else one.arrival_rate * factor)
        for name, one in load.operators.items()
    }
    measured, t_max_seconds = load.measured_sojourn_seconds, prepared.terms.goal.t_max_seconds
    is_missed = measured is not None and t_max_seconds is not None and measured > t_max_seconds
    ahead = Load(rate, operators, measured if is_missed else None)
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
    detail = f"{answer.allocation.slots} slots on {len(answer.mapping.vms)} VMs."
    return answer, Stage(name="placement", done=True, detail=detail)


def describe_decision(decision: DecisionAnswer) -> str:
    """The action and the last step of its argument."""
    last = [*decision.constraints, *decision.reasons][-1:]
    return f"{decision.action}: {last[0].detail}" if last else f"{decision.action}."


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
