"""The load of a stored call: the newest snapshot, or several smoothed."""

import httpx
import pytest

from tests.app.load.snapshots.test_routes import snapshot
from tests.app.processes import StartService


def test_the_newest_snapshot_counts(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}"
    client.post(f"{url}/snapshots", json=[snapshot(2, external_rate=100.0), snapshot(1, external_rate=200.0)])
    answer = client.post(f"{url}/estimate").json()
    assert answer["external_rate"] == 100.0
    assert answer["basis"]["last_observed_at"] == "2026-11-18T00:02:00Z"


def test_a_window_averages_and_says_where_it_is_short(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}"
    client.post(f"{url}/snapshots", json=[snapshot(1, external_rate=100.0), snapshot(2, external_rate=240.0)])
    two = client.post(f"{url}/estimate", json={"smoothing": {"kind": "window", "size": 2}}).json()
    assert two["external_rate"] == pytest.approx(170.0, rel=1e-12)
    assert two["basis"]["snapshots"] == 2
    many = client.post(f"{url}/estimate", json={"smoothing": {"kind": "window", "size": 6}}).json()
    assert many["external_rate"] == pytest.approx(220.0, rel=1e-12)
    assert "fewer-intervals" in [said["code"] for said in many["diagnostics"]]


def test_ewma_fades_the_past(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}"
    client.post(f"{url}/snapshots", json=[snapshot(1, external_rate=100.0), snapshot(2, external_rate=200.0)])
    answer = client.post(f"{url}/estimate", json={"smoothing": {"kind": "ewma", "alpha": 0.5}}).json()
    assert answer["external_rate"] == pytest.approx(0.5 * (0.5 * 320 + 0.5 * 100) + 0.5 * 200, rel=1e-12)


def test_an_ewma_that_remembers_more_than_may_be_read_is_refused_and_not_begun_in_the_middle(
    start_service: StartService, database_url: str, stored: str
):
    service = start_service(database_url=database_url, max_smoothing_snapshots="3")
    with httpx.Client(base_url=service.url, timeout=60) as client:
        url = f"/v1/topologies/{stored}"
        ewma = {"smoothing": {"kind": "ewma", "alpha": 0.5}}
        client.post(f"{url}/snapshots", json=[snapshot(1), snapshot(2)])
        assert client.post(f"{url}/estimate", json=ewma).status_code == 200
        client.post(f"{url}/snapshots", json=snapshot(3))
        refused = client.post(f"{url}/estimate", json=ewma)
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["pointer"] == "#/smoothing/alpha"
        short = {"smoothing": {"kind": "ewma", "alpha": 1e-5}}
        assert client.post(f"{url}/estimate", json=short).status_code == 200


def test_what_was_measured_at_operators_that_are_gone_is_left_out_and_said(client: httpx.Client, stored: str):
    smaller = {"name": stored, "operators": [{"name": "generator"}]}
    assert client.put(f"/v1/topologies/{stored}", json=smaller).status_code == 200
    answer = client.post(f"/v1/topologies/{stored}/estimate").json()
    assert [one["name"] for one in answer["operators"]] == ["generator"]
    gone = next(said for said in answer["diagnostics"] if said["code"] == "operator-not-in-topology")
    assert gone["operators"] == ["detector", "reporter"]


def test_a_snapshot_that_lacks_a_rate_is_a_conflict_with_what_is_stored(client: httpx.Client, stored: str):
    silent = snapshot(1) | {"operators": {"generator": {"service_rate": 80.0, "processors": 6}}}
    assert client.post(f"/v1/topologies/{stored}/snapshots", json=silent).status_code == 201
    refused = client.post(f"/v1/topologies/{stored}/estimate")
    assert (refused.status_code, refused.json()["type"]) == (409, "stored-data-unusable")
    assert "detector" in refused.json()["detail"]
    # Smoothing reaches back to the interval that has the rates.
    smoothed = client.post(
        f"/v1/topologies/{stored}/estimate", json={"smoothing": {"kind": "window", "size": 2}}
    )
    assert smoothed.status_code == 200
