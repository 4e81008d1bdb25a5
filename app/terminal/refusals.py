"""Why a command has no answer, with the problem type that the same request has over HTTP."""

from collections.abc import Callable
from typing import TypeVar

from app.web.problems import describe_problem
from planner.errors import BoundTooSmall, BudgetTooSmall, PlannerError, TargetUnreachable
from planner.placements.errors import NotEnoughSlots

A = TypeVar("A")

CAPACITY = (BudgetTooSmall, TargetUnreachable, BoundTooSmall, NotEnoughSlots)


class Refused(Exception):
    """A command without an answer; `is_capacity` means that the input is valid but processors are missing."""

    def __init__(self, why: str, *, is_capacity: bool = False) -> None:
        super().__init__(why)
        self.is_capacity = is_capacity


def compute_answer(compute: Callable[[], A]) -> A:
    """The result of `compute`; a planner error becomes Refused with its problem type and text."""
    try:
        return compute()
    except PlannerError as error:
        problem = describe_problem(error) or {}
        raise Refused(f"{problem.get('type')}: {error}", is_capacity=isinstance(error, CAPACITY)) from error
