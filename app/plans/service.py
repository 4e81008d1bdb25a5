"""Estimates and plans: of what the body describes, or of what is stored."""

from collections.abc import Callable
from typing import TypeVar
from uuid import uuid4

from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from app.blame import blaming_what_is_stored, pointing_into_body
from app.observability import time_planner
from app.plans.answers import to_estimate_answer, to_plan_answer, write_plan
from app.plans.gathering import Gathered, gather
from app.plans.schemas import (
    Described,
    Diagnostic,
    EstimateAnswer,
    EstimateRequest,
    Measured,
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
from app.settings import Settings
from app.tables import PlanRow
from app.topologies.service import check_size
from planner.estimation import estimate
from planner.plans import min_latency, min_processors
from planner.proportional import proportional
from planner.tradeoff import tradeoff
from planner.values import Estimate, Load, Plan, Topology

A = TypeVar("A", bound=EstimateAnswer)
Found = TypeVar("Found")
Answer = TypeVar("Answer")

# -- of what the body describes ------------------------------------------------------------


async def estimate_described(body: EstimateRequest, settings: Settings) -> EstimateAnswer:
    """E[T] of the body's topology under its load."""

    def compute(topology: Topology, load: Load) -> Estimate:
        return estimate(topology, load, body.processors, body.model)

    return await run_described("estimate", compute, to_estimate_answer, body, settings)


async def plan_min_latency(body: MinLatencyRequest, settings: Settings) -> bytes:
    """The best split of `k_max`, as JSON."""

    def compute(topology: Topology, load: Load) -> Plan:
        return min_latency(topology, load, body.k_max, body.model)

    return await run_described("min_latency", compute, write_plan, body, settings)


async def plan_min_processors(body: MinProcessorsRequest, settings: Settings) -> bytes:
    """The fewest processors under `t_max_seconds`, as JSON."""

    def compute(topology: Topology, load: Load) -> Plan:
        return min_processors(topology, load, body.t_max_seconds, body.model)

    return await run_described("min_processors", compute, write_plan, body, settings)


async def plan_tradeoff(body: TradeoffRequest, settings: Settings) -> bytes:
    """Processors weighed against waiting tuples, as JSON."""

    def compute(topology: Topology, load: Load) -> Plan:
        return tradeoff(topology, load, body.beta, body.model)

    return await run_described("tradeoff", compute, write_plan, body, settings)


async def plan_proportional(body: ProportionalRequest, settings: Settings) -> bytes:
    """Processors in proportion to work, as JSON."""

    def compute(topology: Topology, load: Load) -> Plan:
        return proportional(topology, load, body.tolerance, body.capacities, body.model)

    return await run_described("proportional", compute, write_plan, body, settings)


async def run_described(
    call: str,
    compute: Callable[[Topology, Load], Found],
    answer: Callable[[Found], Answer],
    body: Described,
    settings: Settings,
) -> Answer:
    """Small plans take less time than a change of thread does; large ones must not hold up the event loop."""
    check_size(body.topology, settings, "#/topology")

    def compute_answer() -> Answer:
        with time_planner(call), pointing_into_body():
            found = compute(body.topology.to_values(), body.load.to_values())
        return answer(found)

    if len(body.topology.operators) + len(body.topology.edges) <= settings.inline_operators:
        return compute_answer()
    return await run_in_threadpool(compute_answer)


# -- of what is stored ---------------------------------------------------------------------


def estimate_stored(
    session: Session, name: str, body: StoredEstimateRequest, settings: Settings
) -> EstimateAnswer:
    """E[T] of a stored topology under its measured load."""
    found = gather(session, name, body, settings)
    with time_planner("estimate"), blaming_what_is_stored(name):
        estimated = estimate(found.topology, found.load, body.processors, body.model)
    return add_basis(to_estimate_answer(estimated), found)


def store_min_latency(
    session: Session, name: str, body: StoredMinLatencyRequest, settings: Settings
) -> PlanAnswer:
    """Plans for what is stored, and stores the plan."""
    found = gather(session, name, body, settings)
    with time_planner("min_latency"), blaming_what_is_stored(name):
        plan = min_latency(found.topology, found.load, body.k_max, body.model)
    return _store(session, found, body, plan)


def store_min_processors(
    session: Session, name: str, body: StoredMinProcessorsRequest, settings: Settings
) -> PlanAnswer:
    """Plans for what is stored, and stores the plan."""
    found = gather(session, name, body, settings)
    with time_planner("min_processors"), blaming_what_is_stored(name):
        plan = min_processors(found.topology, found.load, body.t_max_seconds, body.model)
    return _store(session, found, body, plan)


def store_tradeoff(
    session: Session, name: str, body: StoredTradeoffRequest, settings: Settings
) -> PlanAnswer:
    """Plans for what is stored, and stores the plan."""
    found = gather(session, name, body, settings)
    with time_planner("tradeoff"), blaming_what_is_stored(name):
        plan = tradeoff(found.topology, found.load, body.beta, body.model)
    return _store(session, found, body, plan)


def store_proportional(
    session: Session, name: str, body: StoredProportionalRequest, settings: Settings
) -> PlanAnswer:
    """Plans for what is stored, and stores the plan."""
    found = gather(session, name, body, settings)
    with time_planner("proportional"), blaming_what_is_stored(name):
        plan = proportional(found.topology, found.load, body.tolerance, body.capacities, body.model)
    return _store(session, found, body, plan)


def add_basis(answer: A, found: Gathered) -> A:
    said = [Diagnostic.model_validate(one) for one in found.diagnostics]
    return answer.model_copy(update={"diagnostics": said + answer.diagnostics, "basis": found.basis})


def _store(session: Session, found: Gathered, body: Measured, plan: Plan) -> PlanAnswer:
    answer = add_basis(to_plan_answer(plan), found)
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
