"""Plans as JSON."""

from pydantic_core import to_json

from app.described.answers import ESTIMATE_FIELDS
from app.plans.schemas import PlanAnswer
from planner.values import Plan

PLAN_FIELDS = (
    "objective",
    "processors",
    "optimal",
    "unused_processors",
    "lower_bound_seconds",
    "explanation",
)


def to_plan_answer(plan: Plan) -> PlanAnswer:
    """The plan as JSON: the fields of its estimate and of the plan."""
    fields = {field: getattr(plan.estimate, field) for field in ESTIMATE_FIELDS}
    return PlanAnswer.model_validate(fields | {field: getattr(plan, field) for field in PLAN_FIELDS})


def write_plan(plan: Plan) -> bytes:
    """The JSON of `to_plan_answer(plan)`, to the byte, in two thirds of the time: no models are built for it."""
    fields = {field: getattr(plan.estimate, field) for field in ESTIMATE_FIELDS}
    fields["operators"] = [one._asdict() for one in plan.estimate.operators]
    fields |= {"basis": None, "id": None, "created_at": None}  # of stored plans alone
    fields |= {field: getattr(plan, field) for field in PLAN_FIELDS}
    fields["explanation"] = [effect._asdict() for effect in plan.explanation]
    return to_json(fields, inf_nan_mode="null")
