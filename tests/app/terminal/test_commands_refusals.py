"""A refusal of a command has the problem type of the same refusal over HTTP."""

import pytest

from app.terminal.commands import Refused, compute_answer
from planner.errors import BudgetTooSmall, NoSteadyState, PlannerError


def raise_one(error: PlannerError) -> None:
    raise error


@pytest.mark.parametrize(
    ("error", "type_", "is_capacity"),
    [
        (BudgetTooSmall(3, 18, {"a": 18}), "budget-too-small", True),
        (NoSteadyState(("a",), 1.5), "no-steady-state", False),
    ],
)
def test_a_planner_error_is_refused_with_its_type(error: PlannerError, type_: str, *, is_capacity: bool):
    with pytest.raises(Refused) as refused:
        compute_answer(lambda: raise_one(error))
    assert str(refused.value) == f"{type_}: {error}"
    assert refused.value.is_capacity is is_capacity


def test_an_answer_passes_through():
    assert compute_answer(lambda: 7) == 7
