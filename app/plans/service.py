"""Estimates and plans: of what the body describes, or of what is stored."""

from collections.abc import Callable
from typing import TypeVar
from uuid import uuid4

from sqlalchemy.orm import Session

from app.described.answers import EstimateAnswer, to_estimate_answer
from app.described.computing import run_described
from app.http.error_pointers import blaming_what_is_stored
from app.measured.basis import add_basis
from app.measured.load import gather
from app.measured.request import Measured
from app.plans.answers import to_plan_answer, write_plan
from app.plans.schemas import (
    EstimateRequest,
    MinLatencyRequest,
    MinProcessorsRequest,
    PlanAnswer,
    ProportionalRequest,
    StoredEstimateRequest,
    StoredMinLatencyRequest,
    StoredMinProcessorsRequest,
    StoredProportionalRequest,
    StoredTradeoffRequest,
    TradeoffRequest,
)
from app.serving.observability import time_planner
from app.settings import Settings
from app.tables import PlanRow
from planner.plans.estimation import estimate
from planner.plans.optimal import min_latency, min_processors
from planner.plans.proportional import proportional
from planner.plans.tradeoff import tradeoff
from planner.values import Estimate, Load, Plan, Topology

A = TypeVar("A", bound=EstimateAnswer)
Found = TypeVar("Found")
Answer = TypeVar("Answer")
Planning = Callable[[Topology, Load], Plan]

# -- what a body asks of the planner -------------------------------------------------------


def split_best(body: MinLatencyRequest | StoredMinLatencyRequest) -> Planning:
    return lambda topology, load: min_latency(topology, load, body.k_max, body.model)


def find_fewest(body: MinProcessorsRequest | StoredMinProcessorsRequest) -> Planning:
    return lambda topology, load: min_processors(topology, load, body.t_max_seconds, body.model)


def weigh(body: TradeoffRequest | StoredTradeoffRequest) -> Planning:
    return lambda topology, load: tradeoff(topology, load, body.beta, body.model)


def grow_together(body: ProportionalRequest | StoredProportionalRequest) -> Planning:
    return lambda topology, load: proportional(topology, load, body.tolerance, body.capacities, body.model)


# -- of what the body describes ------------------------------------------------------------


async def estimate_described(body: EstimateRequest, settings: Settings) -> EstimateAnswer:
    """E[T] of the body's topology under its load."""

    def compute(topology: Topology, load: Load) -> Estimate:
        return estimate(topology, load, body.processors, body.model)

    return await run_described("estimate", compute, to_estimate_answer, body, settings)


async def plan_min_latency(body: MinLatencyRequest, settings: Settings) -> bytes:
    """The best split of `k_max`, as JSON."""
    return await run_described("min_latency", split_best(body), write_plan, body, settings)


async def plan_min_processors(body: MinProcessorsRequest, settings: Settings) -> bytes:
    """The fewest processors under `t_max_seconds`, as JSON."""
    return await run_described("min_processors", find_fewest(body), write_plan, body, settings)


async def plan_tradeoff(body: TradeoffRequest, settings: Settings) -> bytes:
    """Processors weighed against waiting tuples, as JSON."""
    return await run_described("tradeoff", weigh(body), write_plan, body, settings)


async def plan_proportional(body: ProportionalRequest, settings: Settings) -> bytes:
    """Processors in proportion to work, as JSON."""
    return await run_described("proportional", grow_together(body), write_plan, body, settings)


# -- of what is stored ---------------------------------------------------------------------


def estimate_stored(
    session: Session, name: str, body: StoredEstimateRequest, settings: Settings
) -> EstimateAnswer:
    """E[T] of a stored topology under its measured load."""
    found = gather(session, name, body, settings)
    with time_planner("estimate"), blaming_what_is_stored(name):
        estimated = estimate(found.topology, found.load, body.processors, body.model)
    return add_basis(session, to_estimate_answer(estimated), found)


def store_min_latency(
    session: Session, name: str, body: StoredMinLatencyRequest, settings: Settings
) -> PlanAnswer:
    """The best split of `k_max`, stored."""
    return store_plan(session, name, body, settings, call="min_latency", plan=split_best(body))


def store_min_processors(
    session: Session, name: str, body: StoredMinProcessorsRequest, settings: Settings
) -> PlanAnswer:
    """The fewest processors under `t_max_seconds`, stored."""
    return store_plan(session, name, body, settings, call="min_processors", plan=find_fewest(body))


def store_tradeoff(
    session: Session, name: str, body: StoredTradeoffRequest, settings: Settings
) -> PlanAnswer:
    """Processors weighed against waiting tuples, stored."""
    return store_plan(session, name, body, settings, call="tradeoff", plan=weigh(body))


def store_proportional(
    session: Session, name: str, body: StoredProportionalRequest, settings: Settings
) -> PlanAnswer:
    """Processors in proportion to work, stored."""
    return store_plan(session, name, body, settings, call="proportional", plan=grow_together(body))


def store_plan(
    session: Session, name: str, body: Measured, settings: Settings, *, call: str, plan: Planning
) -> PlanAnswer:
    """Plans for the current revision under its measured load, and keeps the answer."""
    found = gather(session, name, body, settings)
    with time_planner(call), blaming_what_is_stored(name):
        planned = plan(found.topology, found.load)
    answer = add_basis(session, to_plan_answer(planned), found)
    answer.id = uuid4()
    row = PlanRow(
        id=answer.id,
        topology_id=found.stored.id,
        revision=found.stored.revision,
        objective=answer.objective,
        request=body.model_dump(mode="json"),
        answer=answer.model_dump(mode="json", exclude={"id", "created_at"}),
    )
    session.add(row)
    session.flush()
    session.refresh(row, ["created_at"])
    answer.created_at = row.created_at
    return answer
