"""The quick parser of bodies and the slow one, which explains what is wrong, agree on every text."""

import gzip
import json
from typing import Any

import httpx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.web.problems.errors import InvalidRequest
from app.web.routing import read_json, read_json_slowly
from tests.app.web.refusals import JSON, PLAN, assert_refused, send

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
    """The value of a body as text, so that NaN equals itself and 1 differs from 1.0; or its refusal."""
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


def test_malformed_json_is_refused_with_its_place(client: httpx.Client):
    problem = assert_refused(send(client, "/v1/topologies", '{"name": "x", "operators": [{'), ["#"])
    assert "29" in problem["detail"]


MALFORMED = {
    "empty": (b"", "body"),
    "white space": (b"  ", "JSON"),
    "deep": (b"[" * 100_000, "deep"),
    "deep objects": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "deep"),
    "not UTF-8": (b'{"name": "\xff\xfe"}', "UTF-8"),
    "UTF-16": ('{"name": "x"}'.encode("utf-16"), "UTF-8"),
    "a number of ten thousand digits": (b'{"name": ' + b"1" * 10_000 + b"}", "digits"),
    "a list": (b"[]", ""),
    "a word": (b'"x"', ""),
    "null": (b"null", ""),
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_a_body_that_is_no_document_is_refused(client: httpx.Client, kind: str):
    body, hint = MALFORMED[kind]
    for path in ("/v1/topologies", "/v1/plans/min-latency"):
        assert hint in assert_refused(send(client, path, body), ["#"])["detail"]


def test_a_name_that_stands_twice_in_an_object_is_refused(client: httpx.Client, name: str):
    """The service cannot know which of the two loads was meant."""
    twice = '{"topology": {"operators": [{"name": "a"}]}, "k_max": 3, "load": {"external_rate": 1, "operators": {%s}}}'
    loads = '"a": {"service_rate": 2}, "a": {"service_rate": 3}'
    problem = assert_refused(send(client, "/v1/plans/min-latency", twice % loads), ["#"])
    assert "'a'" in problem["detail"]
    topology = f'{{"name": "{name}", "name": "{name}", "operators": [{{"name": "a"}}]}}'
    assert_refused(send(client, "/v1/topologies", topology), ["#"])


@pytest.mark.parametrize(
    "sent", ["text/plain", "application/x-www-form-urlencoded", "application/xml", "", "/"]
)
def test_another_content_type_is_refused_with_the_right_one(client: httpx.Client, sent: str):
    headers = {"Content-Type": sent} if sent else {}
    answer = client.post("/v1/plans/min-latency", content=json.dumps(PLAN), headers=headers)
    problem = assert_refused(answer, status=415, kind="unsupported-media-type")
    assert "application/json" in problem["detail"]


def test_every_call_with_a_body_reads_it_strictly(client: httpx.Client):
    """Every call of the OpenAPI document, so that no new one is forgotten."""
    paths: dict[str, dict[str, Any]] = client.get("/openapi.json").json()["paths"]
    calls = [
        (method, path) for path, found in paths.items() for method in found if "requestBody" in found[method]
    ]
    assert len(calls) >= 15
    for method, path in calls:
        address = path.replace("{name}", "nothing-of-this-name").replace("{engine}", "storm")
        address = address.replace("{decision_id}", "0b1f7c62-6f0c-4b7e-9a53-9d3c1c3c7f10")
        assert "{" not in address
        plain = client.request(method, address, content="{}", headers={"Content-Type": "text/plain"})
        assert_refused(plain, status=415, kind="unsupported-media-type")
        twice = client.request(method, address, content='{"twice": 1, "twice": 1}', headers=JSON)
        assert "'twice' occurs twice" in assert_refused(twice, ["#"])["detail"], f"{method} {path}"


@pytest.mark.parametrize("encoding", ["gzip", "br", "gzip, identity", "GZIP"])
def test_a_compressed_body_is_refused_as_such(client: httpx.Client, encoding: str):
    headers = {"Content-Encoding": encoding}
    refused = client.post("/v1/gate", content=gzip.compress(b"{}"), headers=JSON | headers)
    assert (refused.status_code, refused.json()["type"]) == (415, "unsupported-encoding")
    assert refused.headers["Accept-Encoding"] == "identity"
    assert send(
        client, "/v1/plans/min-latency", json.dumps(PLAN), **{"Content-Encoding": "identity"}
    ).is_success
