"""Throughput samples of a topology over HTTP: stored once, listed, and modelled."""

from typing import Any

import httpx
import pytest

from tests.app.series_examples import BEGAN, grep_samples


def test_the_same_sample_again_replaces_and_never_doubles(client: httpx.Client, stored: str):
    address, samples = f"/v1/topologies/{stored}/mst-samples", grep_samples()
    assert client.post(address, json=samples).json() == {"stored": 102, "replaced": 0}
    assert client.post(address, json=samples[0] | {"throughput": 9.0}).json() == {"stored": 0, "replaced": 1}
    first = client.get(address, params={"limit": 1}).json()["items"][0]
    assert (first["vms"], first["throughput"], first["saturated"]) == (1, 9.0, True)


def test_pages_hold_every_sample_once(client: httpx.Client, stored: str):
    address = f"/v1/topologies/{stored}/mst-samples"
    client.post(address, json=grep_samples())
    seen, url = [], f"{address}?limit=25"
    while url:
        page = client.get(url).json()
        seen += page["items"]
        url = page["next"]
    assert [one["throughput"] for one in seen] == [one["throughput"] for one in grep_samples()]


def test_one_sample_twice_in_a_list_stores_none(client: httpx.Client, stored: str):
    address, samples = f"/v1/topologies/{stored}/mst-samples", grep_samples()
    refused = client.post(address, json=[*samples, samples[7]])
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["pointer"] == "#/102"
    assert client.get(address).json()["items"] == []


@pytest.mark.parametrize(
    "change", [{"throughput": 0.0}, {"throughput": -1.0}, {"vms": 0}, {"observed_at": None}]
)
def test_a_sample_that_cannot_be_is_refused(client: httpx.Client, stored: str, change: dict[str, Any]):
    refused = client.post(f"/v1/topologies/{stored}/mst-samples", json=grep_samples()[0] | change)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["pointer"] == f"#/{next(iter(change))}"


def test_the_model_shows_its_fit_its_samples_and_where_it_is_trusted(client: httpx.Client, grep_week: str):
    shown = client.get(f"/v1/topologies/{grep_week}/mst-model", params={"max_vms": 120}).json()
    assert shown["model"]["samples"] == 102
    assert (shown["model"]["fewest_vms"], shown["model"]["most_vms"]) == (1, 128)
    curve = [point["throughput"] for point in shown["curve"]]
    assert curve == sorted(curve)
    assert len(curve) == shown["model"]["peak_vms"]
    assert all(r["residual"] == pytest.approx(r["throughput"] - r["fitted"]) for r in shown["residuals"])


def test_a_topology_without_samples_or_snapshots_says_what_it_lacks(client: httpx.Client, stored: str):
    refused = client.get(f"/v1/topologies/{stored}/mst-model")
    assert (refused.status_code, refused.json()["type"]) == (409, "stored-data-unusable")
    assert "at least 5 samples" in refused.json()["detail"]
    assert refused.json()["detail"].endswith("/mst-samples.")
    assert "NAME" not in refused.json()["detail"]
    assert client.post(f"/v1/topologies/{stored}/forecasts/vms").status_code == 409
    unknown = client.post("/v1/topologies/nothing-here/forecasts/vms")
    assert (unknown.status_code, unknown.json()["type"]) == (404, "unknown-topology")


READINGS = [10.0, 50.0, 100.0, 101.0, 120.0, 121.0, 122.0, 123.0, 500.0]


def sample_of(readings: list[float], **rule: float) -> dict[str, Any]:
    return {
        "observed_at": BEGAN.isoformat(),
        "vms": 3,
        "readings": readings,
        **({"convergence": rule} if rule else {}),
    }


@pytest.mark.parametrize(
    ("rule", "settled"),
    [
        # 101, 121, 122 and 123 follow a reading within 5% of them; 500 came after they had settled.
        ({}, (101 + 120 + 121 + 122 + 123) / 5),
        ({"k": 2, "n": 2}, (121 + 122) / 2),
        ({"k": 1, "n": 2, "tolerance": 0.02}, (100 + 101) / 2),
        ({"k": 3, "n": 3, "tolerance": 0.2}, (101 + 120 + 121) / 3),
    ],
)
def test_readings_are_stored_as_what_they_settle_at(
    client: httpx.Client, stored: str, rule: dict[str, float], settled: float
):
    address = f"/v1/topologies/{stored}/mst-samples"
    assert client.post(address, json=sample_of(READINGS, **rule)).status_code == 201
    (kept,) = client.get(address).json()["items"]
    assert kept["throughput"] == pytest.approx(settled, rel=1e-12)


def test_readings_that_have_not_settled_say_so_and_nothing_is_stored(client: httpx.Client, stored: str):
    address = f"/v1/topologies/{stored}/mst-samples"
    refused = client.post(address, json=[grep_samples()[7], sample_of(READINGS[:7])])
    problem = refused.json()
    assert (refused.status_code, problem["type"]) == (422, "throughput-not-converged")
    assert problem["errors"][0]["pointer"] == "#/1/readings"
    assert [problem[name] for name in ("readings", "k", "n", "tolerance")] == [7, 4, 5, 0.05]
    alone = client.post(address, json=sample_of(READINGS[:7]))
    assert alone.json()["errors"][0]["pointer"] == "#/readings"
    assert client.get(address).json()["items"] == []


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"throughput": 9.0}, "#"),
        ({"readings": None}, "#"),
        ({"readings": []}, "#/readings"),
        ({"readings": [1.0, -1.0]}, "#/readings/1"),
        ({"readings": [0.0] * 6}, "#/readings"),
        ({"convergence": {"k": 6, "n": 5}}, "#/convergence"),
        ({"convergence": {"k": 0}}, "#/convergence/k"),
        ({"convergence": {"tolerance": 1.0}}, "#/convergence/tolerance"),
    ],
)
def test_readings_that_cannot_be_are_refused(
    client: httpx.Client, stored: str, change: dict[str, Any], pointer: str
):
    refused = client.post(f"/v1/topologies/{stored}/mst-samples", json=sample_of(READINGS) | change)
    assert (refused.status_code, refused.json()["type"]) == (422, "invalid-request")
    assert refused.json()["errors"][0]["pointer"] == pointer


def test_a_throughput_that_is_left_out_is_asked_for(client: httpx.Client, stored: str):
    refused = client.post(
        f"/v1/topologies/{stored}/mst-samples", json={"observed_at": BEGAN.isoformat(), "vms": 3}
    )
    assert refused.status_code == 422
    assert "`throughput`" in refused.text
