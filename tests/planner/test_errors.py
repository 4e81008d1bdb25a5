"""Errors: they keep their fields across processes, and their sentences name what to change."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import (
    BoundTooSmall,
    BudgetTooSmall,
    InvalidLoad,
    InvalidTopology,
    NoSteadyState,
    PlannerError,
    TargetUnreachable,
    escape_pointer,
    suggest_name,
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


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (NoSteadyState(("b", "c"), 1.25), "through b, c multiplies tuples by 1.25"),
        (BoundTooSmall("score", 3, 7), "Operator score needs at least 7 processors"),
        (BudgetTooSmall(20, 25, {}), "20 processors in all are 5 too few: at least 25"),
        (TargetUnreachable(0.5, 0.75), "cannot be 500 ms: it takes at least 750 ms for services alone"),
        (
            TargetUnreachable(0.5, 0.75, bounded=True),
            "750 ms with every operator at the most processors that its bound allows",
        ),
    ],
)
def test_a_sentence_holds_the_numbers_of_its_fields(error: PlannerError, said: str) -> None:
    assert said in str(error)


def test_the_place_of_an_error_begins_with_its_argument() -> None:
    assert InvalidTopology("wrong", "/edges/1").place == "/topology/edges/1"
    assert InvalidLoad("wrong", "/b", "capacities").place == "/capacities/b"


def test_a_similar_name_is_suggested_and_a_different_one_is_not() -> None:
    assert suggest_name("scroe", ["parse", "score"]) == " Did you mean 'score'?"
    assert suggest_name("sink", ["parse", "score"]) == ""
    assert suggest_name("score", []) == ""


@given(st.text())
def test_an_escaped_name_is_one_token_of_a_pointer_and_can_be_read_back(name: str) -> None:
    token = escape_pointer(name)
    assert "/" not in token
    assert token.replace("~1", "/").replace("~0", "~") == name
