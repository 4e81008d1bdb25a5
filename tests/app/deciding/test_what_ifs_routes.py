"""/v1/topologies/{name}/what-if: one answer that equals the calls of its own, and stores nothing."""

from typing import Any

import httpx
import pytest

from tests.app.pages.overview.test_routes import add, decide


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


def test_at_a_factor_of_1_the_load_is_that_of_a_decision_and_a_difference_has_its_reason(
    client: httpx.Client, name: str
):
    add(client, name, measured_sojourn_seconds=0.05)
    policy = {
        "goal": {"t_max_seconds": 0.2, "t_min_seconds": 0.01},
        "smoothing": {"kind": "window", "size": 3},
        "bounds": {"reporter": {"min_processors": 4}},
    }
    assert client.put(f"/v1/topologies/{name}/policy", json=policy).is_success
    decision, found = decide(client, name), ask(client, name)
    assert found["external_rate"] == decision["external_rate"]
    assert found["current"]["expected_sojourn_seconds"] == decision["current"]["expected_sojourn_seconds"]
    assert found["planned"]["processors"]["reporter"] == 4
    (why,) = [one for one in found["diagnostics"] if one["code"] == "differs-from-decision"]
    planned, kept = found["planned"]["processors_total"], decision["processors"]["recommended_total"]
    assert why["detail"] == (
        f"The {planned} processors planned here are the fewest for 318/s. The decision recommends {kept}: it is made "
        "for 319/s, the rate of the newest snapshot, and it takes processors away only where E[T] is below the "
        "policy's lower limit, and E[T] would gain too little."
    )
    for other in ({"load_factor": 1.1}, {"k_max": 30}):
        answer = ask(client, name, **other)
        (why,) = [one for one in answer["diagnostics"] if one["code"] == "differs-from-decision"]
        assert why["detail"].startswith(
            f"The decision recommends {kept} processors for a target of 200 ms at 319/s, the rate of the newest "
            "snapshot, and it takes processors away only where"
        )
    (why,) = [
        one
        for one in ask(client, name, t_max_seconds=0.25)["diagnostics"]
        if one["code"] == "differs-from-decision"
    ]
    assert why["detail"].endswith(
        "This what-if is for a target of 250 ms at 318/s: nothing else counts in it."
    )
    newest = ask(client, name, smoothing={"kind": "window", "size": 1})
    assert newest["external_rate"] != decision["external_rate"]
