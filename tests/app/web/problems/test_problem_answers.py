"""Every refusal is problem+json with its numbers in fields, and names what the caller sent."""

from urllib.parse import quote

import httpx
import pytest

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from tests.app.web.refusals import ONE, ONE_LOAD, PLAN, assert_refused, changed

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
