"""/v1/topologies/{name}/what-if: one answer that equals the calls of its own, and stores nothing."""

from typing import Any

import httpx
import pytest


def ask(client: httpx.Client, name: str, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/v1/topologies/{name}/what-if", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.fixture
def running(client: httpx.Client, stored: str) -> str:
    """A topology with a snapshot that says what runs everywhere."""
    load = client.get(f"/v1/topologies/{stored}/snapshots").json()["items"][0]
    load = {key: value for key, value in load.items() if value is not None and key != "source"}
    load["operators"] = {
        "generator": {"service_rate": 80.0, "processors": 6},
        "detector": {"service_rate": 130.0, "processors": 13},
        "reporter": {"service_rate": 40.0, "processors": 3},
    }
    assert client.post(f"/v1/topologies/{stored}/snapshots", json=load).status_code == 201
    return stored


def test_the_answer_is_what_gate_plan_and_estimate_say(client: httpx.Client, running: str):
    found = ask(client, running, load_factor=1.1, t_max_seconds=0.2)
    url = f"/v1/topologies/{running}"
    gate = client.post(
        f"{url}/gate", json={"rate_factor": 1.1, "t_max_seconds": 0.2, "max_snapshot_age_seconds": 1e9}
    )
    gate_json = gate.json()
    for part in ("passed", "checks", "headroom_rate", "binding_operator"):
        assert found["gate"][part] == gate_json[part]
    assert found["current"]["expected_sojourn_seconds"] == gate_json["expected_sojourn_seconds"]
    totals = [point["processors_total"] for point in found["frontier"]]
    assert totals == list(range(totals[0], totals[-1] + 1))
    assert found["planned"]["processors_total"] in totals
    assert found["planned"]["expected_sojourn_seconds"] <= 0.2


def test_nothing_is_stored(client: httpx.Client, running: str):
    before = client.get(f"/v1/topologies/{running}/plans").json()
    ask(client, running, load_factor=2.0, k_max=60)
    assert client.get(f"/v1/topologies/{running}/plans").json() == before
    assert client.get(f"/v1/topologies/{running}/decisions").json()["items"] == []


def test_without_terms_the_policy_says_what_is_wanted(client: httpx.Client, running: str):
    assert ask(client, running)["planned"]["objective"] == "min-latency"
    policy = {"goal": {"t_max_seconds": 0.15, "k_max": 90}}
    assert client.put(f"/v1/topologies/{running}/policy", json=policy).is_success
    found = ask(client, running)
    assert (found["t_max_seconds"], found["k_max"]) == (0.15, 90)
    assert found["planned"]["objective"] == "min-processors"


@pytest.mark.parametrize("body", [{"load_factor": -1}, {"k_max": 0}, {"t_max": 1}, {"load_factor": "2"}])
def test_terms_that_make_no_sense_are_refused(client: httpx.Client, running: str, body: dict[str, Any]):
    assert client.post(f"/v1/topologies/{running}/what-if", json=body).status_code == 422
