"""Which snapshots are read: the newest that cover their window, and parts of windows where there are no others."""

from typing import Any

import httpx

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from tests.app.load.snapshots.test_routes import snapshot


def tell_basis(answer: dict[str, Any]) -> tuple[str, int, list[str]]:
    basis = answer["basis"]
    codes = [one["code"] for one in answer["diagnostics"] if "partial" in one["code"]]
    return basis["last_observed_at"][14:16], basis["snapshots"], codes


def test_part_of_a_window_is_no_basis_where_a_whole_one_is(client: httpx.Client, stored: str):
    """A log that ends within a minute: that minute is the newest, and nothing stands on it."""
    url = f"/v1/topologies/{stored}"
    parts = [snapshot(2, covered_seconds=56.9), snapshot(3, covered_seconds=2.0, external_rate=7.0)]
    sent = client.post(f"{url}/snapshots", json=[snapshot(1, covered_seconds=57.0), *parts])
    assert sent.status_code == 201
    single = client.post(f"{url}/estimate").json()
    assert tell_basis(single) == ("01", 1, ["partial-windows-skipped"])
    assert "2 of the snapshots since 2026-11-18T00:01:00" in single["diagnostics"][0]["detail"]
    body = {"k_max": 30, "smoothing": {"kind": "window", "size": 2}}
    plan = client.post(f"{url}/plans/min-latency", json=body).json()
    assert tell_basis(plan) == ("01", 2, ["partial-windows-skipped"])
    assert plan["external_rate"] == FPD_LOAD["external_rate"]
    gate = client.post(f"{url}/gate", json={"k_max": 30, "max_snapshot_age_seconds": 1e9}).json()
    assert tell_basis(gate) == ("01", 1, ["partial-windows-skipped"])
    client.post(f"{url}/snapshots", json=snapshot(3))
    assert tell_basis(client.post(f"{url}/estimate").json()) == ("03", 1, [])


def test_parts_of_windows_have_to_do_where_there_are_no_others(client: httpx.Client, name: str):
    """A short log has two parts: one of them, the larger; and that it is a part is said."""
    url = f"/v1/topologies/{name}"
    client.post("/v1/topologies", json=FPD | {"name": name})
    client.post(
        f"{url}/snapshots", json=[snapshot(1, covered_seconds=30.0), snapshot(2, covered_seconds=2.0)]
    )
    answer = client.post(f"{url}/estimate").json()
    assert tell_basis(answer) == ("01", 1, ["partial-windows-used"])
    assert "covers 30 s of 60 s" in answer["diagnostics"][0]["detail"]
    smoothed = client.post(f"{url}/estimate", json={"smoothing": {"kind": "window", "size": 6}}).json()
    assert tell_basis(smoothed) == ("02", 2, ["partial-windows-used"])
