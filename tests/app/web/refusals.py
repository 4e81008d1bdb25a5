"""Bodies that are sent wrong, and what every refusal of them has in common."""

import json
from collections.abc import Iterable
from typing import Any

import httpx

JSON = {"Content-Type": "application/json"}

ONE = {"operators": [{"name": "a"}]}

ONE_LOAD = {"external_rate": 1, "operators": {"a": {"service_rate": 2}}}

PLAN = {"topology": ONE, "load": ONE_LOAD, "k_max": 3}


def changed(document: Any, pointer: str, value: object) -> Any:
    """A copy of the document with something else at the pointer."""
    copy = json.loads(json.dumps(document))
    *path, last = pointer.removeprefix("#/").split("/")
    here = copy
    for part in path:
        here = here[int(part)] if isinstance(here, list) else here[part]
    here[int(last) if isinstance(here, list) else last] = value
    return copy


def send(client: httpx.Client, path: str, body: bytes | str, **headers: str) -> httpx.Response:
    content = body.encode() if isinstance(body, str) else body
    return client.post(path, content=content, headers=JSON | headers)


def assert_refused(
    answer: httpx.Response, pointers: Iterable[str] = (), *, status: int = 422, kind: str = "invalid-request"
) -> dict[str, Any]:
    problem: dict[str, Any] = answer.json()
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    assert (answer.status_code, problem["status"], problem["type"]) == (status, status, kind), answer.text
    assert {"title", "detail", "instance"} <= problem.keys()
    if pointers:
        assert {error["pointer"] for error in problem["errors"]} == set(pointers), answer.text
    return problem
