"""Estimates and plans of stored topologies, under what was measured."""

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from app.described.load import FPD_LOAD
from app.described.topology import FPD
from tests.app.processes import StartService
from tests.app.snapshots.test_routes import snapshot

SPLIT = {"k_max": 22}


def expect(client: httpx.Client, call: str, **body: Any) -> dict[str, Any]:
    """What the stateless call answers to the example's topology."""
    answer = client.post(f"/v1/{call}", json={"topology": FPD, "load": FPD_LOAD} | body)
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


COMPUTED = ("expected_sojourn_seconds", "operators", "processors_total", "stable", "model")


@pytest.mark.parametrize(
    ("call", "body"),
    [
        ("estimate", {}),
        ("estimate", {"processors": {"generator": 9, "detector": 20, "reporter": 4}, "model": "mmk"}),
        ("plans/min-latency", SPLIT),
        ("plans/min-processors", {"t_max_seconds": 0.08, "model": "ggk"}),
        ("plans/tradeoff", {"beta": 0.3}),
        ("plans/proportional", {"tolerance": 0.05, "capacities": {"detector": 1.5}}),
    ],
)
def test_stored_and_stateless_calls_agree(client: httpx.Client, stored: str, call: str, body: dict[str, Any]):
    of_stored = client.post(f"/v1/topologies/{stored}/{call}", json=body)
    assert of_stored.status_code == 200
    of_body = expect(client, call, **body)
    assert {key: of_stored.json()[key] for key in COMPUTED} == {key: of_body[key] for key in COMPUTED}
    assert of_stored.json()["basis"]["snapshots"] == 1


@pytest.mark.parametrize(("call", "body"), [("estimate", {}), ("plans/min-latency", SPLIT)])
def test_old_measurements_answer_and_their_age_is_said(
    client: httpx.Client, stored: str, call: str, body: dict[str, Any]
):
    url = f"/v1/topologies/{stored}"
    old = client.post(f"{url}/{call}", json=body)
    assert old.status_code == 200
    said = next(one for one in old.json()["diagnostics"] if one["code"] == "old-snapshots")
    assert "900 s" in said["detail"]
    client.post(f"{url}/snapshots", json=snapshot(0, observed_at=datetime.now(UTC).isoformat()))
    new = client.post(f"{url}/{call}", json=body).json()
    assert "old-snapshots" not in [one["code"] for one in new["diagnostics"]]


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


def test_a_plan_is_kept_as_it_was_answered(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}/plans"
    made = [client.post(f"{url}/min-latency", json={"k_max": k_max}) for k_max in (20, 21, 22)]
    plans = [answer.json() for answer in made]
    assert client.get(made[0].headers["Content-Location"]).json() == plans[0]
    first = client.get(f"{url}?limit=2").json()
    second = client.get(first["next"]).json()
    assert [item["id"] for item in first["items"] + second["items"]] == [
        plan["id"] for plan in reversed(plans)
    ]
    assert first["items"][0]["processors"] == plans[2]["processors"]
    assert second["next"] is None


def test_without_a_snapshot_there_is_no_plan(client: httpx.Client, name: str):
    client.post("/v1/topologies", json=FPD | {"name": name})
    for call, body in (("estimate", {}), ("plans/min-latency", SPLIT)):
        refused = client.post(f"/v1/topologies/{name}/{call}", json=body)
        assert (refused.status_code, refused.json()["type"]) == (409, "no-snapshot")
    assert client.get(f"/v1/topologies/{name}/plans").json() == {"items": [], "next": None}


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


def test_a_refused_plan_is_not_stored(client: httpx.Client, stored: str):
    short = client.post(f"/v1/topologies/{stored}/plans/min-latency", json={"k_max": 3})
    assert (short.status_code, short.json()["type"]) == (422, "budget-too-small")
    assert short.json()["needed"] == 18
    assert short.json()["per_operator"] == {"generator": 5, "detector": 11, "reporter": 2}
    never = client.post(f"/v1/topologies/{stored}/plans/min-processors", json={"t_max_seconds": 0.01})
    assert (never.status_code, never.json()["type"]) == (422, "target-unreachable")
    lower_bound = 1 / 80 + 1422.2 / 320 / 130 + 71.111111111111 / 320 / 40
    assert never.json()["lower_bound_seconds"] == pytest.approx(lower_bound, rel=1e-9)
    assert client.get(f"/v1/topologies/{stored}/plans").json()["items"] == []


def test_an_unknown_plan_is_404(client: httpx.Client):
    missing = client.get("/v1/plans/00000000-0000-4000-8000-000000000000")
    assert (missing.status_code, missing.json()["type"]) == (404, "unknown-plan")
    assert client.get("/v1/plans/seven").status_code == 404


def test_processors_of_a_stranger_are_pointed_to_in_the_request(client: httpx.Client, stored: str):
    refused = client.post(f"/v1/topologies/{stored}/estimate", json={"processors": {"b/c": 1}})
    assert (refused.status_code, refused.json()["type"]) == (422, "invalid-allocation")
    assert refused.json()["errors"][0]["pointer"] == "#/processors/b~1c"


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
    assert "Left out 2 of the snapshots since 2026-11-18T00:01:00" in single["diagnostics"][0]["detail"]
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
    assert "covers 30 of 60 s" in answer["diagnostics"][0]["detail"]
    smoothed = client.post(f"{url}/estimate", json={"smoothing": {"kind": "window", "size": 6}}).json()
    assert tell_basis(smoothed) == ("02", 2, ["partial-windows-used"])
