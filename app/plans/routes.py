"""Estimates and plans, of what the body describes and (under /v1/topologies) of what is stored."""

from uuid import UUID

from fastapi import APIRouter, Depends, Response

from app.described.answers import EstimateAnswer
from app.http.admission import computes
from app.http.dependencies import SettingsDep
from app.http.documented_problems import BODY, document_problems
from app.http.fields import TopologyName
from app.http.pages import PageDep
from app.http.security import may_read, may_store
from app.http.strict_json import StrictJsonRoute
from app.plans import history, service
from app.plans.schemas import (
    EstimateRequest,
    MinLatencyRequest,
    MinProcessorsRequest,
    PlanAnswer,
    PlanPage,
    ProportionalRequest,
    StoredEstimateRequest,
    StoredMinLatencyRequest,
    StoredMinProcessorsRequest,
    StoredProportionalRequest,
    StoredTradeoffRequest,
    TradeoffRequest,
)
from app.storage.sessions import SessionDep

router = APIRouter(prefix="/v1", tags=["plans"], route_class=StrictJsonRoute)
reads = [Depends(may_read)]
stores = [Depends(may_store)]

ANY_MODEL = ("invalid-topology", "invalid-load", "no-steady-state", *BODY)
STORED = ("unknown-topology", "no-snapshot", "stored-data-unusable", *BODY)


@router.post(
    "/estimate",
    dependencies=reads,
    summary="Estimate E[T]",
    responses=document_problems(*ANY_MODEL, "invalid-allocation"),
)
@computes
async def estimate(body: EstimateRequest, settings: SettingsDep) -> EstimateAnswer:
    """Of the topology in the body, under its load. An overloaded operator is no error: `stable` is false."""
    return await service.estimate_described(body, settings)


@router.post(
    "/plans/min-latency",
    dependencies=reads,
    response_model=PlanAnswer,
    summary="Best split of k_max processors",
    responses=document_problems(*ANY_MODEL, "budget-too-small", "bound-too-small"),
)
@computes
async def plan_min_latency(body: MinLatencyRequest, settings: SettingsDep) -> Response:
    """Minimises E[T] (DRS, problem 6); nothing is stored."""
    return Response(await service.plan_min_latency(body, settings), media_type="application/json")


@router.post(
    "/plans/min-processors",
    dependencies=reads,
    response_model=PlanAnswer,
    summary="Fewest processors under t_max_seconds",
    responses=document_problems(*ANY_MODEL, "target-unreachable", "bound-too-small"),
)
@computes
async def plan_min_processors(body: MinProcessorsRequest, settings: SettingsDep) -> Response:
    """Minimises the processors that keep E[T] ≤ t_max_seconds (DRS, problem 8); nothing is stored."""
    return Response(await service.plan_min_processors(body, settings), media_type="application/json")


@router.post(
    "/plans/tradeoff",
    dependencies=reads,
    response_model=PlanAnswer,
    summary="Processors weighed against waiting tuples",
    responses=document_problems(*ANY_MODEL),
)
@computes
async def plan_tradeoff(body: TradeoffRequest, settings: SettingsDep) -> Response:
    """Minimises beta·k + (1 - beta)·Q(k) at each operator, Q the tuples in it (Es-Stream); nothing is stored.

    An operator that its max_processors leaves short sends less to those behind it, and `stable` is false.
    """
    return Response(await service.plan_tradeoff(body, settings), media_type="application/json")


@router.post(
    "/plans/proportional",
    dependencies=reads,
    response_model=PlanAnswer,
    summary="Processors in proportion to work",
    responses=document_problems(*ANY_MODEL),
)
@computes
async def plan_proportional(body: ProportionalRequest, settings: SettingsDep) -> Response:
    """Grows the first operator until it no longer pays, and the rest with it (Mc-Stream); nothing is stored."""
    return Response(await service.plan_proportional(body, settings), media_type="application/json")


@router.post(
    "/topologies/{name}/estimate",
    dependencies=reads,
    summary="Estimate E[T] of a stored topology",
    responses=document_problems(*STORED, "invalid-allocation"),
)
@computes
def estimate_stored(
    name: TopologyName, session: SessionDep, settings: SettingsDep, body: StoredEstimateRequest | None = None
) -> EstimateAnswer:
    """Under its newest snapshot, or smoothed over several; without `processors`, as it runs now."""
    return service.estimate_stored(session, name, body or StoredEstimateRequest(), settings)


def located(response: Response, plan: PlanAnswer) -> PlanAnswer:
    """The answer says where it can be read again."""
    response.headers["Content-Location"] = f"/v1/plans/{plan.id}"
    return plan


@router.post(
    "/topologies/{name}/plans/min-latency",
    dependencies=stores,
    summary="Plan and store: best split of k_max processors",
    responses=document_problems(*STORED, "budget-too-small", "bound-too-small"),
)
@computes
def store_min_latency(
    name: TopologyName,
    body: StoredMinLatencyRequest,
    session: SessionDep,
    settings: SettingsDep,
    response: Response,
) -> PlanAnswer:
    """For the current revision under its measured load."""
    return located(response, service.store_min_latency(session, name, body, settings))


@router.post(
    "/topologies/{name}/plans/min-processors",
    dependencies=stores,
    summary="Plan and store: fewest processors under t_max_seconds",
    responses=document_problems(*STORED, "target-unreachable", "bound-too-small"),
)
@computes
def store_min_processors(
    name: TopologyName,
    body: StoredMinProcessorsRequest,
    session: SessionDep,
    settings: SettingsDep,
    response: Response,
) -> PlanAnswer:
    """For the current revision under its measured load."""
    return located(response, service.store_min_processors(session, name, body, settings))


@router.post(
    "/topologies/{name}/plans/tradeoff",
    dependencies=stores,
    summary="Plan and store: processors weighed against waiting tuples",
    responses=document_problems(*STORED),
)
@computes
def store_tradeoff(
    name: TopologyName,
    body: StoredTradeoffRequest,
    session: SessionDep,
    settings: SettingsDep,
    response: Response,
) -> PlanAnswer:
    """For the current revision under its measured load."""
    return located(response, service.store_tradeoff(session, name, body, settings))


@router.post(
    "/topologies/{name}/plans/proportional",
    dependencies=stores,
    summary="Plan and store: processors in proportion to work",
    responses=document_problems(*STORED),
)
@computes
def store_proportional(
    name: TopologyName,
    body: StoredProportionalRequest,
    session: SessionDep,
    settings: SettingsDep,
    response: Response,
) -> PlanAnswer:
    """For the current revision under its measured load."""
    return located(response, service.store_proportional(session, name, body, settings))


@router.get(
    "/topologies/{name}/plans",
    dependencies=reads,
    summary="List the plans of a topology",
    responses=document_problems("unknown-topology"),
)
def list_plans(name: TopologyName, page: PageDep, session: SessionDep) -> PlanPage:
    """Newest first."""
    return history.list_plans(session, name, page)


@router.get(
    "/plans/{plan_id:uuid}",
    dependencies=reads,
    summary="Read a plan",
    responses=document_problems("unknown-plan"),
)
def read_plan(plan_id: UUID, session: SessionDep) -> PlanAnswer:
    """As it was answered when it was made."""
    return history.find_plan(session, plan_id)
