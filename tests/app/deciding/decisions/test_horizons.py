"""Decisions that weigh a change: one that pays back after the next change is held, and the reason says so."""

import math
from collections.abc import Sequence
from typing import Any

import httpx

from tests.app.decision_calls import RATES, at

LOPSIDED = {"generator": 8, "detector": 12, "reporter": 6}


def decide(client: httpx.Client, name: str, rates: Sequence[float], **policy: Any) -> dict[str, Any]:
    """A decision on one snapshot a minute; `size_bytes` is the size of the detector's state."""
    operators = {one: {"service_rate": mu, "processors": LOPSIDED[one]} for one, mu in RATES.items()}
    snapshots = [
        {"observed_at": at(minute), "external_rate": rate, "operators": operators}
        for minute, rate in enumerate(rates)
    ]
    assert client.post(f"/v1/topologies/{name}/snapshots", json=snapshots).status_code == 201
    state = {
        "key_groups": 128,
        "size_bytes": policy.pop("size_bytes"),
        "computing_bytes_per_second": [1e8],
        "bandwidth_bytes_per_second": [1.25e7],
    }
    terms = {"goal": {"k_max": 26}, "cooldown_seconds": 0, "states": {"detector": state}} | policy
    answer = client.post(f"/v1/topologies/{name}/decisions", json={"at": at(len(rates)), "policy": terms})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def wave(minutes: int) -> list[float]:
    return [
        300.0 + 90.0 * math.sin(2.0 * math.pi * (i - minutes) / 60.0) + 0.5 * (i % 7)
        for i in range(minutes + 1)
    ]


def test_a_change_that_pays_back_after_the_next_forecast_change_is_held(client: httpx.Client, known: str):
    rising = wave(120)
    small = decide(client, known, rising, size_bytes=1e6)
    assert small["action"] == "rebalance"
    assert small["moving"]["horizon"]["source"] == "forecast"
    large = decide(client, known, rising, size_bytes=1e9)
    moving, last = large["moving"], large["reasons"][-1]
    assert (large["action"], last["code"]) == ("hold", "payback")
    assert large["processors"]["recommended"] == LOPSIDED
    assert moving["payback_seconds"] > moving["horizon"]["seconds"] > 0.0
    assert moving["horizon"]["detail"] in last["detail"]
    assert large == decide(client, known, rising, size_bytes=1e9) | {
        "id": large["id"],
        "created_at": large["created_at"],
    }


def test_the_policy_s_horizon_bounds_the_forecast_s_and_replaces_a_missing_one(
    client: httpx.Client, known: str
):
    few = decide(client, known, [300.0] * 3, size_bytes=1e9, horizon_seconds=600)
    assert (few["action"], few["moving"]["horizon"]["source"]) == ("hold", "policy")
    assert "30" in few["moving"]["horizon"]["detail"]  # as many intervals as a forecast takes
    neither = decide(client, known, [300.0] * 3, size_bytes=1e9)
    assert (neither["action"], neither["moving"]["horizon"]["source"]) == ("rebalance", "none")
    assert neither["moving"]["horizon"]["seconds"] is None
    bounded = decide(client, known, wave(120), size_bytes=1e6, horizon_seconds=30)
    assert (bounded["moving"]["horizon"]["seconds"], bounded["moving"]["horizon"]["source"]) == (30, "policy")


def test_a_decision_that_weighs_nothing_has_no_horizon(client: httpx.Client, known: str):
    calm = decide(client, known, [300.0] * 3, size_bytes=1e9, least_gain=0.9, horizon_seconds=1)
    assert (calm["action"], calm["moving"]["horizon"]) == ("hold", None)
    urgent = decide(
        client, known, [900.0] * 3, size_bytes=1e9, goal={"t_max_seconds": 0.1}, horizon_seconds=1
    )
    assert (urgent["action"], urgent["moving"]["horizon"]) == ("scale_up", None)


def test_a_state_gives_one_speed_for_each_instance_or_one_for_all(client: httpx.Client, known: str):
    state = {"key_groups": 128, "size_bytes": 1e6, "bandwidth_bytes_per_second": [1e7]}
    policy = {
        "goal": {"k_max": 26},
        "states": {"detector": state | {"computing_bytes_per_second": [1e8, 1e8]}},
    }
    operators = {one: {"service_rate": mu, "processors": LOPSIDED[one]} for one, mu in RATES.items()}
    snapshot = {"observed_at": at(0), "external_rate": 300.0, "operators": operators}
    assert client.post(f"/v1/topologies/{known}/snapshots", json=snapshot).status_code == 201
    refused = client.post(f"/v1/topologies/{known}/decisions", json={"at": at(1), "policy": policy})
    assert (refused.status_code, refused.json()["type"]) == (422, "invalid-state")
    assert refused.json()["errors"][0]["pointer"] == "#/policy/states/detector/computing_bytes_per_second"
    assert "detector" in refused.json()["detail"]
