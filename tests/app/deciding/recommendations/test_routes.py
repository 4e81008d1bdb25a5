"""Recommendations over HTTP: every stage in one call; a stage without data is left out with a reason."""

import math
from typing import Any

import httpx

from app.machines.profiles.schemas import AZURE_BLOB
from app.machines.vm_catalogues import AZURE_D_SIZES
from tests.app.decision_calls import ENOUGH, RATES, at

TARGET = {"goal": {"t_max_seconds": 0.1}, "cooldown_seconds": 600}
PLACEMENT = {"profiles": {"detector": AZURE_BLOB}, "vm_sizes": AZURE_D_SIZES}


def observe(client: httpx.Client, name: str, rates: list[float]) -> None:
    operators = {one: {"service_rate": mu, "processors": ENOUGH[one]} for one, mu in RATES.items()}
    snapshots = [
        {"observed_at": at(minute), "external_rate": rate, "operators": operators}
        for minute, rate in enumerate(rates)
    ]
    assert client.post(f"/v1/topologies/{name}/snapshots", json=snapshots).status_code == 201


def recommend(client: httpx.Client, name: str, minute: int, **body: Any) -> dict[str, Any]:
    answer = client.post(
        f"/v1/topologies/{name}/recommendation", json={"at": at(minute), "policy": TARGET} | body
    )
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def stages(answer: dict[str, Any]) -> dict[str, bool]:
    return {stage["name"]: stage["done"] for stage in answer["stages"]}


def test_a_forecast_rise_is_planned_placed_and_decided_for(client: httpx.Client, known: str):
    wave = [320.0 + 90.0 * math.sin(2.0 * math.pi * (i - 120) / 60.0) + 0.5 * (i % 7) for i in range(121)]
    observe(client, known, wave)
    state = {"key_groups": 128, "size_bytes": 1e6, "computing_bytes_per_second": [1e8]}
    policy = TARGET | {"states": {"detector": state}}
    answer = recommend(client, known, 121, placement=PLACEMENT, policy=policy)
    assert list(stages(answer)) == ["forecast", "processors", "placement", "moves", "decision"]
    assert all(stages(answer).values()), answer["stages"]
    forecast = answer["forecast"]
    assert forecast["steps"] == 10
    assert answer["planned_rate"] == forecast["upper_rate"] > 1.1 * wave[-1]
    decision = answer["decision"]
    assert decision["action"] == "scale_up"
    assert decision["reasons"][0]["code"] == "planned-ahead"
    assert decision["expected_sojourn_seconds"] <= 0.1
    assert decision["moving"]["migrations"]["detector"]["after"] > 13
    assert answer["placement"]["prediction"]["rate"] >= 0.0
    kept = client.get(f"/v1/topologies/{known}/decisions/latest").json()
    assert kept["id"] == decision["id"]
    assert kept["recommendation"] == {part: answer[part] for part in answer if part != "decision"}
    assert kept["recommendation"]["measured_rate"] == wave[-1]
    assert client.get(f"/v1/decisions/{decision['id']}").json() == kept
    # A decision alone has the same forecast; without a forecast it holds.
    alone, now = (
        client.post(
            f"/v1/topologies/{known}/decisions",
            json={"at": at(121), "policy": TARGET | {"look_ahead": wanted}},
        ).json()
        for wanted in (True, False)
    )
    assert alone["processors"]["recommended"] == decision["processors"]["recommended"]
    assert alone["look_ahead"]["upper_rate"] == forecast["upper_rate"]
    assert (now["action"], now["look_ahead"]) == ("hold", None)


def test_stages_without_data_are_left_out_with_a_reason(client: httpx.Client, known: str):
    observe(client, known, [320.0] * 3)
    answer = recommend(client, known, 3)
    assert stages(answer) == {
        "forecast": False,
        "processors": True,
        "placement": False,
        "moves": False,
        "decision": True,
    }
    assert all(stage["detail"] for stage in answer["stages"])
    assert (answer["forecast"], answer["placement"]) == (None, None)
    assert answer["planned_rate"] == 320.0
    not_asked = recommend(client, known, 3, forecast=None)
    assert "Not asked" in not_asked["stages"][0]["detail"]
    nowhere = recommend(client, known, 3, placement={"vm_sizes": []})
    assert (stages(nowhere)["placement"], nowhere["decision"]["action"]) == (False, "hold")


def test_a_recommendation_refuses_what_a_decision_refuses(client: httpx.Client, known: str):
    url = f"/v1/topologies/{known}/recommendation"
    for body, status, kind in (
        ({}, 409, "no-policy"),
        ({"policy": TARGET}, 409, "no-snapshot"),
    ):
        refused = client.post(url, json=body)
        assert (refused.status_code, refused.json()["type"]) == (status, kind)
    observe(client, known, [320.0])
    stale = client.post(url, json={"policy": TARGET, "at": at(60)})
    assert (stale.status_code, stale.json()["type"]) == (409, "stale-snapshots")
