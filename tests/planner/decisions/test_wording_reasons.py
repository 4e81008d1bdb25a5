"""Reasons: each code has a sentence that a person understands alone."""

import re

import pytest

from planner.decisions.wording import SENTENCES, Reason, describe_ahead, describe_limit, give_reason
from planner.errors import BoundTooSmall, BudgetTooSmall, PlannerError, TargetUnreachable


@pytest.mark.parametrize("code", SENTENCES)
def test_every_sentence_ends_and_names_no_field(code: str):
    words = re.sub(r"\{\w+\}", "", SENTENCES[code])
    assert SENTENCES[code].endswith((".", "{why}"))
    assert "_" not in words
    assert "=" not in words


def test_a_second_sentence_of_a_code_keeps_the_code():
    full = give_reason("k_max", "k_max-full", most=30)
    assert full == Reason("k_max", "The policy allows no more than 30 processors.")


def test_what_comes_is_met_or_is_all_that_bounds_allow():
    assert describe_ahead(185.2, 28, ()).detail.endswith("what runs is too little for that: 28 are needed.")
    bounded = describe_ahead(185.2, 28, (Reason("k_max", "."),))
    assert "rise to 185/s" in bounded.detail
    assert bounded.detail.endswith("28 processors are all that the bounds allow.")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BudgetTooSmall(3, 5, {"serve": 5}), "k_max"),
        (BoundTooSmall("serve", 3, 5), "max_processors"),
        (TargetUnreachable(0.1, 0.2), "t_max_seconds"),
    ],
)
def test_a_limit_is_named_by_the_field_that_sets_it(error: PlannerError, code: str):
    found = describe_limit(error)
    assert (found.code, found.detail) == (code, str(error))
