"""Why a command has no answer, in the words of the same problem over HTTP."""

from collections.abc import Callable
from typing import TypeVar

from app.http.problems import describe_problem
from planner.errors import BoundTooSmall, BudgetTooSmall, PlannerError, TargetUnreachable
from planner.placements.errors import NotEnoughSlots

A = TypeVar("A")

CAPACITY = (BudgetTooSmall, TargetUnreachable, BoundTooSmall, NotEnoughSlots)


class Refused(Exception):
    """No answer, and why; `is_capacity`: the input was fine, the processors are not enough."""

    def __init__(self, why: str, *, is_capacity: bool = False) -> None:
        super().__init__(why)
        self.is_capacity = is_capacity


def compute_answer(compute: Callable[[], A]) -> A:
    """What the planner answers; what it refuses, in the words that HTTP has for it."""
    try:
        return compute()
    except PlannerError as error:
        problem = describe_problem(error) or {}
        raise Refused(f"{problem.get('type')}: {error}", is_capacity=isinstance(error, CAPACITY)) from error
