"""Estimates and plans: of what the body describes, or of what is stored."""

from sqlalchemy.orm import Session

from app.database.stored_answers import store_answer
from app.database.tables import PlanRow
from app.load.bodies.answers import EstimateAnswer, to_estimate_answer
from app.load.bodies.computing import CalibratedLoad, add_calibration, run_described
from app.load.bodies.terms import Described, Measured
from app.load.measurements.freshness import add_basis, describe_age
from app.load.measurements.load import gather
from app.planning.objectives.estimate import EstimateRequest, StoredEstimateRequest, compute_estimate
from app.planning.objectives.plan_objective import PlanObjective
from app.planning.plans.answers import to_plan_answer, write_calibrated_plan
from app.planning.plans.schemas import PlanAnswer
from app.serving.observability import time_planner
from app.settings import Settings
from app.web.error_pointers import blaming_what_is_stored
from planner.values import Estimate


async def estimate_described(body: EstimateRequest, settings: Settings) -> EstimateAnswer:
    """E[T] of the body's topology under its load."""
    return await run_described("estimate", compute_estimate, to_calibrated_answer, body, settings)


def to_calibrated_answer(estimate: Estimate, calibrated: CalibratedLoad) -> EstimateAnswer:
    """The estimate as JSON, with the calibration of its load."""
    return add_calibration(to_estimate_answer(estimate), calibrated)


async def plan_described(objective: PlanObjective, body: Described, settings: Settings) -> bytes:
    """The plan for the body's topology under its load, as JSON."""
    return await run_described(objective.call, objective.compute, write_calibrated_plan, body, settings)


def estimate_stored(
    session: Session, name: str, body: StoredEstimateRequest, settings: Settings
) -> EstimateAnswer:
    """E[T] of a stored topology under its measured load."""
    found = gather(session, name, body, settings)
    aged = describe_age(session, found)
    with time_planner("estimate"), blaming_what_is_stored(name):
        estimated = compute_estimate(found.topology, found.load, body)
    return add_basis(to_estimate_answer(estimated), found, aged)


def plan_stored(
    session: Session, name: str, objective: PlanObjective, body: Measured, settings: Settings
) -> PlanAnswer:
    """The plan for a stored topology under its measured load; the answer is stored."""
    found = gather(session, name, body, settings)
    aged = describe_age(session, found)
    with time_planner(objective.call), blaming_what_is_stored(name):
        plan = objective.compute(found.topology, found.load, body)
    answer = add_basis(to_plan_answer(plan), found, aged)
    row = PlanRow(
        topology_id=found.stored.id,
        revision=found.stored.revision,
        objective=answer.objective,
        request=body.model_dump(mode="json"),
    )
    return store_answer(session, row, answer)
