"""Bad input is refused by a problem that says where and what to change; nothing of it is stored."""

import json
from collections.abc import Iterable
from contextlib import closing, suppress
from http.client import HTTPConnection
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest

from app.described.load import FPD_LOAD
from app.described.topology import FPD
from tests.app.processes import Service, StartService

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


# -- what the fields may hold --------------------------------------------------------------

BAD_TOPOLOGY: list[tuple[str, object, str]] = [
    ("#/operators", [], "#/operators"),
    ("#/operators", None, "#/operators"),
    ("#/operators", {"name": "a"}, "#/operators"),
    ("#/operators/0", "generator", "#/operators/0"),
    ("#/operators/0/name", "", "#/operators/0/name"),
    ("#/operators/0/name", "x" * 201, "#/operators/0/name"),
    ("#/operators/0/name", "a\x00b", "#/operators/0/name"),
    ("#/operators/0/name", "\ud800", "#/operators/0/name"),
    ("#/operators/0/name", " a", "#/operators/0/name"),
    ("#/operators/0/name", 7, "#/operators/0/name"),
    ("#/operators/0/stateful", "yes", "#/operators/0/stateful"),
    ("#/operators/0/stateful", 1, "#/operators/0/stateful"),
    ("#/operators/2/min_processors", 0, "#/operators/2/min_processors"),
    ("#/operators/2/min_processors", 1.0, "#/operators/2/min_processors"),
    ("#/operators/2/min_processors", True, "#/operators/2/min_processors"),
    ("#/operators/2/max_processors", 10**9 + 1, "#/operators/2/max_processors"),
    ("#/operators/2/max_processors", 10**30, "#/operators/2/max_processors"),
    ("#/operators/2/max_processors", "8", "#/operators/2/max_processors"),
    ("#/edges/0/selectivity", -1, "#/edges/0/selectivity"),
    ("#/edges/0/selectivity", float("nan"), "#/edges/0/selectivity"),
    ("#/edges/0/selectivity", float("inf"), "#/edges/0/selectivity"),
    ("#/edges/0/selectivity", "4", "#/edges/0/selectivity"),
    ("#/edges/0/selectivity", False, "#/edges/0/selectivity"),
    ("#/edges/0/selectivity", None, "#/edges/0/selectivity"),
    ("#/edges/0/weight", 1, "#/edges/0/weight"),
    ("#/entries/0/share", 0, "#/entries/0/share"),
    ("#/entries/0/share", "all", "#/entries/0/share"),
    ("#/entries/0/part", 1, "#/entries/0/part"),
    ("#/operators/1/state~ful/x", True, "#/operators/1/state~0ful~1x"),
    ("#/operator", [], "#/operator"),
    ("#/\ud800", [], "#"),
    ("#/name", "a/b", "#/name"),
    ("#/name", "..", "#/name"),
    ("#/name", None, "#/name"),
]


@pytest.mark.parametrize(("where", "value", "pointer"), BAD_TOPOLOGY)
def test_a_malformed_topology_is_refused_at_the_part_at_fault(
    client: httpx.Client, name: str, where: str, value: object, pointer: str
):
    if where == "#/operators/1/state~ful/x":
        body = FPD | {"name": name, "operators": [{"name": "generator"}, {"name": "b", "state~ful/x": True}]}
    else:
        body = changed(FPD | {"name": name}, where, value)
    assert_refused(send(client, "/v1/topologies", json.dumps(body)), [pointer])
    assert client.get(f"/v1/topologies/{name}").status_code == 404


BAD_GRAPH = [
    ("#/edges/2/target", "nowhere", "#/edges/2/target"),
    ("#/edges/1/source", "nowhere", "#/edges/1/source"),
    ("#/entries/0/operator", "nowhere", "#/entries/0/operator"),
    ("#/operators/2/name", "detector", "#/operators/2/name"),
    ("#/operators/2/min_processors", 9, "#/operators/2"),
]


@pytest.mark.parametrize(("where", "value", "pointer"), BAD_GRAPH)
def test_a_topology_that_contradicts_itself_is_refused_at_the_part_at_fault(
    client: httpx.Client, name: str, where: str, value: object, pointer: str
):
    body = changed(FPD | {"name": name}, where, value)
    found = assert_refused(client.post("/v1/topologies", json=body), kind="invalid-topology")["errors"]
    assert [error["pointer"].startswith(pointer) for error in found] == [True]
    described = changed(PLAN, "#/topology", changed(FPD, where, value))
    found = assert_refused(client.post("/v1/plans/min-latency", json=described), kind="invalid-topology")[
        "errors"
    ]
    assert found[0]["pointer"].startswith(pointer.replace("#", "#/topology"))
    assert client.get(f"/v1/topologies/{name}").status_code == 404


def test_a_cycle_that_gains_is_named(client: httpx.Client, name: str):
    body = changed(FPD | {"name": name}, "#/edges/1/selectivity", 1.5)
    problem = assert_refused(client.post("/v1/topologies", json=body), ["#/edges"], kind="no-steady-state")
    assert problem["operators"] == ["detector"]
    assert problem["gain"] == 1.5
    described = {"topology": body, "load": FPD_LOAD, "k_max": 22}
    problem = assert_refused(
        client.post("/v1/plans/min-latency", json=described), ["#/topology/edges"], kind="no-steady-state"
    )
    assert "detector" in problem["detail"]
    assert client.get(f"/v1/topologies/{name}").status_code == 404


BAD_LOAD: list[tuple[str, object, str]] = [
    ("#/external_rate", -1, "#/external_rate"),
    ("#/external_rate", None, "#/external_rate"),
    ("#/external_rate", float("nan"), "#/external_rate"),
    ("#/external_rate", float("-inf"), "#/external_rate"),
    ("#/external_rate", "320", "#/external_rate"),
    ("#/external_rate", True, "#/external_rate"),
    ("#/window_seconds", 0, "#/window_seconds"),
    ("#/observed_at", "2026-11-18T00:00:00", "#/observed_at"),
    ("#/observed_at", "yesterday", "#/observed_at"),
    ("#/observed_at", None, "#/observed_at"),
    ("#/measured_sojourn_seconds", -1, "#/measured_sojourn_seconds"),
    ("#/operators/detector/service_rate", 0, "#/operators/detector/service_rate"),
    ("#/operators/detector/service_rate", "130", "#/operators/detector/service_rate"),
    ("#/operators/detector/service_scv", -0.1, "#/operators/detector/service_scv"),
    ("#/operators/detector/arrival_scv", float("inf"), "#/operators/detector/arrival_scv"),
    ("#/operators/detector/processors", 1.5, "#/operators/detector/processors"),
    ("#/operators/detector/processors", 10**9 + 1, "#/operators/detector/processors"),
    ("#/operators/detector/speed", 1, "#/operators/detector/speed"),
    ("#/operators/detector", [], "#/operators/detector"),
    ("#/operators/stranger", {"service_rate": 1}, "#/operators/stranger"),
    ("#/operators/\ud800", {"service_rate": 1}, "#/operators"),
    ("#/operators", [], "#/operators"),
    ("#/rate", 3, "#/rate"),
]


@pytest.mark.parametrize(("where", "value", "pointer"), BAD_LOAD)
def test_a_malformed_snapshot_is_refused_at_the_part_at_fault(
    client: httpx.Client, stored: str, where: str, value: object, pointer: str
):
    before = client.get(f"/v1/topologies/{stored}/snapshots").json()
    path = f"/v1/topologies/{stored}/snapshots"
    bad = changed(FPD_LOAD, where, value)
    assert_refused(send(client, path, json.dumps(bad)), [pointer])
    good = FPD_LOAD | {"observed_at": "2026-11-18T01:00:00Z"}
    assert_refused(send(client, path, json.dumps([good, bad])), [pointer.replace("#", "#/1")])
    assert client.get(path).json() == before


@pytest.mark.parametrize("number", ["1e400", "-1e400", "NaN", "Infinity", "-Infinity"])
def test_numbers_that_are_none_are_refused(client: httpx.Client, number: str):
    body = json.dumps(PLAN).replace('"external_rate": 1', f'"external_rate": {number}')
    assert_refused(send(client, "/v1/plans/min-latency", body), ["#/load/external_rate"])


BAD_REQUESTS = [
    ("/v1/plans/min-latency", "#/k_max", 0, "#/k_max"),
    ("/v1/plans/min-latency", "#/k_max", 10**12 + 1, "#/k_max"),
    ("/v1/plans/min-latency", "#/k_max", 3.0, "#/k_max"),
    ("/v1/plans/min-latency", "#/k_max", "3", "#/k_max"),
    ("/v1/plans/min-latency", "#/k_max", True, "#/k_max"),
    ("/v1/plans/min-latency", "#/model", "mm1", "#/model"),
    ("/v1/plans/min-latency", "#/kmax", 3, "#/kmax"),
    ("/v1/plans/min-latency", "#/topology/operators/0/nam", "a", "#/topology/operators/0/nam"),
    ("/v1/plans/min-latency", "#/load/operators/a/rate", 1, "#/load/operators/a/rate"),
    ("/v1/estimate", "#/processors", {"a": 0}, "#/processors/a"),
    ("/v1/estimate", "#/processors", {"a": 10**12}, "#/processors/a"),
]


@pytest.mark.parametrize(("path", "where", "value", "pointer"), BAD_REQUESTS)
def test_a_malformed_request_is_refused_at_the_part_at_fault(
    client: httpx.Client, path: str, where: str, value: object, pointer: str
):
    body = PLAN if "plans" in path else {key: PLAN[key] for key in ("topology", "load")}
    assert_refused(client.post(path, json=changed(body, where, value)), [pointer])


def test_every_wrong_part_is_named_at_once(client: httpx.Client):
    body = {"topology": {"operators": [{"nam": "a"}]}, "load": {"external_rate": "x"}, "k_max": 0}
    wrong = [
        "#/topology/operators/0/name",
        "#/topology/operators/0/nam",
        "#/load/external_rate",
        "#/load/operators",
        "#/k_max",
    ]
    assert_refused(client.post("/v1/plans/min-latency", json=body), wrong)


def test_a_stored_bound_that_is_too_small_is_no_fault_of_the_body(client: httpx.Client, name: str):
    bounded = changed(FPD | {"name": name}, "#/operators/2/max_processors", 1)
    assert client.post("/v1/topologies", json=bounded).status_code == 201
    assert client.post(f"/v1/topologies/{name}/snapshots", json=FPD_LOAD).status_code == 201
    answer = client.post(f"/v1/topologies/{name}/plans/min-latency", json={"k_max": 22})
    problem = assert_refused(answer, ["#"], kind="bound-too-small")
    assert (problem["operator"], problem["max_processors"]) == ("reporter", 1)
    assert client.get(f"/v1/topologies/{name}/plans").json()["items"] == []


def test_a_load_of_strangers_is_refused_by_name(client: httpx.Client):
    body = changed(PLAN, "#/load/operators", {"a": {"service_rate": 2}, "b": {"service_rate": 2}})
    problem = assert_refused(client.post("/v1/plans/min-latency", json=body), kind="invalid-load")
    assert problem["errors"][0]["pointer"] == "#/load/operators/b"
    allocated = {"topology": ONE, "load": ONE_LOAD, "processors": {"b": 1}}
    problem = assert_refused(client.post("/v1/estimate", json=allocated), kind="invalid-allocation")
    assert [error["pointer"] for error in problem["errors"]] == ["#/processors/b"]
    assert "'b'" in problem["detail"]


# -- sizes ---------------------------------------------------------------------------------


def test_a_billion_processors_are_a_plan_like_any_other(client: httpx.Client):
    body = {"topology": FPD, "load": FPD_LOAD, "k_max": 10**9}
    answer = client.post("/v1/plans/min-latency", json=body, timeout=10)
    assert answer.status_code == 200
    assert sum(answer.json()["processors"].values()) <= 10**9
    bounded = changed(body, "#/topology/operators/2/max_processors", 10**9)
    assert client.post("/v1/plans/min-latency", json=bounded, timeout=10).status_code == 200


def test_a_limit_of_the_service_is_named_with_its_setting(start_service: StartService, database_url: str):
    service = start_service(
        database_url=database_url, max_operators="2", max_edges="1", max_body_bytes="1024"
    )
    with httpx.Client(base_url=service.url, timeout=60) as client:
        three = {"operators": [{"name": one} for one in "abc"]}
        problem = assert_refused(client.post("/v1/topologies", json=three | {"name": "x"}), ["#/operators"])
        assert "HEADGATE_MAX_OPERATORS" in problem["detail"]
        described = PLAN | {"topology": three}
        assert_refused(client.post("/v1/plans/min-latency", json=described), ["#/topology/operators"])
        looped = ONE | {"edges": [{"source": "a", "target": "a", "selectivity": 0.1}] * 2}
        problem = assert_refused(client.post("/v1/topologies", json=looped | {"name": "x"}), ["#/edges"])
        assert "HEADGATE_MAX_EDGES" in problem["detail"]
        assert client.get("/v1/topologies/x").status_code == 404


# -- bodies --------------------------------------------------------------------------------


@pytest.mark.parametrize("mebibytes", [9, 100])
@pytest.mark.parametrize("framing", ["announced", "chunked"])
def test_a_body_over_the_limit_is_refused_and_its_sender_reads_why(
    service: Service, framing: str, mebibytes: int
):
    """Some more is read and forgotten, so that the connection lasts; who sends without end is cut off."""
    address = urlsplit(service.url)
    with closing(HTTPConnection(str(address.hostname), address.port, timeout=60)) as connection:
        connection.putrequest("POST", "/v1/topologies")
        connection.putheader("Content-Type", "application/json")
        if framing == "announced":
            connection.putheader("Content-Length", str(mebibytes * 2**20))
        else:
            connection.putheader("Transfer-Encoding", "chunked")
        connection.endheaders()
        with suppress(ConnectionError):  # the service had enough, and said so before
            for _ in range(mebibytes):
                piece = b" " * 2**20
                connection.send(piece if framing == "announced" else b"100000\r\n" + piece + b"\r\n")
            connection.send(b"" if framing == "announced" else b"0\r\n\r\n")
        answer = connection.getresponse()
        problem = json.loads(answer.read())
        assert (answer.status, problem["type"], problem["limit_bytes"]) == (
            413,
            "payload-too-large",
            8 * 2**20,
        )
        assert answer.getheader("Connection") == (None if mebibytes == 9 else "close")
        connection.request("GET", "/healthz")  # on the same connection where it lasts
        assert connection.getresponse().status == 200


def test_who_asks_before_sending_is_not_told_to_send_too_much(service: Service):
    address = urlsplit(service.url)
    with closing(HTTPConnection(str(address.hostname), address.port, timeout=60)) as connection:
        connection.putrequest("POST", "/v1/topologies")
        connection.putheader("Content-Length", str(9 * 2**20))
        connection.putheader("Expect", "100-continue")
        connection.endheaders()
        answer = connection.getresponse()
        assert (answer.status, answer.getheader("Connection")) == (413, "close")


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
    """Which of the two loads was meant, nobody can know."""
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
    """Also those that nobody thought of here: the document lists them."""
    paths: dict[str, dict[str, Any]] = client.get("/openapi.json").json()["paths"]
    calls = [
        (method, path) for path, found in paths.items() for method in found if "requestBody" in found[method]
    ]
    assert len(calls) >= 15
    for method, path in calls:
        address = path.replace("{name}", "nothing-of-this-name")
        assert "{" not in address
        plain = client.request(method, address, content="{}", headers={"Content-Type": "text/plain"})
        assert_refused(plain, status=415, kind="unsupported-media-type")
        twice = client.request(method, address, content='{"twice": 1, "twice": 1}', headers=JSON)
        assert "'twice' stands twice" in assert_refused(twice, ["#"])["detail"], f"{method} {path}"


# -- addresses, parameters, headers --------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("limit=0", "?limit"),
        ("limit=-1", "?limit"),
        ("limit=ten", "?limit"),
        ("limit=" + "9" * 5000, "?limit"),
        ("cursor=", "?cursor"),
        ("cursor=%00", "?cursor"),
        ("cursor=%ff%fe", "?cursor"),
        ("cursor=AAAA", "?cursor"),
        ("cursor=" + "A" * 2001, "?cursor"),
        ("cursor=w7_DvA", "?cursor"),
    ],
)
def test_cursors_and_limits_that_no_answer_gave_are_refused(
    client: httpx.Client, stored: str, query: str, pointer: str
):
    for path in (f"/v1/topologies/{stored}/snapshots", f"/v1/topologies/{stored}/plans"):
        assert_refused(client.get(f"{path}?{query}"), [pointer])


def test_a_huge_limit_is_cut_to_the_largest_page(client: httpx.Client, stored: str):
    assert client.get(f"/v1/topologies/{stored}/snapshots?limit={2**63}").status_code == 200


@pytest.mark.parametrize(
    "moment", ["yesterday", "2026-11-18T00:00:00", "2026-11-18T00:00:00 00:00", "%00", ""]
)
def test_times_without_a_zone_are_refused(client: httpx.Client, stored: str, moment: str):
    assert_refused(client.get(f"/v1/topologies/{stored}/snapshots?from={moment}"), ["?from"])


@pytest.mark.parametrize("odd", ["\x00", "a\x00b", "a\nb", "..", ".", " ", "x" * 201, "\ud800", "\ufffe"])
def test_names_that_no_topology_can_have_are_refused_in_addresses(client: httpx.Client, odd: str):
    address = "/v1/topologies/" + quote(odd, safe="", errors="surrogatepass").replace(".", "%2E")
    for method in ("GET", "DELETE"):
        assert client.request(method, address).status_code in {404, 422}
    assert client.request("GET", f"{address}/snapshots").status_code in {404, 422}


@pytest.mark.parametrize("tag", ['"', "garbage", '""', "W/*", '"1-1', "*, *", "\x7f", "ÿ", "x" * 5000, ","])
def test_an_if_match_that_names_no_revision_changes_nothing(client: httpx.Client, stored: str, tag: str):
    address = f"/v1/topologies/{stored}"
    before = client.get(address).json()
    headers = [(b"If-Match", tag.encode("latin-1"))]
    answer = client.put(address, json=ONE | {"name": stored}, headers=headers)
    assert answer.status_code in {400, 412}  # 400: a byte that HTTP itself refuses
    assert client.get(address).json() == before


@pytest.mark.parametrize("revision", ["0", "-1", "1.5", "x", "", "2147483648", "9" * 5000])
def test_revisions_that_cannot_be_are_refused(client: httpx.Client, stored: str, revision: str):
    assert_refused(client.get(f"/v1/topologies/{stored}?revision={revision}"), ["?revision"])


@pytest.mark.parametrize(
    ("method", "address", "allowed"),
    [
        ("PUT", "/v1/topologies", "GET, POST"),
        ("POST", "/v1/topologies/fpd", "GET, PUT, DELETE"),
        ("GET", "/v1/plans/min-latency", "POST"),
        ("POST", "/healthz", "GET"),
        ("POST", "/docs/files/swagger-ui.css", "GET, HEAD"),
    ],
)
def test_a_method_that_is_not_there_is_refused_with_those_that_are(
    client: httpx.Client, method: str, address: str, allowed: str
):
    answer = client.request(method, address)
    assert_refused(answer, status=405, kind="method-not-allowed")
    assert answer.headers["Allow"] == allowed


def test_a_time_is_text_with_a_zone(client: httpx.Client, stored: str):
    """Pydantic would take 1731888000 for seconds and 1731888000000 for milliseconds."""
    for moment in (1731888000, 1731888000000, 0.5, "1731888000", "2026-11-18"):
        answer = client.post(f"/v1/topologies/{stored}/snapshots", json=FPD_LOAD | {"observed_at": moment})
        assert_refused(answer, ["#/observed_at"])


# -- what a problem shows ------------------------------------------------------------------

FOUND = [
    ("#/load/external_rate", "1e3", 'the text "1e3"', "without quotes: 1e3"),
    ("#/load/external_rate", [1], "a list", ""),
    ("#/load/external_rate", -1, "the number -1", "greater than or equal to 0"),
    ("#/load/operators/a/service_rate", {}, "an object", ""),
    ("#/topology/operators/0/name", False, "false", 'in quotes: "false"'),
    ("#/topology/operators/0/name", "x" * 10_000, "x" * 60 + "…", "200"),
    ("#/topology/operators/0/name", "a\u202eb", "\\u202e", "printable"),
    ("#/topology/operators/0/stateful", "yes", 'the text "yes"', "true or false"),
    ("#/k_max", 3.0, "the number 3.0", "point: 3"),
    ("#/k_max", None, "null", ""),
    ("#/model", "gkk", 'the text "gkk"', "Did you mean 'ggk'?"),
]


@pytest.mark.parametrize(("where", "value", "shown", "advice"), FOUND)
def test_a_value_of_the_wrong_kind_is_shown_with_what_to_write(
    client: httpx.Client, where: str, value: object, shown: str, advice: str
):
    problem = assert_refused(client.post("/v1/plans/min-latency", json=changed(PLAN, where, value)), [where])
    assert shown in problem["detail"]
    assert advice in problem["detail"]
    assert len(problem["detail"]) < 400
    assert problem["errors"][0]["detail"] in problem["detail"]


MISSPELLED = [
    ("/v1/plans/min-latency", PLAN | {"kmax": 3}, "'k_max'"),
    ("/v1/plans/min-latency", changed(PLAN, "#/topology/operators/0/statefull", 1), "'stateful'"),
    ("/v1/plans/min-latency", changed(PLAN, "#/load/operators/a/srvice_rate", 1), "'service_rate'"),
    ("/v1/topologies/nothing/snapshots", ONE_LOAD | {"observed": "x"}, "'observed_at'"),
    ("/v1/topologies/nothing/snapshots", [ONE_LOAD | {"windowSeconds": 1}], "'window_seconds'"),
    ("/v1/topologies/nothing/plans/min-latency", {"k_max": 1, "smoothing": {"kind": "windw"}}, "'window'"),
]


@pytest.mark.parametrize(("path", "body", "meant"), MISSPELLED)
def test_a_misspelled_field_is_answered_with_the_one_that_was_meant(
    client: httpx.Client, path: str, body: Any, meant: str
):
    details = " ".join(error["detail"] for error in assert_refused(client.post(path, json=body))["errors"])
    assert f"Did you mean {meant}?" in details


def test_an_unknown_field_like_no_other_is_answered_with_those_that_are_known(client: httpx.Client):
    problem = assert_refused(client.post("/v1/plans/min-latency", json=changed(PLAN, "#/load/xyz", 1)))
    assert "Known here: observed_at, window_seconds, covered_seconds, external_rate" in problem["detail"]


def test_a_parameter_of_the_wrong_kind_is_shown(client: httpx.Client, stored: str):
    problem = assert_refused(client.get(f"/v1/topologies/{stored}/plans?limit=ten"), ["?limit"])
    assert 'found the text "ten"' in problem["detail"]


def test_an_address_that_is_written_nearly_right_is_answered_with_the_right_one(client: httpx.Client):
    for wrong, right in (
        ("/v1/topologys", "/v1/topologies"),
        ("/v1/topologies/fpd/snapshot", "/v1/topologies/fpd/snapshots"),
        ("/healtz", "/healthz"),
    ):
        problem = assert_refused(client.get(wrong), status=404, kind="not-found")
        assert problem["detail"].endswith(f"Did you mean {right!r}?")
    assert "Did you mean" not in client.get("/like/no/other").json()["detail"]


@pytest.mark.parametrize(
    ("method", "part"),
    [("POST", "estimate"), ("GET", "policy"), ("POST", "decisions"), ("GET", "decisions/latest")],
)
def test_a_problem_names_addresses_with_the_name_that_was_asked_for(
    client: httpx.Client, name: str, method: str, part: str
):
    spaced = f"{name} of mine"
    assert client.post("/v1/topologies", json=ONE | {"name": spaced}).status_code == 201
    address = f"/v1/topologies/{quote(spaced)}"
    problem = client.request(method, f"{address}/{part}").json()
    assert address in problem["detail"]
    assert "NAME" not in problem["detail"]
