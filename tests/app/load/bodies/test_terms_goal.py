"""The goal of a policy: exactly one kind, and contradictions say what to leave out."""

import pytest
from pydantic import ValidationError

from app.load.bodies.terms import Goal


@pytest.mark.parametrize(
    ("goal", "detail"),
    [
        ({}, "give t_max_seconds, target, k_max, beta, utilisation, or backlog_seconds"),
        (
            {"utilisation": 0.7, "k_max": 9},
            "utilisation is a goal of its own: leave out k_max and t_max_seconds",
        ),
        ({"utilisation": 0.7, "backlog_seconds": 30.0}, "leave out backlog_seconds, k_max"),
        ({"backlog_seconds": 30.0, "t_min_seconds": 0.1}, "t_max_seconds not given"),
    ],
)
def test_a_goal_of_no_kind_or_of_two_is_refused(goal: dict[str, float], detail: str):
    with pytest.raises(ValidationError) as refused:
        Goal.model_validate(goal)
    assert detail in str(refused.value)


@pytest.mark.parametrize("goal", [{"utilisation": 0.7}, {"backlog_seconds": 30.0}, {"beta": 0.5}])
def test_a_goal_without_a_time_has_no_target(goal: dict[str, float]):
    found = Goal.model_validate(goal)
    assert (found.find_t_max_seconds(), found.find_drawn_target()) == (None, None)
