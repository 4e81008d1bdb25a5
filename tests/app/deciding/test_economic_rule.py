"""Decisions under the economic rule, over HTTP: a policy needs a target and nothing else."""

from typing import Any

import httpx
import pytest

from tests.app.decision_calls import ENOUGH, decide, observe, put_policy

ECONOMIC: dict[str, Any] = {
    "goal": {"t_max_seconds": 0.1},
    "rule": "economic",
    "max_snapshot_age_seconds": 1e9,
}
MANY = {name: 3 * count for name, count in ENOUGH.items()}


def observe_calmly(client: httpx.Client, name: str, minutes: range, processors: dict[str, int]) -> None:
    for minute in minutes:
        observe(client, name, minute, 320.0, processors, measured_sojourn_seconds=0.06)


def test_enough_processors_are_kept_and_the_costs_are_shown(client: httpx.Client, known: str):
    put_policy(client, known, ECONOMIC)
    observe_calmly(client, known, range(1, 31), ENOUGH)
    answer = decide(client, known, 30)
    assert answer["action"] == "hold"
    assert [one["code"] for one in answer["reasons"]] == ["cheapest-runs", "kept-so-far"]
    assert answer["kept_so_far"] == {"share": 1.0, "minutes": 30.0}
    assert (answer["change_pause_seconds"], answer["changes_seen"]) == (20.0, 0)
    assert answer["price"] > 0
    assert answer["alternatives"][0]["processors"] == ENOUGH


def test_an_overload_is_acted_on_at_once(client: httpx.Client, known: str):
    put_policy(client, known, ECONOMIC)
    observe_calmly(client, known, range(1, 20), ENOUGH)
    observe(client, known, 20, 640.0, ENOUGH, measured_sojourn_seconds=3.0)
    answer = decide(client, known, 20)
    assert (answer["action"], answer["reasons"][0]["code"]) == ("scale_up", "cheapest")
    assert answer["alternatives"][0]["cost"] > answer["alternatives"][1]["cost"]
    observe(client, known, 21, 640.0, answer["processors"]["recommended"], measured_sojourn_seconds=3.0)
    assert decide(client, known, 21)["reasons"][-1]["code"] == "just-changed"


def test_many_processors_too_many_are_given_up(client: httpx.Client, known: str):
    put_policy(client, known, ECONOMIC)
    observe_calmly(client, known, range(1, 61), MANY)
    answer = decide(client, known, 60)
    assert answer["action"] == "scale_down"
    assert answer["processors"]["recommended_total"] < sum(MANY.values())


def test_the_owners_pause_is_taken(client: httpx.Client, known: str):
    put_policy(client, known, ECONOMIC | {"change_pause_seconds": 45})
    observe_calmly(client, known, range(1, 5), ENOUGH)
    assert decide(client, known, 4)["change_pause_seconds"] == 45


@pytest.mark.parametrize("rule", ["drs", None])
def test_other_rules_weigh_nothing(client: httpx.Client, known: str, rule: str | None):
    policy = {key: value for key, value in ECONOMIC.items() if key != "rule"}
    put_policy(client, known, policy | ({"rule": rule} if rule else {}))
    observe_calmly(client, known, range(1, 5), ENOUGH)
    answer = decide(client, known, 4)
    assert answer["price"] is answer["alternatives"] is answer["kept_so_far"] is None


def test_a_promise_is_a_share(client: httpx.Client, known: str):
    answer = client.put(f"/v1/topologies/{known}/policy", json=ECONOMIC | {"promise": 1.0})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "#/promise"
