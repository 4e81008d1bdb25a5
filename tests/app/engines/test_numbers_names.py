"""app/engines/numbers.py: names of operators are what a topology takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from app.engines.numbers import read_name
from app.load.bodies.topology import OperatorBody


@given(st.text(max_size=300))
def test_a_name_is_one_that_a_topology_takes(text: str):
    name = read_name(text)
    if name is not None:
        assert OperatorBody(name=name).name == name


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ("Source: clicks", "Source: clicks"),
        (" a\nb ", "a b"),
        ("x" * 201, "x" * 200),
        ("\n", None),
        ("", None),
        (None, None),
        (7, None),
    ],
)
def test_a_name_keeps_what_it_can(sent: JsonValue, name: str | None):
    assert read_name(sent) == name
