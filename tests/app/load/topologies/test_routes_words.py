"""What owners say of operators is stored, and every answer about them uses it."""

from datetime import UTC, datetime
from typing import Any

import httpx

LOOKUP = {
    "name": "lookup",
    "queueing": "round-robin",
    "capacity_rate": 100.0,
    "concurrency": 10,
    "delay_seconds": 0.5,
}


def test_a_plan_over_http_follows_bent_capacity(client: httpx.Client) -> None:
    body: dict[str, Any] = {
        "topology": {"operators": [{"name": "a", "scaling": {"kind": "usl", "sigma": 0.02, "kappa": 0.004}}]},
        "load": {"external_rate": 70.0, "operators": {"a": {"service_rate": 10.0, "processors": 1}}},
        "k_max": 100,
    }
    plan = client.post("/v1/plans/min-latency", json=body)
    assert plan.status_code == 200, plan.text
    found = plan.json()
    assert found["processors"]["a"] <= 16
    assert "capacity-bends" in [one["code"] for one in found["diagnostics"]]
    refused = client.post(
        "/v1/plans/min-latency", json=body | {"load": {**body["load"], "external_rate": 200.0}}
    )
    assert refused.status_code == 422
    assert "slow each other down" in refused.json()["detail"]


def test_words_are_stored_and_in_every_answer(client: httpx.Client) -> None:
    """Ten calls of 100 ms at a time and a timer of 500 ms, of which the engine measures 0.09 ms of busy time."""
    created = client.post("/v1/topologies", json={"name": "calls", "operators": [LOOKUP]})
    assert created.status_code == 201, created.text
    [stored] = client.get("/v1/topologies/calls").json()["operators"]
    assert {field: stored[field] for field in LOOKUP} == LOOKUP
    snapshot = {
        "observed_at": datetime.now(UTC).isoformat(),
        "window_seconds": 1,
        "external_rate": 250.0,
        "operators": {"lookup": {"service_rate": 11_000.0, "processors": 4}},
    }
    assert client.post("/v1/topologies/calls/snapshots", json=snapshot).status_code == 201

    def ask(path: str, **body: object) -> dict[str, Any]:
        answer = client.post(f"/v1/topologies/calls/{path}", json=body)
        assert answer.is_success, answer.text
        found: dict[str, Any] = answer.json()
        return found

    estimate = ask("estimate")
    [one] = estimate["operators"]
    assert (one["service_rate"], one["concurrency"], one["delay_seconds"]) == (100.0, 10, 0.5)
    assert one["utilisation"] == 250.0 / 400.0
    assert one["sojourn_seconds"] == one["wait_seconds"] + 0.6
    assert ask("plans/min-processors", t_max_seconds=0.7)["processors"] == {"lookup": 3}
    assert ask("gate", t_max_seconds=0.7)["passed"] is True
    assert ask("gate", t_max_seconds=0.59)["passed"] is False
    what_if = ask("what-if", t_max_seconds=0.7)
    assert what_if["planned"]["processors"] == {"lookup": 3}
    goal = {"t_max_seconds": 0.7, "t_min_seconds": 0.65}
    assert client.put("/v1/topologies/calls/policy", json={"goal": goal}).is_success
    decision = ask("decisions", store=False)
    assert decision["processors"]["recommended"] == {"lookup": 3}
    simulated = ask("simulations", roots=20_000)
    assert abs(simulated["total"]["mean_seconds"] - one["sojourn_seconds"]) < 0.02
