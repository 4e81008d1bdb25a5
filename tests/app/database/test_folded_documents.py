"""A folded document is unfolded exactly, whatever differs; numbers that changed cost less than their text."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.database.folded_documents import OtherBase, Unfolder, fold, unfold

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


@given(DOCUMENTS, DOCUMENTS, st.sampled_from([{}, {"a": None}, {"b": None, "c": {"a": None}}]))
def test_parts_are_unfolded_as_the_whole_is(
    document: dict[str, Any], base: dict[str, Any], parts: dict[str, Any]
):
    found = Unfolder(base, parts).unfold(fold(document, base))
    for key, inner in parts.items():
        if key in document and inner and isinstance(document[key], dict):
            for name in inner.keys() & document[key].keys():
                part, whole = found[key][name], document[key][name]
                assert part == whole
                assert sorted(repr(part)) == sorted(repr(whole))
        elif key in document:
            assert found[key] == document[key]
    assert found.keys() <= document.keys()


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


OLDER = {
    "the bits of equal numbers too": (
        "0000000b0000001378da8b368c050001d300ea78f90903023f8b562a29cf578a0500095e025778da636060606061c0040000680005"
    ),
    "the bits of numbers that differ": (
        "8000000b0000001378da8b368c050001d300ea78f90903023f8b562a29cf578a0500095e025778da7360606100030002650045"
    ),
}
"""Folded by earlier versions, which stored these numbers."""


@pytest.mark.parametrize("stored", OLDER)
def test_documents_that_earlier_versions_folded_are_still_unfolded(stored: str):
    base = {"name": "one", "rates": [1.0, 2.0, 3.0]}
    assert unfold(bytes.fromhex(OLDER[stored]), base) == {"name": "two", "rates": [1.0, 2.5, 3.0]}


OLDER_OPERATORS = (
    "8000000a0000000e78da8b8e0500011500b978f9011500b98b8e0500011500b978dafbc100068c0c8c6cf5a18f2619ff0fddba6bdbff5009"
    "75f7ffa1be5bdffd0ff5de12fb2f94dfde0100298910a4"
)
"""Folded by an earlier version, which stored numbers that follow from others."""


def make_operator(rate: float, service_rate: float, wait: float) -> dict[str, Any]:
    rates = {"arrival_rate": rate, "service_rate": service_rate, "processors": 6}
    times = {"wait_seconds": wait, "sojourn_seconds": wait + 1.0 / service_rate}
    return {"operators": [{"name": "a", **rates, **times, "utilisation": rate / service_rate / 6}]}


def test_numbers_that_follow_from_others_are_not_stored_and_were_before():
    base, other = make_operator(100.0 / 3.0, 7.1, 0.013), make_operator(101.0 / 3.0, 7.3, 0.014)
    assert unfold(bytes.fromhex(OLDER_OPERATORS), base) == other
    unlike = {"operators": [other["operators"][0] | {"utilisation": 0.77, "sojourn_seconds": 0.15}]}
    assert unfold(fold(unlike, base), base) == unlike
    folded = fold(other, base)
    assert unfold(folded, base) == other
    assert len(folded) < 40 < min(len(fold(unlike, base)), len(OLDER_OPERATORS) / 2)


@given(st.lists(st.integers(0, 2**70), max_size=300))
def test_many_differences_are_unfolded_too(numbers: list[int]):
    base = {"numbers": [0] * len(numbers), "rates": [0.5] * 200, "name": "é" * 20_000}
    other = {"numbers": numbers, "rates": [0.5, *map(float, range(199))], "name": "é" * 19_999}
    assert unfold(fold(other, base), base) == other


@pytest.mark.parametrize("changed", [{"left": 1}, {"detail": ""}, {"operators": []}])
def test_another_base_is_refused(changed: dict[str, object]):
    base = make_answer(1.0)
    with pytest.raises(OtherBase):
        unfold(fold(make_answer(2.0) | {"left": 0}, base), base | changed)


def test_a_base_with_another_number_is_refused():
    with pytest.raises(OtherBase):
        unfold(fold(make_answer(2.0), make_answer(1.0)), make_answer(1.5))
