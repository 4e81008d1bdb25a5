"""Throughput samples of a topology: stored once, modelled, and scheduled by."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from app.described.load import FPD_LOAD
from tests.app.forecasts.test_routes import make_body, read_rows

BEGAN = datetime(2026, 11, 1, tzinfo=UTC)


def grep_samples() -> list[dict[str, Any]]:
    rows = [row for row in read_rows("mst_samples.csv") if row["app"] == "grep"]
    throughputs = [(int(row["m"]), float(row[str(i)])) for row in rows for i in range(1, 7)]
    return [
        {"observed_at": (BEGAN + timedelta(hours=i)).isoformat(), "vms": vms, "throughput": throughput}
        for i, (vms, throughput) in enumerate(throughputs)
    ]


@pytest.fixture
def measured(client: httpx.Client, stored: str) -> str:
    """A topology with grep's samples and 400 minutes of the week."""
    assert client.post(f"/v1/topologies/{stored}/mst-samples", json=grep_samples()).status_code == 201
    snapshots = [
        FPD_LOAD
        | {
            "observed_at": (BEGAN + timedelta(minutes=i)).isoformat(),
            "external_rate": point["rate"],
        }
        for i, point in enumerate(make_body(400)["workload"])
    ]
    # The snapshot that `stored` brings lies weeks later: one topology has one workload.
    fresh = f"{stored}-fresh"
    topology = client.get(f"/v1/topologies/{stored}").json()
    definition = {key: topology[key] for key in ("operators", "edges", "entries")} | {"name": fresh}
    assert client.post("/v1/topologies", json=definition).status_code == 201
    assert client.post(f"/v1/topologies/{fresh}/mst-samples", json=grep_samples()).status_code == 201
    assert client.post(f"/v1/topologies/{fresh}/snapshots", json=snapshots).status_code == 201
    return fresh


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


def test_the_model_shows_its_fit_its_samples_and_where_it_is_trusted(client: httpx.Client, measured: str):
    shown = client.get(f"/v1/topologies/{measured}/mst-model", params={"max_vms": 120}).json()
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


def test_what_is_stored_is_scheduled_as_what_is_sent(client: httpx.Client, measured: str):
    asked = {"policy": "mst+ua+ol;arma", "horizon": 2}
    answer = client.post(f"/v1/topologies/{measured}/forecasts/vms", json=asked)
    assert answer.status_code == 200, answer.text
    described = client.post("/v1/forecasts/vms", json=make_body(400, **asked)).json()
    numbers = ("vms", "expected_rate", "covered_rate", "probability")
    for ours, theirs in zip(answer.json()["intervals"], described["intervals"], strict=True):
        assert [ours[name] for name in numbers] == pytest.approx([theirs[name] for name in numbers])


def test_seconds_become_whole_steps(client: httpx.Client, measured: str):
    body = {"policy": "mst", "interval_seconds": 290.0, "startup_seconds": 61.0}
    (interval,) = client.post(f"/v1/topologies/{measured}/forecasts/vms", json=body).json()["intervals"]
    begins, ends = (datetime.fromisoformat(interval[key]) for key in ("from", "to"))
    # The last minute begins at 399; a start of 61 s takes two steps, an interval of 290 s five.
    assert begins == BEGAN + timedelta(minutes=401)
    assert ends - begins == timedelta(minutes=5)


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


@pytest.mark.parametrize("policy", ["mst+ua;arma", "headgate"])
def test_hours_among_the_minutes_change_no_forecast(client: httpx.Client, measured: str, policy: str):
    """An hour's mean lies between minutes, at another distance and another level: it is no step of their series."""
    address = f"/v1/topologies/{measured}/forecasts/vms"
    before = client.post(address, json={"policy": policy}).json()
    hours = [
        FPD_LOAD
        | {
            "observed_at": (BEGAN + timedelta(minutes=60 * i, seconds=30)).isoformat(),
            "window_seconds": 3600.0,
            "external_rate": 1e4,
        }
        for i in range(6)
    ]
    assert client.post(f"/v1/topologies/{measured}/snapshots", json=hours).status_code == 201
    assert client.post(address, json={"policy": policy}).json() == before


def test_one_snapshot_alone_is_as_long_as_its_window(client: httpx.Client, stored: str):
    client.post(f"/v1/topologies/{stored}/mst-samples", json=grep_samples())
    newest = client.get(f"/v1/topologies/{stored}/snapshots").json()["items"][-1]
    answer = client.post(f"/v1/topologies/{stored}/forecasts/vms", json={"policy": "mst"})
    assert answer.status_code == 200, answer.text
    (interval,) = answer.json()["intervals"]
    ended = datetime.fromisoformat(newest["observed_at"]) + timedelta(seconds=newest["window_seconds"])
    steps = -(-120 // newest["window_seconds"])
    begins = ended + timedelta(seconds=newest["window_seconds"] * (steps - 1))
    assert datetime.fromisoformat(interval["from"]) == begins


def test_snapshots_further_apart_than_an_interval_still_make_a_schedule(client: httpx.Client, stored: str):
    half_hour = FPD_LOAD | {"observed_at": "2026-11-18T01:00:00Z", "window_seconds": 1800}
    assert client.post(f"/v1/topologies/{stored}/snapshots", json=half_hour).status_code == 201
    client.post(f"/v1/topologies/{stored}/mst-samples", json=grep_samples())
    address = f"/v1/topologies/{stored}/forecasts/vms"
    answer = client.post(address, json={"policy": "mst"})
    assert answer.status_code == 200, answer.text
    (interval,) = answer.json()["intervals"]
    lasts = datetime.fromisoformat(interval["to"]) - datetime.fromisoformat(interval["from"])
    assert lasts == timedelta(hours=1)
    said = {one["code"] for one in answer.json()["diagnostics"]}
    assert said >= {"interval-lengthened", "old-snapshots"}
    never = client.post(address, json={"policy": "mst", "interval_seconds": 60})
    assert (never.status_code, never.json()["type"]) == (422, "invalid-schedule"), never.text
