"""Placements of stored topologies over HTTP: by stored profiles and catalogues, listed and read again."""

import httpx
import pytest

from app.load.bodies.topology import FPD
from app.machines.predictions import BLOB_TOPOLOGY
from tests.app.placement_examples import BLOB, SIZES, place, refuse


@pytest.fixture
def placeable(client: httpx.Client, name: str) -> str:
    """A stored topology whose operator names a profile of the library, and a catalogue of the same name."""
    operators = [{"name": "source"}, {"name": "blob", "profile": name}, {"name": "sink"}]
    topology = BLOB_TOPOLOGY | {"name": name, "operators": operators}
    assert client.post("/v1/topologies", json=topology).status_code == 201
    assert client.post("/v1/profiles", json={"name": name, "points": BLOB}).status_code == 201
    assert client.post("/v1/vm-catalogues", json={"name": name, "sizes": SIZES}).status_code == 201
    return name


def test_a_stored_topology_is_placed_by_the_library_and_the_placement_stored(
    client: httpx.Client, placeable: str
):
    url = f"/v1/topologies/{placeable}/placements"
    placed = client.post(url, json={"external_rate": 100.0, "vm_catalogue": placeable})
    assert placed.status_code == 201, placed.text
    answer = placed.json()
    assert answer["profiles"] == [{"task": "blob", "profile": placeable, "version": 1}]
    assert {key: answer[key] for key in ("allocation", "mapping", "prediction", "hourly_price")} == {
        key: place(client)[key] for key in ("allocation", "mapping", "prediction", "hourly_price")
    }
    assert placed.headers["Content-Location"] == f"/v1/placements/{answer['id']}"
    assert client.get(f"/v1/placements/{answer['id']}").json() == answer
    (line,) = client.get(url).json()["items"]
    assert (line["id"], line["slots_used"], line["rate"]) == (answer["id"], 4, answer["prediction"]["rate"])


def test_without_a_rate_the_newest_snapshot_counts(client: httpx.Client, placeable: str):
    url = f"/v1/topologies/{placeable}"
    body = {"vm_catalogue": placeable}
    assert client.post(f"{url}/placements", json=body).json()["type"] == "no-snapshot"
    load = {
        "observed_at": "2026-11-18T00:00:00Z",
        "window_seconds": 60,
        "external_rate": 30.0,
        "operators": {},
    }
    assert client.post(f"{url}/snapshots", json=load).status_code == 201
    assert client.post(f"{url}/placements", json=body).json()["allocation"]["tasks"][0]["threads"] == 50
    silent = load | {"observed_at": "2026-11-18T00:01:00Z", "external_rate": 0.0}
    assert client.post(f"{url}/snapshots", json=silent).status_code == 201
    refused = client.post(f"{url}/placements", json=body)
    assert (refused.status_code, refused.json()["type"]) == (409, "stored-data-unusable")


def test_a_profile_sent_with_the_request_goes_before_the_librarys(client: httpx.Client, placeable: str):
    body = {"external_rate": 100.0, "vm_catalogue": placeable, "profiles": {"blob": BLOB[:1]}}
    answer = client.post(f"/v1/topologies/{placeable}/placements", json=body).json()
    assert answer["profiles"] == [{"task": "blob", "profile": "blob", "version": None}]
    assert answer["allocation"]["tasks"][0]["threads"] == 50


def test_an_operator_that_names_an_unknown_profile_is_pointed_at(client: httpx.Client):
    operators = [{"name": "source"}, {"name": "blob", "profile": "nowhere"}, {"name": "sink"}]
    problem = refuse(client, topology=BLOB_TOPOLOGY | {"operators": operators}, profiles={})
    assert problem["errors"][0]["pointer"] == "#/profiles"
    assert "'nowhere'" in problem["detail"]


def test_placements_of_a_topology_are_paged_newest_first(client: httpx.Client, placeable: str):
    url = f"/v1/topologies/{placeable}/placements"
    made = [
        client.post(url, json={"external_rate": rate, "vm_catalogue": placeable}).json()["id"]
        for rate in (10.0, 20.0, 30.0)
    ]
    listed, page_url = [], f"{url}?limit=2"
    while page_url:
        page = client.get(page_url).json()
        listed += [item["id"] for item in page["items"]]
        page_url = page["next"]
    assert listed == made[::-1]
    unknown = client.get("/v1/placements/00000000-0000-0000-0000-000000000000")
    assert (unknown.status_code, unknown.json()["type"]) == (404, "unknown-placement")
    assert client.get("/v1/placements/abc").status_code == 404  # as with plans: no such address


def test_a_topology_without_profiles_says_which_task_lacks_one(client: httpx.Client, name: str):
    client.post("/v1/topologies", json=FPD | {"name": name})
    body = {"external_rate": 10.0, "vm_sizes": SIZES}
    problem = client.post(f"/v1/topologies/{name}/placements", json=body).json()
    assert (problem["type"], problem["task"]) == ("missing-profile", "detector")
