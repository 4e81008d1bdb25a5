"""Decisions under the economic rule, over HTTP: a policy needs a target and nothing else."""

from datetime import datetime
from typing import Any

import httpx
import pytest

from tests.app.decision_calls import ENOUGH, START, decide, observe, put_policy

ECONOMIC: dict[str, Any] = {
    "goal": {"t_max_seconds": 0.1},
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
    assert [one["code"] for one in answer["reasons"]] == ["within-target", "cheapest-runs", "kept-so-far"]
    kept = answer["kept_so_far"]
    assert (kept["share"], kept["minutes"], kept["most"]) == (1.0, 30.0, 1.0)
    assert 0.5 < kept["least"] < 0.97, "six stretches without a late minute do not prove a promise"
    assert datetime.fromisoformat(kept["since"]) == START
    assert (answer["change_pause_seconds"], answer["changes_seen"]) == (20.0, 0)
    assert answer["price"] > 0
    assert answer["alternatives"][0]["processors"] == ENOUGH


def test_an_overload_is_acted_on_at_once(client: httpx.Client, known: str):
    put_policy(client, known, ECONOMIC)
    observe_calmly(client, known, range(1, 20), ENOUGH)
    observe(client, known, 20, 640.0, ENOUGH, measured_sojourn_seconds=3.0)
    answer = decide(client, known, 20)
    assert (answer["action"], [one["code"] for one in answer["reasons"][:2]]) == (
        "scale_up",
        ["target-missed", "cheapest"],
    )
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


def test_other_rules_weigh_nothing(client: httpx.Client, known: str):
    put_policy(client, known, ECONOMIC | {"rule": "drs"})
    observe_calmly(client, known, range(1, 5), ENOUGH)
    answer = decide(client, known, 4)
    assert answer["price"] is answer["alternatives"] is answer["kept_so_far"] is None


def test_a_promise_is_a_share(client: httpx.Client, known: str):
    answer = client.put(f"/v1/topologies/{known}/policy", json=ECONOMIC | {"promise": 1.0})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "#/promise"


def test_a_late_minute_costs_what_the_policy_says(client: httpx.Client, known: str):
    put_policy(client, known, ECONOMIC | {"prices": {"processor_hour": 0.05, "late_minute": 2.0}})
    observe_calmly(client, known, range(1, 5), ENOUGH)
    assert decide(client, known, 4)["price"] == pytest.approx(2_400.0)


@pytest.mark.parametrize("rule", ["drs", "economic"])
def test_schedules_and_excluded_times_are_those_of_the_data(client: httpx.Client, known: str, rule: str):
    # The data begin at midnight of a Wednesday: the schedule begins at 0:10 and lasts half an hour.
    policy = ECONOMIC | {
        "rule": rule,
        "schedules": [{"cron": "10 0 * * wed", "hours": 0.5, "min_processors": {"reporter": 6}}],
        "excluded": [{"cron": "30 0 * * *", "hours": 1}],
    }
    put_policy(client, known, policy)
    observe_calmly(client, known, range(1, 32), ENOUGH)
    assert decide(client, known, 9)["action"] == "hold"
    lifted = decide(client, known, 10)
    assert (lifted["action"], lifted["reasons"][-1]["code"]) == ("scale_up", "schedule")
    assert lifted["processors"]["recommended"] == ENOUGH | {"reporter": 6}
    assert decide(client, known, 31)["reasons"][-1]["code"] == "excluded"
    found = client.post(f"/v1/topologies/{known}/policy/replay", json={}).json()
    assert (found["changes"], found["ran"]["changes"]) == (1, 0)
    assert found["processor_hours"] == pytest.approx((22 * 31 + 3 * 21) / 60)
