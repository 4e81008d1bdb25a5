"""The quick reading of a body and the slow one, which says what is wrong, agree on every text."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.http.errors import InvalidRequest
from app.http.strict_json import read_json, read_json_slowly

NAMES = st.sampled_from(["a", "b", "a:b", '"', "é", "\\"])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | NAMES


def write_object(pairs: list[tuple[str, str]]) -> str:
    """An object of names and texts; a name that is drawn twice stands there twice."""
    return "{" + ",".join(f"{json.dumps(name)} : {value}" for name, value in pairs) + "}"


TEXTS = st.recursive(
    LEAVES.map(json.dumps),
    lambda inner: (
        st.lists(st.tuples(NAMES, inner), max_size=4).map(write_object)
        | st.lists(inner, max_size=4).map(lambda parts: "[" + ",".join(parts) + "]")
    ),
    max_leaves=12,
)


def read_with(read: Any, body: bytes) -> str:
    """What comes of a body, so that NaN equals itself and 1 is not 1.0; or how it is refused."""
    try:
        return repr(read(body))
    except (InvalidRequest, json.JSONDecodeError) as refused:
        return f"refused: {refused}"


@settings(max_examples=400)
@given(TEXTS)
@example('{"a": 1, "a": 2}')
@example('{"a" :1, "b": {"a": 1, "b": 2, "a" : 3}}')
@example("{")
@example('["\\ud800", 1e999, -0, -0.0, 1E+2]')
@example("9" * 5000)
@example("[" * 250 + "]" * 250)
@example("[" * 100_000)
@example("")
@example('{"a": 1}}')
@example("\ufeff{}")
def test_both_readings_agree(text: str):
    body = text.encode("utf-8", "surrogatepass")
    assert read_with(read_json, body) == read_with(read_json_slowly, body)


@pytest.mark.parametrize(
    "body", [b'{"a": "\xff"}', b"\xff\xfe{\x00}\x00", '{"a": 1}'.encode("utf-16"), b"\x00"]
)
def test_both_readings_refuse_what_is_not_utf_8(body: bytes):
    assert read_with(read_json, body).startswith("refused")
    assert read_with(read_json, body) == read_with(read_json_slowly, body)
