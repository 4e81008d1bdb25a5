"""Policies over HTTP: stored with their defaults, and refused where the topology contradicts them."""

from typing import Any

import httpx
import pytest

from tests.app.decision_calls import TARGET, put_policy

DAYTIME = {"cron": "0 8 * * 1-5", "zone": "Europe/Berlin", "hours": 10, "min_processors": {"detector": 4}}
P99 = {"of": "completion", "quantile": 0.99, "seconds": 0.2}


def test_a_policy_is_stored_with_its_defaults_written_out(client: httpx.Client, known: str):
    url = f"/v1/topologies/{known}/policy"
    missing = client.get(url)
    assert (missing.status_code, missing.json()["type"]) == (404, "unknown-policy")
    created = client.put(url, json=TARGET)
    assert (created.status_code, created.headers["Location"]) == (201, url)
    kept = client.get(url).json()
    assert created.json() == kept
    assert kept["goal"]["t_min_seconds"] == 0.06
    assert (kept["trigger"], kept["qos_target"], kept["nodes"]["scale_out_load"]) == (0.0, 0.95, 0.7)
    replaced = client.put(url, json={"goal": {"k_max": 30}})
    assert (replaced.status_code, "Location" in replaced.headers) == (200, False)
    assert client.get(url).json()["goal"]["t_max_seconds"] is None
    assert client.delete(url).status_code == 204
    assert client.delete(url).status_code == 404


@pytest.mark.parametrize(
    ("policy", "pointer"),
    [
        ({"goal": {}}, "#/goal"),
        ({"goal": {"t_max_seconds": 0.1, "t_min_seconds": 0.1}}, "#/goal"),
        ({"goal": {"target": P99, "t_min_seconds": 0.2}}, "#/goal"),
        ({"goal": {"target": P99, "t_max_seconds": 0.2}}, "#/goal"),
        ({"goal": {"target": P99, "beta": 0.2}}, "#/goal"),
        ({"goal": {"target": P99 | {"quantile": 1.0}}}, "#/goal/target/quantile"),
        ({"goal": {"t_min_seconds": 0.1, "k_max": 9}}, "#/goal"),
        ({"goal": {"beta": 0.5, "k_max": 9}}, "#/goal"),
        ({"goal": {"utilisation": 0.7, "t_max_seconds": 0.1}}, "#/goal"),
        ({"goal": {"utilisation": 0.7, "backlog_seconds": 30}}, "#/goal"),
        ({"goal": {"utilisation": 70}}, "#/goal/utilisation"),
        ({"goal": {"backlog_seconds": 0}}, "#/goal/backlog_seconds"),
        ({"goal": {"backlog_seconds": 30}, "catch_up_seconds": 60}, "#"),
        ({"goal": {"utilisation": 0.7}, "rule": "economic"}, "#"),
        ({"goal": {"backlog_seconds": 30}, "rule": "economic"}, "#"),
        ({"goal": {"k_max": 2}}, "#/goal/k_max"),
        ({"goal": {"k_max": 20}, "bounds": {"detector": {"min_processors": 19}}}, "#/goal/k_max"),
        ({"goal": {"k_max": 9}, "nodes": {"scale_in_load": 0.8}}, "#/nodes"),
        (
            {"goal": {"k_max": 9}, "bounds": {"detector": {"min_processors": 3, "max_processors": 2}}},
            "#/bounds/detector",
        ),
        ({"goal": {"k_max": 9}, "bounds": {"stranger": {}}}, "#/bounds/stranger"),
        ({"goal": {"k_max": 9}, "states": {"generator": {"key_groups": 8}}}, "#/states/generator"),
        ({"goal": {"k_max": 9}, "trigger": -1}, "#/trigger"),
        (
            {
                "goal": {"beta": 0.5},
                "bounds": {"detector": {"min_processors": 9}},
                "states": {"detector": {"key_groups": 8}},
            },
            "#/bounds/detector",
        ),
        ({"goal": {"beta": 0.5}, "bounds": {"reporter": {"min_processors": 9}}}, "#/bounds/reporter"),
        ({"goal": {"k_max": 9}, "max_step": {"up": 1.0}}, "#/max_step/up"),
        ({"goal": {"k_max": 9}, "schedules": [DAYTIME | {"cron": "0 25 * * *"}]}, "#/schedules/0/cron"),
        ({"goal": {"k_max": 9}, "schedules": [DAYTIME | {"zone": "Mars"}]}, "#/schedules/0/zone"),
        (
            {"goal": {"k_max": 9}, "schedules": [DAYTIME, DAYTIME | {"min_processors": {"stranger": 2}}]},
            "#/schedules/1/min_processors/stranger",
        ),
        (
            {"goal": {"k_max": 99}, "schedules": [DAYTIME | {"min_processors": {"reporter": 9}}]},
            "#/schedules/0/min_processors/reporter",
        ),
        ({"goal": {"k_max": 9}, "excluded": [{"cron": "0 8 * *", "hours": 2}]}, "#/excluded/0/cron"),
        (
            {"goal": {"k_max": 9}, "prices": {"processor_hour": 0, "late_minute": 1}},
            "#/prices/processor_hour",
        ),
    ],
)
def test_a_policy_that_contradicts_itself_is_refused(
    client: httpx.Client, known: str, policy: dict[str, Any], pointer: str
):
    refused = client.put(f"/v1/topologies/{known}/policy", json=policy)
    assert refused.status_code == 422
    assert [one["pointer"] for one in refused.json()["errors"]] == [pointer]


def test_a_goal_of_a_quantile_is_stored(client: httpx.Client, known: str):
    put_policy(client, known, {"goal": {"target": P99, "t_min_seconds": 0.1}})
    assert client.get(f"/v1/topologies/{known}/policy").json()["goal"]["target"] == P99


def test_what_the_owner_forbids_and_demands_is_stored(client: httpx.Client, known: str):
    sent = {
        "goal": {"t_max_seconds": 0.1},
        "max_step": {"up": 2.0, "down": 0.5},
        "schedules": [DAYTIME | {"hours": 10.0, "until": "2027-01-01T00:00:00Z"}],
        "excluded": [{"cron": "0 0 * * sun", "zone": "UTC", "hours": 4.0, "until": None}],
        "prices": {"processor_hour": 0.05, "late_minute": 2.0},
    }
    put_policy(client, known, sent)
    stored = client.get(f"/v1/topologies/{known}/policy").json()
    assert {name: stored[name] for name in sent if name != "goal"} == {
        name: one for name, one in sent.items() if name != "goal"
    }


def test_of_two_editors_the_second_is_told_and_overwrites_nothing(client: httpx.Client, known: str):
    url = f"/v1/topologies/{known}/policy"
    none = client.put(url, json=TARGET, headers={"If-Match": '"1"'})
    assert (none.status_code, none.json()["current"]) == (412, "no policy")
    stored = client.put(url, json=TARGET).headers["ETag"]
    read = client.get(url).headers["ETag"]
    assert stored == read
    first = client.put(url, json=TARGET | {"cooldown_seconds": 60.0}, headers={"If-Match": read})
    assert first.status_code == 200
    second = client.put(url, json=TARGET | {"cooldown_seconds": 90.0}, headers={"If-Match": read})
    assert (second.status_code, second.json()["type"]) == (412, "revision-conflict")
    assert second.json()["detail"].startswith(
        f"The policy of topology {known!r} is at {first.headers['ETag']}"
    )
    assert client.get(url).json()["cooldown_seconds"] == 60.0
    assert client.get(url, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    assert client.put(url, json=TARGET, headers={"If-Match": "*"}).status_code == 200
