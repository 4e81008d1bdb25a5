"""Estimates and plans as JSON, and the objectives that are offered: a new one is added to OBJECTIVES."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal
from uuid import UUID

from pydantic import Field
from pydantic_core import to_json

from app.load.bodies.answers import EstimateAnswer, SpreadAnswer
from app.load.bodies.computing import CalibratedLoad, add_calibration
from app.planning.objectives.objective import PlanObjective
from app.planning.objectives.optimal import MIN_LATENCY, MIN_PROCESSORS
from app.planning.objectives.per_operator import PROPORTIONAL, TRADEOFF
from app.web.fields import Answer
from planner.values import Effect, OperatorEstimate, Plan

OBJECTIVES: tuple[PlanObjective, ...] = (MIN_LATENCY, MIN_PROCESSORS, TRADEOFF, PROPORTIONAL)


if TYPE_CHECKING:
    ObjectiveName = str
else:
    ObjectiveName = Literal[tuple(objective.name for objective in OBJECTIVES)]


class EffectAnswer(Answer):
    """What one processor more and one fewer at an operator would do to E[T]; null = not possible, and why."""

    operator: str
    processors: int
    one_more_seconds: Annotated[float | None, Field(description="Change of E[T]; negative is faster.")]
    one_fewer_seconds: Annotated[float | None, Field(description="Change of E[T].")]
    one_more_limit: Annotated[str | None, Field(description="Why one more is not possible.")]
    one_fewer_limit: Annotated[str | None, Field(description="Why one fewer is not possible.")]
    detail: str


class PlanAnswer(EstimateAnswer):
    """An allocation, what it achieves, and why it is this one."""

    id: UUID | None = None
    created_at: datetime | None = None
    objective: ObjectiveName
    processors: dict[str, int]
    optimal: Annotated[
        bool,
        Field(
            description="Whether it is the best for its objective; false where the model's gains were not "
            "monotone around the answer, and for proportional, which is a rule of thumb."
        ),
    ]
    unused_processors: Annotated[
        int, Field(description="Unused part of the budget: it would not shorten E[T].")
    ]
    lower_bound_seconds: Annotated[
        float, Field(description="E[T] with endless processors: the service times alone.")
    ]
    explanation: list[EffectAnswer]


class PlanSummary(Answer):
    """A line of the history."""

    id: UUID
    created_at: datetime
    objective: str
    revision: int
    model: str
    processors_total: int
    processors: dict[str, int]
    expected_sojourn_seconds: float | None


class PlanPage(Answer):
    """Plans, newest first; `next` is the address of the following page."""

    items: list[PlanSummary]
    next: str | None = None


OF_STORED_PLANS = {"calibration": None, "basis": None, "id": None, "created_at": None}


def name_fields(one: OperatorEstimate) -> dict[str, object]:
    """The fields by name as `_asdict` gives them, in a third of its time: every plan has many."""
    name, arrival, service, count, used, wait, sojourn, visits, queueing, share, hottest = one
    return {
        "name": name,
        "arrival_rate": arrival,
        "service_rate": service,
        "processors": count,
        "utilisation": used,
        "wait_seconds": wait,
        "sojourn_seconds": sojourn,
        "visits": visits,
        "queueing": queueing,
        "hottest_share": share,
        "hottest_utilisation": hottest,
    }


def name_effect(effect: Effect) -> dict[str, object]:
    """Likewise."""
    operator, count, more, fewer, more_limit, fewer_limit, detail = effect
    return {
        "operator": operator,
        "processors": count,
        "one_more_seconds": more,
        "one_fewer_seconds": fewer,
        "one_more_limit": more_limit,
        "one_fewer_limit": fewer_limit,
        "detail": detail,
    }


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
    fields["operators"] = list(map(name_fields, plan.estimate.operators))
    fields["explanation"] = list(map(name_effect, plan.explanation))
    for spread in ("total", "completion"):
        if fields[spread] is not None:
            fields[spread] = SpreadAnswer.model_validate(fields[spread])
    return to_json(fields, inf_nan_mode="null")
