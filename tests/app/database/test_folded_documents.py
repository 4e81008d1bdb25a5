"""A folded document is unfolded exactly, whatever differs; numbers that changed cost less than their text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.database.folded_documents import OtherBase, fold, unfold

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=5)
)
KEYS = st.sampled_from(["a", "b", "c"])
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(KEYS, VALUES, max_size=3)


@given(DOCUMENTS, DOCUMENTS)
def test_what_is_folded_is_unfolded_exactly(document: dict[str, object], base: dict[str, object]):
    found = unfold(fold(document, base), dict(reversed(base.items())))
    # repr tells 1 from 1.0 and True, and 0.0 from -0.0; == tells what repr does by the order of keys.
    assert found == document
    assert sorted(repr(found)) == sorted(repr(document))


def make_answer(factor: float) -> dict[str, object]:
    operators = [{"name": f"operator-{i}", "rate": factor * (i + 1) / 7, "stable": True} for i in range(100)]
    return {"operators": operators, "detail": f"The rate is {factor} times that of before.", "left": None}


def test_an_equal_document_costs_some_bytes_and_other_numbers_less_than_they_are_in_binary():
    base, other = make_answer(1.0), make_answer(1.01)
    assert len(fold(base, base)) < 50
    assert len(fold(other, base)) < 100 * 8 < len(json.dumps(other)) / 5


def test_numbers_that_are_equal_cost_next_to_nothing():
    base, other = ({"rates": [last, *(one / 7 for one in range(1000))]} for last in (0.1, 0.2))
    assert len(fold(other, base)) < len(fold(base, base)) + 16


OLDER = (
    "0000000b0000001378da8b368c050001d300ea78f90903023f8b562a29cf578a0500095e025778da636060606061c0040000"
    "680005"
)
"""Folded by an earlier version, which stored the bits of equal numbers too."""


def test_documents_that_an_earlier_version_folded_are_still_unfolded():
    base = {"name": "one", "rates": [1.0, 2.0, 3.0]}
    assert unfold(bytes.fromhex(OLDER), base) == {"name": "two", "rates": [1.0, 2.5, 3.0]}


def test_another_base_is_refused():
    with pytest.raises(OtherBase):
        unfold(fold(make_answer(2.0), make_answer(1.0)), {"operators": []})
