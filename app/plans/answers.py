"""From the planner's values to JSON's types."""

from app.plans.schemas import EstimateAnswer, PlanAnswer
from planner.values import Estimate, Plan

ESTIMATE_FIELDS = (
    "stable",
    "expected_sojourn_seconds",
    "external_rate",
    "processors_total",
    "operators",
    "model",
    "unstable_operators",
    "diagnostics",
)
PLAN_FIELDS = (
    "objective",
    "processors",
    "optimal",
    "unused_processors",
    "lower_bound_seconds",
    "explanation",
)


def to_estimate_answer(estimate: Estimate) -> EstimateAnswer:
    """An estimate's answer."""
    return EstimateAnswer.model_validate({field: getattr(estimate, field) for field in ESTIMATE_FIELDS})


def to_plan_answer(plan: Plan) -> PlanAnswer:
    """A plan's answer: the estimate of the allocation, and the plan around it."""
    fields = {field: getattr(plan.estimate, field) for field in ESTIMATE_FIELDS}
    return PlanAnswer.model_validate(fields | {field: getattr(plan, field) for field in PLAN_FIELDS})
