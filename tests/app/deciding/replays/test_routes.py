"""Replays over HTTP: what a policy would have done over stored snapshots, beside what ran."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from tests.app.decision_calls import ENOUGH, RATES, START, at, decide, observe, put_policy

ECONOMIC: dict[str, Any] = {
    "goal": {"t_max_seconds": 0.1},
    "rule": "economic",
    "max_snapshot_age_seconds": 1e9,
}
DRS = {"goal": {"t_max_seconds": 0.1}, "cooldown_seconds": 120}
FEW = {"generator": 5, "detector": 12, "reporter": 3}


def replay(client: httpx.Client, name: str, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/v1/topologies/{name}/policy/replay", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def refuse(client: httpx.Client, name: str, **body: Any) -> tuple[int, str, str]:
    answer = client.post(f"/v1/topologies/{name}/policy/replay", json=body).json()
    return answer["status"], answer["type"], (answer.get("errors") or [answer])[0]["detail"]


def observe_step(client: httpx.Client, name: str) -> None:
    for minute in range(1, 21):
        rate = 320.0 if minute <= 10 else 500.0
        observe(client, name, minute, rate, ENOUGH, measured_sojourn_seconds=0.06 if minute <= 10 else 2.0)


def test_a_policy_is_replayed_beside_what_ran(client: httpx.Client, known: str):
    observe_step(client, known)
    put_policy(client, known, DRS)
    found = replay(client, known, policy=ECONOMIC)
    ran = found.pop("ran")
    assert (ran["minutes"], ran["late_share"], ran["changes"]) == (20.0, 0.5, 0)
    assert ran["processor_hours"] == pytest.approx(sum(ENOUGH.values()) * 20 / 60)
    assert ran["measured_late_share"] == 0.5
    assert found["minutes"] == 20.0
    assert found["late_share"] < 0.25
    assert found["processor_hours"] > ran["processor_hours"]
    assert 1 <= found["changes"] <= 2
    assert (found["change_pause_seconds"], found["undecided"]) == (20.0, 0)
    assert replay(client, known) != found, "the stored policy is another"
    assert client.get(f"/v1/topologies/{known}/decisions").json()["items"] == [], "nothing is stored"


@pytest.mark.parametrize("policy", [ECONOMIC, DRS | {"max_snapshot_age_seconds": 1e9}])
def test_its_first_decision_is_that_of_the_service(client: httpx.Client, known: str, policy: dict[str, Any]):
    for minute in range(1, 13):
        observe(client, known, minute, 320.0 + 10.0 * minute, FEW, measured_sojourn_seconds=0.2)
    made = decide(client, known, 11, policy=policy)
    assert made["action"] == "scale_up"
    found = replay(client, known, policy=policy, **{"from": at(10), "to": at(12)})
    total = made["processors"]["recommended_total"]
    assert found["processor_hours"] == pytest.approx((sum(FEW.values()) + total) / 60)
    assert found["changes"] == 1


def test_a_part_of_the_time_is_replayed(client: httpx.Client, known: str):
    observe_step(client, known)
    found = replay(client, known, policy=ECONOMIC, **{"from": at(2), "to": at(8)})
    assert (found["minutes"], found["late_share"], found["changes"]) == (6.0, 0.0, 0)


@pytest.mark.parametrize("goal", [{"k_max": 24}, {"beta": 0.5}])
def test_a_policy_without_a_target_has_no_late_share(client: httpx.Client, known: str, goal: dict[str, Any]):
    observe_step(client, known)
    found = replay(client, known, policy={"goal": goal})
    assert found["late_share"] is found["ran"]["late_share"] is found["ran"]["measured_late_share"] is None
    assert found["processor_hours"] > 0.0


def test_a_target_of_a_quantile_is_replayed(client: httpx.Client, known: str):
    observe(client, known, 1, 320.0, ENOUGH)
    goal = {"target": {"of": "total", "quantile": 0.9, "seconds": 0.001}}
    assert replay(client, known, policy={"goal": goal})["late_share"] == 1.0


def test_measured_waits_calibrate_a_replay(client: httpx.Client, known: str):
    for minute in range(1, 4):
        operators = {
            name: {"service_rate": mu, "processors": ENOUGH[name], "measured_wait_seconds": 0.5}
            for name, mu in RATES.items()
        }
        observe(client, known, minute, 320.0, ENOUGH, operators=operators)
    calibrated = replay(client, known, policy=ECONOMIC)["ran"]
    plain = replay(client, known, policy=ECONOMIC | {"calibrate": False})["ran"]
    assert calibrated["late_share"] > plain["late_share"] == 0.0


def test_what_cannot_be_replayed_says_what_to_change(client: httpx.Client, known: str):
    assert refuse(client, known, policy=ECONOMIC)[:2] == (409, "no-snapshot")
    assert refuse(client, known)[:2] == (409, "no-policy")
    observe_step(client, known)
    put_policy(client, known, ECONOMIC)
    assert "before" in refuse(client, known, **{"from": at(8), "to": at(8)})[2]
    assert "choose other times" in refuse(client, known, **{"from": at(30), "to": at(31)})[2]
    assert refuse(client, known, policy=ECONOMIC | {"bounds": {"stranger": {}}})[0] == 422
    assert refuse(client, "nobody", policy=ECONOMIC)[:2] == (404, "unknown-topology")


def test_more_decisions_than_one_call_computes_are_refused(client: httpx.Client, known: str):
    operators = {name: {"service_rate": mu, "processors": ENOUGH[name]} for name, mu in RATES.items()}
    sent = [
        {
            "observed_at": (START + timedelta(seconds=place)).isoformat(),
            "window_seconds": 1.0,
            "external_rate": 320.0,
            "operators": operators,
        }
        for place in range(1, 2_102)
    ]
    for some in (sent[:700], sent[700:1_400], sent[1_400:]):
        client.post(f"/v1/topologies/{known}/snapshots", json=some).raise_for_status()
    status, kind, detail = refuse(client, known, policy=ECONOMIC)
    assert (status, kind) == (422, "invalid-request")
    assert "2,101 snapshots" in detail
    assert "at most 2,000" in detail


def test_processors_that_were_not_measured_are_those_before(client: httpx.Client, known: str):
    operators = {name: {"service_rate": mu} for name, mu in RATES.items()}
    observe(client, known, 2, 320.0, ENOUGH, operators=operators)
    status, kind, detail = refuse(client, known, policy=ECONOMIC)
    assert (status, kind) == (409, "stored-data-unusable")
    assert "running processors of generator, detector, reporter" in detail
    observe(client, known, 1, 320.0, ENOUGH)
    for since in (at(0), at(1)):
        ran = replay(client, known, policy=ECONOMIC, **{"from": since})["ran"]
        assert ran["processor_hours"] == pytest.approx(sum(ENOUGH.values()) * ran["minutes"] / 60)
