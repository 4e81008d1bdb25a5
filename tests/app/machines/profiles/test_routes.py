"""Profiles over HTTP: versions, pages, and profiles built from trials."""

from typing import Any

import httpx
import pytest

from tests.app.placement_examples import BLOB


def test_a_profile_has_versions_that_stay(client: httpx.Client, name: str):
    first = client.post("/v1/profiles", json={"name": name, "points": BLOB, "measured_on": "a D1"})
    assert (first.status_code, first.headers["Location"]) == (201, f"/v1/profiles/{name}")
    second = client.post("/v1/profiles", json={"name": name, "points": BLOB[:1]})
    assert (first.json()["version"], second.json()["version"]) == (1, 2)
    assert len(client.get(f"/v1/profiles/{name}").json()["points"]) == 1
    old = client.get(f"/v1/profiles/{name}", params={"version": 1}).json()
    assert (len(old["points"]), old["measured_on"]) == (2, "a D1")
    assert client.delete(f"/v1/profiles/{name}").status_code == 204
    gone = client.get(f"/v1/profiles/{name}")
    assert (gone.status_code, gone.json()["type"]) == (404, "unknown-profile")


def test_profiles_are_listed_by_name_a_page_at_a_time(client: httpx.Client, name: str):
    names = [f"{name}-{at}" for at in range(3)]
    for one in [*names, names[0]]:
        assert client.post("/v1/profiles", json={"name": one, "points": BLOB}).status_code == 201
    listed, url = [], "/v1/profiles?limit=2"
    while url:
        page = client.get(url).json()
        listed += [(item["name"], item["version"]) for item in page["items"] if item["name"] in names]
        url = page["next"]
    assert listed == [(names[0], 2), (names[1], 1), (names[2], 1)]


def test_a_profile_that_no_slot_has_is_not_stored(client: httpx.Client, name: str):
    refused = client.post("/v1/profiles", json={"name": name, "points": [BLOB[0] | {"memory": 2.0}]})
    assert (refused.status_code, refused.json()["type"]) == (422, "invalid-profile")
    assert refused.json()["errors"][0]["pointer"] == "#/points"
    assert client.get(f"/v1/profiles/{name}").status_code == 404


def test_the_address_of_a_call_is_no_name(client: httpx.Client):
    refused = client.post("/v1/profiles", json={"name": "from-trials", "points": BLOB})
    assert refused.json()["errors"][0]["pointer"] == "#/name"
    assert client.get("/v1/profiles/from-trials").headers["Allow"] == "POST"


def steady(threads: int, rate: float, growth: float) -> dict[str, Any]:
    samples = [[float(at), 0.1 + growth * at] for at in range(0, 60, 10)]
    return {"threads": threads, "rate": rate, "samples": samples, "cpu": rate / 200, "memory": 0.2}


def test_a_profile_is_built_from_trials_with_its_evidence(client: httpx.Client, name: str):
    trials = [steady(1, 100.0, 0.0), steady(1, 110.0, 0.2), steady(4, 150.0, 0.0), steady(4, 160.0, 0.0)]
    built = client.post("/v1/profiles/from-trials", json={"name": name, "trials": trials})
    assert built.status_code == 201
    answer = built.json()
    assert [(point["threads"], point["peak_rate"]) for point in answer["points"]] == [(1, 100.0), (4, 160.0)]
    assert answer["evidence"][0]["smallest_unstable_rate"] == 110.0
    assert answer["evidence"][0]["verdicts"][1]["slope"] == pytest.approx(0.2)
    assert {gap["code"] for gap in answer["gaps"]} == {"peak-not-reached", "threads-not-tried"}
    assert client.get(f"/v1/profiles/{name}").json() == answer


def test_trials_without_a_stable_one_are_refused(client: httpx.Client, name: str):
    refused = client.post("/v1/profiles/from-trials", json={"name": name, "trials": [steady(1, 100.0, 1.0)]})
    assert (refused.status_code, refused.json()["type"]) == (422, "no-stable-point")
    assert (refused.json()["task"], refused.json()["smallest_rate"]) == (name, 100.0)
