"""Plans as JSON."""

from pydantic_core import to_json

from app.described.answers import SpreadAnswer
from app.described.calibrating import CalibratedLoad, add_calibration
from app.plans.schemas import PlanAnswer
from planner.values import Plan

OF_STORED_PLANS = {"calibration": None, "basis": None, "id": None, "created_at": None}


def to_plan_answer(plan: Plan) -> PlanAnswer:
    """The plan as JSON: the fields of its estimate and of the plan."""
    return PlanAnswer.model_validate(plan.estimate._asdict() | plan._asdict())


def write_calibrated_plan(plan: Plan, calibrated: CalibratedLoad) -> bytes:
    """The plan as JSON, with the calibration of its load where there is one."""
    if not calibrated.diagnostics:
        return write_plan(plan)
    return add_calibration(to_plan_answer(plan), calibrated).model_dump_json().encode()


def write_plan(plan: Plan) -> bytes:
    """The JSON of `to_plan_answer(plan)`, to the byte, in two thirds of the time: only quantiles need models."""
    fields = plan.estimate._asdict() | OF_STORED_PLANS | plan._asdict()
    del fields["estimate"]
    fields["operators"] = [one._asdict() for one in plan.estimate.operators]
    fields["explanation"] = [effect._asdict() for effect in plan.explanation]
    for spread in ("total", "completion"):
        if fields[spread] is not None:
            fields[spread] = SpreadAnswer.model_validate(fields[spread])
    return to_json(fields, inf_nan_mode="null")
