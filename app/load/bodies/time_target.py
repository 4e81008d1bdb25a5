"""A target of total or completion time as JSON: its mean or a quantile within so many seconds."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from app.load.bodies.quantile_terms import Level
from app.load.bodies.request import TMax
from app.web.fields import Body
from planner.quantiles.times import TimeTarget


class TimeTargetBody(Body):
    """The mean or a quantile of total or completion time."""

    of: Annotated[
        Literal["completion", "total"],
        Field(
            description="completion: until the last derived tuple is finished. total: the sum over all derived tuples."
        ),
    ]
    quantile: Annotated[Level | None, Field(description="0.99 for p99; null: the mean.")]
    seconds: Annotated[float, Field(gt=0, le=1e15, description="To stay at or below.")]

    def to_value(self) -> TimeTarget:
        """The target as the planner's value."""
        return TimeTarget(self.of, self.seconds, self.quantile)


class TargetTerms(Body):
    """A target of E[T], or of another time."""

    t_max_seconds: TMax | None = None
    target: Annotated[
        TimeTargetBody | None,
        Field(
            description="In place of t_max_seconds. Quantiles, and completion, are met on tuples drawn at random."
        ),
    ] = None

    @model_validator(mode="after")
    def refuse_two_targets(self) -> Self:
        """One target at most."""
        if self.t_max_seconds is not None and self.target is not None:
            raise ValueError(
                "give t_max_seconds or target, not both: t_max_seconds is the target of total with a quantile of null"
            )
        return self

    def find_target(self) -> TimeTarget | None:
        """What must be met; None: nothing is asked for."""
        if self.target is not None:
            return self.target.to_value()
        return None if self.t_max_seconds is None else TimeTarget("total", self.t_max_seconds)
