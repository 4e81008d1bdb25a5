"""Errors: they keep their fields across processes, and their sentences name what to change."""

import pickle

import pytest

from planner.errors import (
    BudgetTooSmall,
    InvalidTopology,
    NoSteadyState,
    TargetUnreachable,
)


@pytest.mark.parametrize(
    "error",
    [
        NoSteadyState(operators=("a",), gain=1.5),
        InvalidTopology("wrong", pointer="/edges"),
        BudgetTooSmall(k_max=1, needed=2, per_operator={"a": 2}),
        TargetUnreachable(0.1, lower_bound_seconds=0.2),
    ],
)
def test_errors_cross_process_boundaries_whole(error: Exception) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))
    assert len({error, copy}) == 2  # two events, hashable
