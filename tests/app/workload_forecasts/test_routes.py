"""Where a workload goes, of a posted one and of a stored topology's."""

from datetime import UTC, datetime
from itertools import pairwise

import httpx
import pytest

from tests.app.snapshots.test_routes import snapshot


def posted_workload(client: httpx.Client, name: str) -> list[dict[str, object]]:
    stored = client.get(f"/v1/topologies/{name}/snapshots?limit=1000").json()["items"]
    return [
        {"at": one["observed_at"], "rate": one["external_rate"]}
        for one in stored
        if one["window_seconds"] == 60
    ]


def test_stored_and_stateless_forecasts_agree(client: httpx.Client, measured: str):
    choice = {"steps": 12, "level": 0.9, "window_steps": 80, "history_steps": 7}
    stored = client.get(f"/v1/topologies/{measured}/forecasts/workload", params=choice)
    assert stored.status_code == 200, stored.text
    body = choice | {"workload": posted_workload(client, measured)}
    described = client.post("/v1/forecasts/workload", json=body).json()
    assert described | {"diagnostics": []} == stored.json() | {"diagnostics": []}
    assert described["diagnostics"] == stored.json()["diagnostics"][1:]
    assert stored.json()["diagnostics"][0]["code"] == "old-snapshots"


def test_the_forecast_goes_on_where_the_measurements_end(client: httpx.Client, measured: str):
    found = client.get(f"/v1/topologies/{measured}/forecasts/workload?steps=5").json()
    times = [datetime.fromisoformat(one["at"]) for one in found["measured"] + found["expected"]]
    assert {(b - a).total_seconds() for a, b in pairwise(times)} == {60.0}
    assert times[0] == datetime(2026, 11, 18, tzinfo=UTC)
    assert found["model"]["kind"] == "arma"
    for one in found["expected"]:
        assert 0 <= one["lower"] < one["rate"] < one["upper"]


def test_a_step_that_was_filled_in_is_not_said_to_be_measured(client: httpx.Client, measured: str):
    workload = posted_workload(client, measured)
    workload[-3] |= {"rate": None}
    body = {"workload": workload, "history_steps": 5}
    found = client.post("/v1/forecasts/workload", json=body).json()
    assert [one["filled"] for one in found["measured"]] == [False, False, True, False, False]
    assert found["measured"][2]["rate"] == pytest.approx(
        (found["measured"][1]["rate"] + found["measured"][3]["rate"]) / 2
    )
    picture = client.post("/v1/forecasts/workload", json=body, headers={"Accept": "image/svg+xml"})
    assert picture.status_code == 200


def test_the_newest_window_decides_which_snapshots_are_the_series(client: httpx.Client, measured: str):
    before = client.get(f"/v1/topologies/{measured}/forecasts/workload").json()
    old_hour = snapshot(0, observed_at="2026-11-17T00:00:00Z", window_seconds=3600, external_rate=1e6)
    client.post(f"/v1/topologies/{measured}/snapshots", json=old_hour)
    assert client.get(f"/v1/topologies/{measured}/forecasts/workload").json() == before


@pytest.mark.parametrize(
    ("choice", "status", "kind"),
    [
        ({"level": 1.0}, 422, "invalid-request"),
        ({"steps": 0}, 422, "invalid-request"),
        ({"window_steps": 121}, 409, "stored-data-unusable"),
    ],
)
def test_what_cannot_be_forecast_says_why(
    client: httpx.Client, measured: str, choice: dict[str, float], status: int, kind: str
):
    refused = client.get(f"/v1/topologies/{measured}/forecasts/workload", params=choice)
    assert (refused.status_code, refused.json()["type"]) == (status, kind)


def test_a_topology_without_snapshots_has_no_forecast(client: httpx.Client, name: str):
    missing = client.get(f"/v1/topologies/{name}/forecasts/workload")
    assert (missing.status_code, missing.json()["type"]) == (404, "unknown-topology")
