"""Estimates and plans as JSON, and OBJECTIVES, the list to which a new objective is added."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal
from uuid import UUID

from pydantic import Field

from app.load.bodies.answers import EstimateAnswer
from app.planning.objectives.objective import PlanObjective
from app.planning.objectives.optimal import MIN_LATENCY, MIN_PROCESSORS
from app.planning.objectives.per_operator import PROPORTIONAL, TRADEOFF
from app.web.fields import Answer, NextPage, StoredBy

OBJECTIVES: tuple[PlanObjective, ...] = (MIN_LATENCY, MIN_PROCESSORS, TRADEOFF, PROPORTIONAL)


if TYPE_CHECKING:
    ObjectiveName = str
else:
    ObjectiveName = Literal[tuple(objective.name for objective in OBJECTIVES)]


class EffectAnswer(Answer):
    """The change of E[T] by one processor more and by one fewer at an operator; null: not possible, and why."""

    operator: str
    processors: int
    one_more_seconds: Annotated[float | None, Field(description="Change of E[T]; negative is faster.")]
    one_fewer_seconds: Annotated[float | None, Field(description="Change of E[T].")]
    one_more_limit: Annotated[str | None, Field(description="Why one more is not possible.")]
    one_fewer_limit: Annotated[str | None, Field(description="Why one fewer is not possible.")]
    detail: str


class PlanAnswer(EstimateAnswer):
    """An allocation of processors, its E[T], and the reasons for the allocation."""

    id: UUID | None = None
    created_at: datetime | None = None
    created_by: StoredBy = None
    objective: ObjectiveName
    processors: dict[str, int]
    optimal: Annotated[
        bool,
        Field(
            description="Whether the plan is the best for its objective; false for proportional, and if the "
            "model's gains are not monotone near the plan."
        ),
    ]
    unused_processors: Annotated[
        int, Field(description="Unused part of the budget, which would not shorten E[T].")
    ]
    lower_bound_seconds: Annotated[
        float, Field(description="E[T] with an unlimited number of processors: the service times alone.")
    ]
    explanation: list[EffectAnswer]


class PlanSummary(Answer):
    """A plan as an item of a list."""

    id: UUID
    created_at: datetime
    objective: str
    revision: int
    model: str
    processors_total: int
    processors: dict[str, int]
    expected_sojourn_seconds: float | None


class PlanPage(Answer):
    """Plans, newest first."""

    items: list[PlanSummary]
    next: NextPage = None
