"""Estimates and plans of stored topologies, under what was measured."""

from typing import Any

import httpx
import pytest

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD

SPLIT = {"k_max": 22}
COMPUTED = ("expected_sojourn_seconds", "operators", "processors_total", "stable", "model")


def expect(client: httpx.Client, call: str, **body: Any) -> dict[str, Any]:
    """What the stateless call answers to the example's topology."""
    answer = client.post(f"/v1/{call}", json={"topology": FPD, "load": FPD_LOAD} | body)
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


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
    assert of_stored.status_code == (200 if call == "estimate" else 201)
    of_body = expect(client, call, **body)
    assert {key: of_stored.json()[key] for key in COMPUTED} == {key: of_body[key] for key in COMPUTED}
    assert of_stored.json()["basis"]["snapshots"] == 1


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
