"""Names that Kubernetes takes, whatever operators are called."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engines.kubernetes import MOST_LETTERS, describe_names, spell, spell_names

LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")


@pytest.mark.parametrize(
    ("operator", "name"),
    [
        ("detector", "detector"),
        ("Source: clicks -> Map", "source-clicks-map"),
        ("Zähler", "z-hler"),
        ("--", "operator"),
        ("数える", "operator"),
        ("x" * 80, "x" * MOST_LETTERS),
    ],
)
def test_an_operator_is_spelt_for_kubernetes(operator: str, name: str):
    assert spell(operator) == name


@given(st.lists(st.text(alphabet="aA b-é/", min_size=1, max_size=60), unique=True, max_size=30))
def test_every_operator_has_a_label_of_its_own(operators: list[str]):
    names = spell_names(operators)
    assert list(names) == operators
    assert len(set(names.values())) == len(operators)
    assert all(LABEL.fullmatch(name) and len(name) <= MOST_LETTERS for name in names.values())


def test_a_name_that_is_taken_already_gets_a_number():
    assert list(spell_names(["a b", "a-b", "A.B", "a-b-2"]).values()) == ["a-b", "a-b-2", "a-b-3", "a-b-2-2"]


def test_names_of_another_spelling_are_told():
    assert "Spelt" not in describe_names({"a": "a"})
    assert "'A b' as 'a-b'" in describe_names({"A b": "a-b", "c": "c"})
