"""Decisions and replays for the goals of a utilisation and of a backlog, over HTTP."""

from datetime import datetime
from typing import Any

import httpx
import pytest

from tests.app.deciding.decisions.test_catching_up import decide_on
from tests.app.decision_calls import ENOUGH, RATES, at, decide, observe, put_policy

AGE = {"max_snapshot_age_seconds": 1e9, "cooldown_seconds": 0}
BUSY: dict[str, Any] = {"goal": {"utilisation": 0.7}} | AGE
LAG: dict[str, Any] = {"goal": {"backlog_seconds": 60}} | AGE


def replay(client: httpx.Client, name: str) -> dict[str, Any]:
    answer = client.post(f"/v1/topologies/{name}/policy/replay", json={})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_utilisation_is_kept_within_its_band(client: httpx.Client, known: str):
    put_policy(client, known, BUSY)
    observe(client, known, 1, 320.0, {"generator": 5, "detector": 12, "reporter": 3})
    made = decide(client, known, 1)
    assert (made["action"], made["goal"]) == ("scale_up", "utilisation")
    runs = made["processors"]["recommended"]
    for one in made["current"]["operators"]:
        busy = one["arrival_rate"] / RATES[one["name"]] / runs[one["name"]]
        assert busy <= 0.7 < busy * runs[one["name"]] / (runs[one["name"]] - 1)
    reason = made["reasons"][0]
    assert reason["code"] == "too-busy"
    assert "the policy allows 70%" in reason["detail"]
    observe(client, known, 2, 300.0, runs)
    calm = decide(client, known, 2)
    assert (calm["action"], calm["reasons"][0]["code"]) == ("hold", "room-enough")
    observe(client, known, 3, 100.0, runs)
    fewer = decide(client, known, 3)
    assert [one["code"] for one in fewer["reasons"]] == ["room-enough", "room-to-spare"]
    assert fewer["processors"]["recommended_total"] < made["processors"]["recommended_total"]


def test_a_backlog_is_worked_off_within_the_time_that_was_promised_first(client: httpx.Client, known: str):
    put_policy(client, known, LAG)
    first = decide_on(client, known, 1, 6_000.0, ENOUGH)
    assert (first["action"], first["goal"]) == ("scale_up", "backlog")
    assert first["reasons"][-1]["code"] == "catch-up"
    assert first["catching_up"]["recommended_seconds"] <= 60.0 < first["catching_up"]["running_seconds"]
    assert datetime.fromisoformat(first["catching_up"]["finished_by"]) == datetime.fromisoformat(at(2))
    runs = first["processors"]["recommended"]
    done = decide_on(client, known, 3, 0.0, runs)
    assert (done["action"], done["catching_up"]) == ("hold", None)
    observe(client, known, 4, 120.0, runs)
    assert decide(client, known, 4)["action"] == "scale_down"


def test_the_time_of_a_goal_stays_while_the_backlog_falls(client: httpx.Client, known: str):
    put_policy(client, known, LAG | {"goal": {"backlog_seconds": 600}})
    first = decide_on(client, known, 1, 60_000.0, ENOUGH)
    later = decide_on(client, known, 5, 40_000.0, first["processors"]["recommended"])
    assert later["catching_up"]["finished_by"] == first["catching_up"]["finished_by"]


@pytest.mark.parametrize("policy", [BUSY, LAG])
def test_a_goal_without_a_time_is_replayed(client: httpx.Client, known: str, policy: dict[str, Any]):
    put_policy(client, known, policy | {"cooldown_seconds": 300})
    for minute in range(1, 21):
        observe(client, known, minute, 320.0 if minute <= 10 else 500.0, ENOUGH)
    found = replay(client, known)
    assert found["late_share"] is None
    assert 1 <= found["changes"] <= 3
    assert found["processor_hours"] > found["ran"]["processor_hours"]
    assert found["undecided"] == 0
