"""Every noun's routes answer alike: addresses are paths, ids and parameters are checked alike, 201 has a Location."""

import re
from typing import Any

import httpx
import pytest

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from tests.app.placement_examples import BLOB, SIZES
from tests.app.web.refusals import assert_refused

NO_ID = "00000000-0000-4000-8000-000000000000"
OF_IDS = (
    "/v1/plans/{}",
    "/v1/placements/{}",
    "/v1/decisions/{}",
    "/v1/decisions/{}/patch?format=json",
    "/v1/backtests/{}",
    "/v1/backtests/{}/plot",
    "/v1/simulations/{}",
    "/v1/ingest-runs/{}",
    "/v1/ingest-runs/{}/rejects",
)
OF_TOPOLOGY = (
    "",
    "/snapshots",
    "/plans",
    "/decisions",
    "/decisions/latest",
    "/policy",
    "/series",
    "/summaries",
)
DECIDED = {"policy": {"goal": {"t_max_seconds": 1.0}}, "at": "2026-11-18T00:02:00Z"}
LISTS = (
    "/v1/topologies",
    "/v1/topologies/{name}/snapshots",
    "/v1/topologies/{name}/plans",
    "/v1/topologies/{name}/placements",
    "/v1/topologies/{name}/decisions",
    "/v1/topologies/{name}/mst-samples",
    "/v1/topologies/{name}/summaries",
    "/v1/topologies/{name}/windows",
    "/v1/profiles",
    "/v1/vm-catalogues",
    "/v1/backtests",
    "/v1/simulations",
    "/v1/ingest-runs",
    "/v1/overview",
)


@pytest.mark.parametrize("address", OF_IDS)
@pytest.mark.parametrize("wrong", ["fpd", "9" * 40, "0000-0000", "-1", "%00"])
def test_a_malformed_id_is_answered_like_an_unknown_one(client: httpx.Client, address: str, wrong: str):
    assert client.get(address.format(wrong)).status_code == 404


@pytest.mark.parametrize("address", OF_IDS)
def test_the_problem_of_an_unknown_address_never_suggests_that_address(client: httpx.Client, address: str):
    for wrong in ("fpd", NO_ID[:-1]):
        sent = address.format(wrong).partition("?")[0]
        detail = client.get(address.format(wrong)).json()["detail"]
        assert f"Did you mean {sent!r}" not in detail


@pytest.mark.parametrize("rest", OF_TOPOLOGY)
def test_a_name_that_no_topology_can_have_is_unknown(client: httpx.Client, rest: str):
    for wrong in ("n" * 201, "a%00b", "%20fpd"):
        assert client.get(f"/v1/topologies/{wrong}{rest}").status_code == 404


def test_an_engine_that_is_not_known_is_no_address(client: httpx.Client, known: str):
    answer = client.post(f"/v1/topologies/{known}/snapshots/from/flnk", json={})
    problem = assert_refused(answer, status=404, kind="not-found")
    assert "'flink'" in problem["detail"]


@pytest.mark.parametrize("address", LISTS)
def test_a_list_refuses_parameters_that_it_does_not_know(client: httpx.Client, known: str, address: str):
    problem = assert_refused(client.get(f"{address.format(name=known)}?limt=3&also=x"), ["?limt", "?also"])
    details = {one["pointer"]: one["detail"] for one in problem["errors"]}
    assert "Did you mean 'limit'?" in details["?limt"]
    assert all(re.search(r"Known here: [^.]*\bcursor\b", one) for one in details.values())


@pytest.mark.parametrize(
    ("method", "address", "body"),
    [
        ("POST", "/v1/topologies", FPD),
        ("GET", "/v1/topologies/{name}", None),
        ("PUT", "/v1/topologies/{name}", FPD),
        ("DELETE", "/v1/topologies/{name}", None),
        ("POST", "/v1/topologies/{name}/snapshots", FPD_LOAD),
        ("POST", "/v1/topologies/{name}/decisions", {}),
        ("POST", "/v1/topologies/{name}/plans/min-latency", {"k_max": 22}),
        ("POST", "/v1/plans/min-latency", {"topology": FPD, "load": FPD_LOAD, "k_max": 22}),
        ("GET", "/v1/session", None),
    ],
)
def test_every_call_refuses_a_parameter_that_it_does_not_know(
    client: httpx.Client, known: str, method: str, address: str, body: Any
):
    answer = client.request(method, f"{address.format(name=known)}?dry_run=1", json=body)
    problem = assert_refused(answer, ["?dry_run"])
    assert "dry_run" in problem["detail"]
    assert client.get(f"/v1/topologies/{known}").json()["revision"] == 1


@pytest.mark.parametrize("address", LISTS)
def test_a_limit_over_its_bound_is_refused(client: httpx.Client, known: str, address: str):
    path = address.format(name=known)
    assert client.get(f"{path}?limit=1000").status_code == 200
    problem = assert_refused(client.get(f"{path}?limit=1001"), ["?limit"])
    assert "1000" in problem["detail"]


def test_next_is_a_path_that_works_below_any_prefix(client: httpx.Client, stored: str):
    for minute in (1, 2):
        load = FPD_LOAD | {"observed_at": f"2026-11-18T00:0{minute}:00Z"}
        client.post(f"/v1/topologies/{stored}/snapshots", json=load).raise_for_status()
    path = f"/v1/topologies/{stored}/snapshots"
    page = client.get(path, params={"limit": 2, "from": "2026-11-18T00:00:00Z"}).json()
    assert page["next"].startswith(f"{path}?")
    assert "from=2026-11-18T00" in page["next"]
    assert len(client.get(page["next"]).json()["items"]) == 1


def test_next_names_a_topology_with_odd_characters_as_an_address_does(client: httpx.Client, name: str):
    odd = f"größe & co? {name}"
    assert client.post("/v1/topologies", json=FPD | {"name": odd}).status_code == 201
    path = httpx.URL(f"/v1/topologies/{odd.replace('?', '%3F')}/snapshots")
    for minute in (1, 2):
        load = FPD_LOAD | {"observed_at": f"2026-11-18T00:0{minute}:00Z"}
        client.post(path, json=load).raise_for_status()
    following = client.get(path, params={"limit": 1}).json()["next"]
    assert following.isascii()
    assert client.get(following).json()["items"][0]["observed_at"] == "2026-11-18T00:02:00Z"


@pytest.mark.parametrize(
    ("address", "body"),
    [
        ("/v1/topologies", FPD),
        ("/v1/topologies/{name}/snapshots", FPD_LOAD),
        ("/v1/topologies/{name}/snapshots", [FPD_LOAD]),
        (
            "/v1/topologies/{name}/mst-samples",
            {"vms": 1, "throughput": 2.0, "observed_at": "2026-11-18T00:00:00Z"},
        ),
        ("/v1/topologies/{name}/plans/min-latency", {"k_max": 40}),
        ("/v1/topologies/{name}/plans/min-processors", {"t_max_seconds": 1.0}),
        ("/v1/topologies/{name}/decisions", DECIDED),
        ("/v1/topologies/{name}/recommendation", DECIDED),
        ("/v1/profiles", {"name": "", "points": BLOB}),
        ("/v1/vm-catalogues", {"name": "", "sizes": SIZES}),
    ],
)
def test_who_creates_answers_201_with_the_address_of_what_it_made(
    client: httpx.Client, stored: str, address: str, body: Any
):
    if isinstance(body, dict) and "name" in body:
        body = body | {"name": f"{stored}-new"}
    created = client.post(address.format(name=stored), json=body)
    assert created.status_code == 201, created.text
    location = created.headers["Location"]
    assert location.startswith("/v1/")
    read = client.get(location)
    assert read.status_code == 200
    if "id" in created.json():
        assert read.json() == created.json()
        assert created.headers["Content-Location"] == location


def test_a_topology_is_changed_by_a_body_without_its_name(client: httpx.Client, known: str):
    nameless = {key: value for key, value in FPD.items() if key != "name"}
    changed = client.put(f"/v1/topologies/{known}", json=nameless)
    assert (changed.status_code, changed.json()["name"], changed.json()["revision"]) == (200, known, 2)
    assert_refused(client.put(f"/v1/topologies/{known}", json=nameless | {"name": "other"}), ["#/name"])
    assert_refused(client.post("/v1/topologies", json=nameless), ["#/name"])


def test_a_remedy_is_given_where_it_can_be_followed(client: httpx.Client, known: str):
    """A gate has no `at`, and no call but a plan's takes a load with it."""
    at = f"/v1/topologies/{known}"
    asked = client.post(f"{at}/decisions", json={"policy": {"goal": {"t_max_seconds": 1.0}}})
    assert "stateless" not in assert_refused(asked, status=409, kind="no-snapshot")["detail"]
    keda = client.get(f"{at}/keda/detector").json()["detail"]
    assert "with the request" not in keda
    assert "stateless" not in keda
    client.post(f"{at}/snapshots", json=FPD_LOAD).raise_for_status()
    stale = client.post(f"{at}/gate").json()
    assert stale["type"] == "stale-snapshots"
    assert '"at"' not in stale["detail"]
    decided = client.post(f"{at}/decisions", json={"policy": {"goal": {"t_max_seconds": 1.0}}}).json()
    assert '"at"' in decided["detail"]
