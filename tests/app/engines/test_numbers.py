"""app/engines/numbers.py: what is no usable number stays unknown."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from app.engines import numbers

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(JSON)
def test_a_number_is_finite_and_not_negative_or_unknown(value: JsonValue):
    number = numbers.read_number(value)
    assert number is None or (math.isfinite(number) and 0.0 <= number <= numbers.MOST)
    count = numbers.read_count(value)
    assert count is None or (count >= 0 and count == numbers.read_number(value))


@pytest.mark.parametrize("unknown", ["NaN", "", "Infinity", None, True, [], {}, -1, "-0.5", 1e16, 10**400])
def test_what_says_nothing_stays_unknown(unknown: JsonValue):
    assert numbers.read_number(unknown) is None


@pytest.mark.parametrize(("sent", "number"), [("17795.0", 17795.0), ("0", 0.0), (5, 5.0), ("1e3", 1000.0)])
def test_numbers_written_as_text_are_read(sent: JsonValue, number: float):
    assert numbers.read_number(sent) == number


def test_parts_of_the_wrong_kind_are_empty():
    assert numbers.read_object([1]) == {}
    assert numbers.read_list({"a": 1}) == []
    assert numbers.read_text(3) is None
    assert numbers.read_count(1.5) is None


@pytest.mark.parametrize(
    ("part", "whole", "ratio"), [(1.0, 0.0, None), (None, 1.0, None), (1.0, None, None), (1.0, 4.0, 0.25)]
)
def test_a_ratio_of_unknown_numbers_is_unknown(part: float | None, whole: float | None, ratio: float | None):
    assert numbers.divide(part, whole) == ratio
