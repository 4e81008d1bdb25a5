"""The goal of a policy as JSON."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from app.load.bodies.terms import Beta, KMax, TargetTerms, TMax
from app.web.fields import Period
from planner.values import TimeTarget


class Goal(TargetTerms):
    """Exactly one goal: a target (t_max_seconds or target, with or without k_max), or one other field alone."""

    k_max: KMax | None = None
    t_min_seconds: Annotated[
        TMax | None,
        Field(description="Processors are given up below this E[T], or below this value of `target`."),
    ] = None
    beta: Beta | None = None
    utilisation: Annotated[
        float | None, Field(ge=0.05, le=0.95, description="The most of its capacity for each instance.")
    ] = None
    backlog_seconds: Annotated[
        Period | None, Field(description="Backlogs are worked off within this time.")
    ] = None

    @model_validator(mode="after")
    def refuse_contradictions(self) -> Self:
        """Refuses a goal that does not have exactly one kind, or whose t_min_seconds is not below its target."""
        target = self.find_target()
        alone = [
            name for name in ("beta", "utilisation", "backlog_seconds") if getattr(self, name) is not None
        ]
        if self.k_max is None and target is None and not alone:
            raise ValueError("give t_max_seconds, target, k_max, beta, utilisation, or backlog_seconds")
        if len(alone) > 1 or (alone and (self.k_max is not None or target is not None)):
            others = "".join([f"{name}, " for name in alone[1:]])
            raise ValueError(
                f"{alone[0]} is a goal of its own: leave out {others}k_max and t_max_seconds or target, or leave out "
                f"{alone[0]}"
            )
        if self.t_min_seconds is not None and (target is None or self.t_min_seconds >= target.seconds):
            raise ValueError(
                f"t_min_seconds is {self.t_min_seconds:g} and t_max_seconds "
                f"{target.seconds if target else 'not given'}: give a t_max_seconds, or a target, above t_min_seconds"
            )
        return self

    def find_t_max_seconds(self) -> float | None:
        """Returns the target of E[T] in seconds; None if the goal has another kind of target or none."""
        target = self.find_target()
        return target.seconds if target is not None and target.is_expected_sojourn else None

    def find_drawn_target(self) -> TimeTarget | None:
        """Returns the target of a quantile or of the completion time; None if the goal has no such target."""
        target = self.find_target()
        return None if target is None or target.is_expected_sojourn else target
