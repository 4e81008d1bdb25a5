"""Makes estimates and plans for a topology in a body or a stored one, and reads stored plans."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar
from uuid import UUID

from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from app.database.stored_answers import list_answers, read_answer, store_answer
from app.database.tables import PlanRow
from app.load.bodies.answers import EstimateAnswer, to_estimate_answer
from app.load.bodies.calibrating import CalibratedLoad, add_calibration, calibrate_body
from app.load.bodies.terms import Described, Measured
from app.load.bodies.topology import check_size
from app.load.measurements.freshness import add_basis, describe_age
from app.load.measurements.load import gather
from app.load.measurements.stored_topologies import find_topology
from app.planning.objectives.objective import (
    EstimateRequest,
    PlanObjective,
    StoredEstimateRequest,
    compute_estimate,
    compute_plan,
)
from app.planning.plans.answers import to_plan_answer, write_calibrated_plan
from app.planning.plans.schemas import PlanAnswer, PlanPage, PlanSummary
from app.settings import Settings
from app.web.observability import time_planner
from app.web.paging import Page
from app.web.problems.error_pointers import blaming_what_is_stored, pointing_into_body
from app.web.problems.stored_data_errors import UnknownPlan
from planner.values import Estimate, Load, Topology

Request = TypeVar("Request", bound=Described)
Found = TypeVar("Found")
Answer = TypeVar("Answer")


async def run_described(
    call: str,
    compute: Callable[[Topology, Load, Request], Found],
    answer: Callable[[Found, CalibratedLoad], Answer],
    body: Request,
    settings: Settings,
) -> Answer:
    """Runs `compute` on the body's topology and load, and turns the result into an answer by `answer`.

    `call` is the name of the computation in the metrics. A small topology is computed at once, because a change of
    thread would take longer. A large or long computation runs in a thread, because it must not block the event loop.
    """
    check_size(body.topology, settings, "#/topology")

    def compute_answer() -> Answer:
        with time_planner(call), pointing_into_body():
            topology = body.topology.to_values()
            calibrated = calibrate_body(body, topology)
            found = compute(topology, calibrated.load, body)
        return answer(found, calibrated)

    if (
        not body.is_long
        and len(body.topology.operators) + len(body.topology.edges) <= settings.inline_operators
    ):
        return compute_answer()
    return await run_in_threadpool(compute_answer)


async def estimate_described(body: EstimateRequest, settings: Settings) -> EstimateAnswer:
    """Returns the estimate of E[T] for the topology and the load in the body."""
    return await run_described("estimate", compute_estimate, to_calibrated_answer, body, settings)


def to_calibrated_answer(estimate: Estimate, calibrated: CalibratedLoad) -> EstimateAnswer:
    """Returns the estimate as an answer, with the calibration of its load."""
    return add_calibration(to_estimate_answer(estimate), calibrated)


async def plan_described(objective: PlanObjective, body: Described, settings: Settings) -> bytes:
    """Returns the objective's plan for the topology and the load in the body, as JSON."""
    compute = partial(compute_plan, objective)
    return await run_described(objective.call, compute, write_calibrated_plan, body, settings)


def estimate_stored(
    session: Session, name: str, body: StoredEstimateRequest, settings: Settings
) -> EstimateAnswer:
    """Returns the estimate of E[T] for a stored topology under its measured load."""
    found = gather(session, name, body, settings)
    aged = describe_age(session, found)
    with time_planner("estimate"), blaming_what_is_stored(name):
        estimated = compute_estimate(found.topology, found.load, body)
    return add_basis(to_estimate_answer(estimated), found, aged)


def plan_stored(
    session: Session, name: str, objective: PlanObjective, body: Measured, settings: Settings
) -> PlanAnswer:
    """Makes the objective's plan for a stored topology under its measured load, stores it and returns it."""
    found = gather(session, name, body, settings)
    aged = describe_age(session, found)
    with time_planner(objective.call), blaming_what_is_stored(name):
        plan = compute_plan(objective, found.topology, found.load, body)
    answer = add_basis(to_plan_answer(plan), found, aged)
    row = PlanRow(
        topology_id=found.stored.id,
        revision=found.stored.revision,
        objective=answer.objective,
        request=body.model_dump(mode="json"),
    )
    return store_answer(session, row, answer)


SUMMED_UP = ("model", "processors_total", "processors", "expected_sojourn_seconds")


def find_plan(session: Session, plan_id: UUID) -> PlanAnswer:
    """Returns a stored plan, with the fields that were answered when it was made."""
    return read_answer(session, PlanRow, PlanAnswer, UnknownPlan, plan_id)


def list_plans(session: Session, name: str, page: Page) -> PlanPage:
    """Returns a page of the plans of a topology, newest first."""
    summed_up = (PlanRow.answer[field].label(field) for field in SUMMED_UP)
    stored = find_topology(session, name)
    rows, following = list_answers(
        session, PlanRow, stored.id, page, PlanRow.objective, PlanRow.revision, *summed_up
    )
    return PlanPage(items=[PlanSummary.model_validate(row) for row in rows], next=following)
