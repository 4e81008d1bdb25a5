"""Stored waits calibrate stored calls: which snapshots, from when to when, and how to switch it off."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from app.load.bodies.load import FPD_LOAD, FPD_MEASURED
from app.load.bodies.topology import FPD
from app.load.measurements.snapshots import MOST_INTERVALS, MOST_SHAPED, count_shaped
from tests.app.load.snapshots.test_routes import START, snapshot

WAITED = 0.02


def wait(minute: float, seconds: float | None = WAITED, **changes: Any) -> dict[str, Any]:
    """A snapshot in which tuples waited so long at one operator."""
    reporter = {"service_rate": 40.0, "processors": 3, "measured_wait_seconds": seconds}
    at = (START + timedelta(minutes=minute)).isoformat()
    return FPD_LOAD | {"observed_at": at, "operators": FPD_MEASURED | {"reporter": reporter}} | changes


def post(client: httpx.Client, name: str, *snapshots: dict[str, Any]) -> None:
    assert client.post(f"/v1/topologies/{name}/snapshots", json=list(snapshots)).status_code == 201


def show(client: httpx.Client, name: str, **body: Any) -> list[dict[str, Any]] | None:
    """What the reporter's waits were calibrated by."""
    answer = client.post(f"/v1/topologies/{name}/estimate", json=body).json()
    return answer["calibration"] and [one for one in answer["calibration"] if one["operator"] == "reporter"]


def test_the_newest_snapshots_of_a_day_calibrate(client: httpx.Client, stored: str):
    assert show(client, stored) is None
    post(client, stored, *[wait(minute) for minute in (1, 2, 3)], wait(-24 * 60), snapshot(4), wait(5))
    (one,) = show(client, stored) or []
    assert (one["intervals"], one["first_observed_at"], one["last_observed_at"]) == (
        4,
        "2026-11-18T00:01:00Z",
        "2026-11-18T00:05:00Z",
    )
    assert 1.0 < one["factor"] < one["measured_over_modelled"]
    assert show(client, stored, calibrate=False) is None
    # Where the load itself has no measured wait, older ones are left alone.
    post(client, stored, snapshot(6))
    assert show(client, stored) is None
    assert show(client, stored, smoothing={"kind": "window", "size": 2}) is not None


def test_at_most_so_many_and_only_whole_windows(client: httpx.Client, stored: str):
    post(client, stored, *[wait(minute) for minute in range(1, MOST_INTERVALS + 4)])
    part = wait(MOST_INTERVALS + 4, 5.0, covered_seconds=20.0)
    post(client, stored, part)
    (one,) = show(client, stored) or []
    assert (one["intervals"], one["first_observed_at"]) == (MOST_INTERVALS, "2026-11-18T00:04:00Z")


def test_a_new_revision_begins_anew_with_the_snapshots_of_the_load(client: httpx.Client, stored: str):
    post(client, stored, wait(1), wait(2))
    changed = FPD | {"name": stored, "queueing": "random"}
    assert client.put(f"/v1/topologies/{stored}", json=changed).status_code == 200
    (one,) = show(client, stored) or []
    assert (one["intervals"], one["first_observed_at"]) == (1, "2026-11-18T00:02:00Z")
    post(client, stored, wait(3))
    (one,) = show(client, stored) or []
    assert (one["intervals"], one["first_observed_at"]) == (1, "2026-11-18T00:03:00Z")


def test_only_what_ended_by_then_calibrates_a_decision(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}"
    post(client, stored, wait(1), wait(2), wait(3))
    policy = {"goal": {"t_max_seconds": 0.5}, "max_snapshot_age_seconds": 1e9}
    body = {"at": (START + timedelta(minutes=3)).isoformat(), "policy": policy}
    decision = client.post(f"{url}/decisions", json=body).json()
    shown = {one["operator"]: one for one in decision["current"]["calibration"]}
    assert shown["reporter"]["last_observed_at"] == "2026-11-18T00:02:00Z"
    assert "waits-calibrated" in [said["code"] for said in decision["diagnostics"]]
    off = client.post(f"{url}/decisions", json=body | {"policy": policy | {"calibrate": False}}).json()
    assert off["current"]["calibration"] is None


@pytest.mark.parametrize("route", ["plans/min-latency", "gate"])
def test_plans_and_gates_show_it(client: httpx.Client, stored: str, route: str):
    post(client, stored, wait(1))
    body = {"k_max": 22} | ({"max_snapshot_age_seconds": 1e9} if route == "gate" else {})
    answer = client.post(f"/v1/topologies/{stored}/{route}", json=body)
    assert "waits-calibrated" in [said["code"] for said in answer.json()["diagnostics"]]
    assert {one["operator"] for one in answer.json()["calibration"]} >= {"reporter"}


def test_the_wait_alone_is_multiplied(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}/estimate"
    post(client, stored, wait(1))
    plain, calibrated = (client.post(url, json={"calibrate": one}).json() for one in (False, True))
    (shown,) = calibrated["calibration"]
    for before, after in zip(plain["operators"], calibrated["operators"], strict=True):
        factor = shown["factor"] if before["name"] == "reporter" else 1.0
        assert after["wait_seconds"] == pytest.approx(factor * before["wait_seconds"], rel=1e-9)
        assert after["sojourn_seconds"] - after["wait_seconds"] == pytest.approx(
            before["sojourn_seconds"] - before["wait_seconds"], rel=1e-9
        )
    assert calibrated["expected_sojourn_seconds"] > plain["expected_sojourn_seconds"]


def test_bursts_and_instances_are_read_of_so_many_snapshots_as_are_quick():
    assert [count_shaped(operators) for operators in (1, 10, 100, 10_000)] == [MOST_SHAPED, 12, 1, 1]
