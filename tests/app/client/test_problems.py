"""A problem of the service as an exception, and what is none."""

import json
from typing import Any

import httpx
import pytest

from app.client.problems import HeadgateProblem, NoAnswer, read_problem

PROBLEM: dict[str, Any] = {
    "type": "budget-too-small",
    "title": "Budget too small",
    "status": 422,
    "detail": "3 are too few.",
    "needed": 10,
    "errors": [{"pointer": "#/k_max", "detail": "3 are too few."}],
}


def answer(status: int, body: bytes) -> httpx.Response:
    return httpx.Response(status, content=body, request=httpx.Request("GET", "http://127.0.0.1/v1/overview"))


def test_every_field_of_a_problem_is_kept():
    found = read_problem(answer(422, json.dumps(PROBLEM).encode()))
    assert isinstance(found, HeadgateProblem)
    assert (found.status, found.type, found.detail) == (422, "budget-too-small", "3 are too few.")
    assert found.errors == PROBLEM["errors"]
    assert found.fields == PROBLEM
    assert str(found) == "budget-too-small: 3 are too few."


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b"null", b'{"type": "x"}', b"\xff"])
def test_what_is_no_problem_does_not_come_from_headgate(body: bytes):
    found = read_problem(answer(502, body))
    assert isinstance(found, NoAnswer)
    assert "answered 502 without a problem" in str(found)
