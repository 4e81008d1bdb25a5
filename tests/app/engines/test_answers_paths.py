"""app/engines/answers.py: the parameters of a path."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engines.answers import read_parameters


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        (
            "/api/v1/query?query=rate%28a%5B1m%5D%29&role=arrival_rate",
            {"query": "rate(a[1m])", "role": "arrival_rate"},
        ),
        ("/metrics/json", {}),
        ("?a=1&a=2&b=", {"a": "1", "b": ""}),
    ],
)
def test_parameters_are_decoded(path: str, parameters: dict[str, str]):
    assert read_parameters(path) == parameters


@given(st.text())
def test_any_text_has_parameters_or_none(path: str):
    assert all(isinstance(value, str) for value in read_parameters(path).values())
