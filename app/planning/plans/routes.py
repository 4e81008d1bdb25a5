"""The routes of estimates and plans: for a topology in the body, and under /v1/topologies for a stored one."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request, Response

from app.database.connections.transactions import SessionDep
from app.load.bodies.answers import EstimateAnswer
from app.load.bodies.terms import Described, Measured
from app.planning.objectives.objective import EstimateRequest, PlanObjective, StoredEstimateRequest
from app.planning.plans import service
from app.planning.plans.schemas import OBJECTIVES, PlanAnswer, PlanPage
from app.web.callers.security import may_read, may_store
from app.web.fields import TopologyName
from app.web.overload.admission import computes
from app.web.paging import PageDep
from app.web.problems.documented_problems import BODY, DESCRIBED_CALL, STORED_CALL
from app.web.routing import SettingsDep, StrictJsonRoute, declare, find_settings, tell_created

Route = Callable[..., Any]

router = APIRouter(prefix="/v1", tags=["plans"], route_class=StrictJsonRoute)


@router.post("/estimate", **declare(may_read, "Estimate E[T]", *DESCRIBED_CALL, "invalid-allocation"))
@computes
async def estimate(body: EstimateRequest, settings: SettingsDep) -> EstimateAnswer:
    """E[T] of the topology in the body under its load. An overloaded operator is not an error: `stable` is false."""
    return await service.estimate_described(body, settings)


def name_route(route: Route, name: str, body_type: type) -> Route:
    """Gives a route function the name of its objective, from which the operation id is made, and its body type."""
    route.__name__ = route.__qualname__ = name
    route.__annotations__["body"] = body_type
    return route


def make_plan_route(objective: PlanObjective) -> Route:
    """Makes the route function of an objective for a topology in the body."""

    async def plan(body: Described, request: Request) -> Response:
        answer = await service.plan_described(objective, body, find_settings(request))
        return Response(answer, media_type="application/json")

    return name_route(plan, f"plan_{objective.call}", objective.request)


def make_stored_plan_route(objective: PlanObjective) -> Route:
    """Makes the route function of an objective for a stored topology; the header Location has the plan's address."""

    def plan(
        name: TopologyName, body: Measured, session: SessionDep, settings: SettingsDep, response: Response
    ) -> PlanAnswer:
        answer = service.plan_stored(session, name, objective, body, settings)
        tell_created(response, "plans", answer.id, is_answered=True)
        return answer

    return name_route(plan, f"plan_stored_{objective.call}", objective.stored_request)


for offered in OBJECTIVES:
    router.add_api_route(
        f"/plans/{offered.name}",
        computes(make_plan_route(offered)),
        methods=["POST"],
        response_model=PlanAnswer,
        description=offered.description,
        **declare(may_read, offered.summary, *DESCRIBED_CALL, *offered.problems),
    )


@router.post(
    "/topologies/{name}/estimate",
    **declare(may_read, "Estimate E[T] of a stored topology", *STORED_CALL, *BODY, "invalid-allocation"),
)
@computes
def estimate_stored_topology(
    name: TopologyName, session: SessionDep, settings: SettingsDep, body: StoredEstimateRequest | None = None
) -> EstimateAnswer:
    """E[T] under the newest snapshot, or smoothed over several; without `processors`, of the running ones."""
    return service.estimate_stored(session, name, body or StoredEstimateRequest(), settings)


for offered in OBJECTIVES:
    router.add_api_route(
        f"/topologies/{{name}}/plans/{offered.name}",
        computes(make_stored_plan_route(offered)),
        methods=["POST"],
        status_code=201,
        description="Plans the current revision with its measured load and stores the plan.",
        **declare(
            may_store,
            f"Plan and store: {offered.summary[0].lower()}{offered.summary[1:]}",
            *STORED_CALL,
            *BODY,
            *offered.problems,
        ),
    )


@router.get(
    "/topologies/{name}/plans", **declare(may_read, "List the plans of a topology", "unknown-topology")
)
def list_plans(name: TopologyName, page: PageDep, session: SessionDep) -> PlanPage:
    """The plans of a topology, newest first."""
    return service.list_plans(session, name, page)


@router.get("/plans/{plan_id:uuid}", **declare(may_read, "Read a plan", "unknown-plan"))
def get_plan(plan_id: UUID, session: SessionDep) -> PlanAnswer:
    """A plan as it was answered when it was made."""
    return service.find_plan(session, plan_id)
