"""Decisions over HTTP: stored, the same for the same data, and refused where data are missing."""

from datetime import datetime

import httpx
import pytest

from tests.app.decision_calls import ENOUGH, RATES, TARGET, at, decide, observe, put_policy
from tests.app.pages.overview.test_routes import add
from tests.app.pages.overview.test_routes import decide as decide_now


def test_a_decision_scales_up_waits_for_the_cooldown_and_scales_down(client: httpx.Client, known: str):
    put_policy(client, known, TARGET)
    observe(client, known, 1, 320.0, ENOUGH)
    calm = decide(client, known, 1)
    assert (calm["action"], calm["reasons"][0]["code"]) == ("hold", "within-target")
    assert calm["processors"]["recommended"] == calm["processors"]["current"] == ENOUGH

    observe(client, known, 2, 480.0, ENOUGH)
    up = decide(client, known, 2)
    assert (up["action"], up["reasons"][0]["code"]) == ("scale_up", "target-missed")
    assert up["current"]["stable"] is False
    assert up["expected_sojourn_seconds"] <= 0.1
    fewer = up["counterfactuals"]
    assert fewer["one_fewer_sojourn_seconds"] is None or fewer["one_fewer_sojourn_seconds"] > 0.1
    assert fewer["holds_up_to_rate"] >= 480.0 > fewer["one_fewer_up_to_rate"]

    more = up["processors"]["recommended"]
    observe(client, known, 3, 160.0, more)
    held = decide(client, known, 3)
    assert (held["action"], held["reasons"][-1]["code"]) == ("hold", "cooldown")
    assert held["cooldown_left_seconds"] == 120.0
    assert held["rate_change"] == pytest.approx(160.0 / 480.0 - 1.0)
    assert held["optimum"]["processors_total"] < up["processors"]["recommended_total"]

    observe(client, known, 5, 160.0, more)
    assert decide(client, known, 5)["action"] == "scale_down"
    listed = client.get(f"/v1/topologies/{known}/decisions?limit=3").json()
    assert [one["action"] for one in listed["items"]] == ["scale_down", "hold", "scale_up"]
    assert [one["action"] for one in client.get(listed["next"]).json()["items"]] == ["hold"]


def test_the_same_stored_data_gives_the_same_decision(client: httpx.Client, known: str):
    put_policy(client, known, TARGET)
    observe(client, known, 2, 480.0, ENOUGH)
    first, second = (decide(client, known, 2) for _ in range(2))
    assert first == second, "it is decided once, and answered again"
    assert len(client.get(f"/v1/topologies/{known}/decisions").json()["items"]) == 1
    latest = client.get(f"/v1/topologies/{known}/decisions/latest").json()
    assert {name: latest[name] for name in first} == first
    assert client.get(f"/v1/decisions/{latest['id']}").json() == latest


def test_a_decision_that_is_read_again_names_its_operators_in_their_order(client: httpx.Client, name: str):
    add(client, name)
    assert client.put(f"/v1/topologies/{name}/policy", json={"goal": {"t_max_seconds": 0.06}}).is_success
    made = decide_now(client, name)
    assert "generator" in made["verdict"].partition("detector")[0]
    assert client.get(f"/v1/decisions/{made['id']}").json()["verdict"] == made["verdict"]


def test_a_decision_as_of_a_past_time_ignores_later_snapshots(client: httpx.Client, known: str):
    observe(client, known, 1, 320.0, ENOUGH)
    observe(client, known, 2, 480.0, ENOUGH)
    past = decide(client, known, 1, policy=TARGET)
    assert (past["action"], past["basis"]["last_observed_at"]) == ("hold", "2026-11-18T00:00:00Z")
    assert decide(client, known, 2, policy=TARGET)["action"] == "scale_up"


def test_a_decision_without_a_policy_or_recent_snapshot_is_refused(client: httpx.Client, known: str):
    url = f"/v1/topologies/{known}/decisions"
    refused = client.post(url)
    assert (refused.status_code, refused.json()["type"]) == (409, "no-policy")
    put_policy(client, known, TARGET)
    refused = client.post(url)
    assert (refused.status_code, refused.json()["type"]) == (409, "no-snapshot")
    observe(client, known, 1, 320.0, ENOUGH)
    stale = client.post(url, json={"at": at(17)})
    assert (stale.status_code, stale.json()["type"]) == (409, "stale-snapshots")
    assert (stale.json()["age_seconds"], stale.json()["limit_seconds"]) == (960.0, 900.0)
    for part in ("16 min ago", "15 min", "max_snapshot_age_seconds", "/snapshots", '"at": "'):
        assert part in stale.json()["detail"]
    missing = client.get(f"{url}/latest")
    assert (missing.status_code, missing.json()["type"]) == (404, "unknown-decision")
    assert client.get(url).json()["items"] == []
    assert client.get("/v1/decisions/none-such").status_code == 404
    nowhere = client.get("/v1/decisions/00000000-0000-0000-0000-000000000000")
    assert (nowhere.status_code, nowhere.json()["type"]) == (404, "unknown-decision")


def test_a_decision_needs_the_processors_that_run(client: httpx.Client, known: str):
    put_policy(client, known, TARGET)
    operators = {name: {"service_rate": mu} for name, mu in RATES.items()}
    snapshot = {"observed_at": at(0), "external_rate": 320.0, "operators": operators}
    client.post(f"/v1/topologies/{known}/snapshots", json=snapshot)
    refused = client.post(f"/v1/topologies/{known}/decisions", json={"at": at(1)})
    assert (refused.status_code, refused.json()["type"]) == (409, "stored-data-unusable")
    assert "generator" in refused.json()["detail"]


def test_a_migration_starts_from_the_owners_that_the_last_one_left(client: httpx.Client, known: str):
    state = {
        "key_groups": 128,
        "size_bytes": 42e6,
        "computing_bytes_per_second": [100e6],
        "bandwidth_bytes_per_second": [12.5e6],
        "checkpoint_interval_seconds": 5.0,
    }
    put_policy(client, known, TARGET | {"states": {"detector": state}, "cooldown_seconds": 0})
    observe(client, known, 1, 480.0, ENOUGH)
    first = decide(client, known, 1)
    moved = first["moving"]["migrations"]["detector"]
    after = first["processors"]["recommended"]["detector"]
    assert (moved["before"], moved["after"]) == (13, after)
    assert sum(move["last"] - move["first"] + 1 for move in moved["moves"]) == moved["moved_key_groups"]
    assert moved["repartition_seconds"] == pytest.approx(42e6 / after * (1 / 100e6 + 1 / 12.5e6))
    assert moved["repair_seconds"] > 0.0

    observe(client, known, 2, 640.0, first["processors"]["recommended"])
    again = decide(client, known, 2)["moving"]["migrations"]["detector"]
    owners = list(moved["owners"])
    for move in again["moves"]:
        assert owners[move["first"]] == move["source"]
        owners[move["first"] : move["last"] + 1] = [move["target"]] * (move["last"] - move["first"] + 1)
    assert owners == again["owners"]


def test_a_stored_policy_that_a_later_revision_contradicts_is_a_conflict(client: httpx.Client, known: str):
    put_policy(client, known, TARGET | {"bounds": {"reporter": {"max_processors": 4}}})
    observe(client, known, 1, 320.0, ENOUGH)
    assert decide(client, known, 1)["action"] == "hold"
    topology = client.get(f"/v1/topologies/{known}").json()
    operators = [one for one in topology["operators"] if one["name"] != "reporter"]
    edges = [one for one in topology["edges"] if one["target"] != "reporter"]
    smaller = {"name": known, "operators": operators, "edges": edges}
    assert client.put(f"/v1/topologies/{known}", json=smaller).status_code == 200
    refused = client.post(f"/v1/topologies/{known}/decisions", json={"at": at(1)})
    assert (refused.status_code, refused.json()["type"]) == (409, "stored-data-unusable")
    assert "no operator 'reporter'" in refused.json()["detail"]
    assert f"/v1/topologies/{known}/policy" in refused.json()["detail"]
    sent = {"at": at(1), "policy": TARGET | {"bounds": {"reporter": {"max_processors": 4}}}}
    refused = client.post(f"/v1/topologies/{known}/decisions", json=sent)
    assert (refused.status_code, refused.json()["type"]) == (422, "invalid-request")
    assert refused.json()["errors"][0]["pointer"] == "#/policy/bounds/reporter"


def test_a_stored_state_that_the_instances_contradict_is_a_conflict(client: httpx.Client, known: str):
    state = {
        "key_groups": 64,
        "size_bytes": 1e6,
        "computing_bytes_per_second": [1e8] * 2,
        "bandwidth_bytes_per_second": [1e7],
    }
    put_policy(client, known, TARGET | {"states": {"detector": state}})
    observe(client, known, 1, 480.0, ENOUGH)
    refused = client.post(f"/v1/topologies/{known}/decisions", json={"at": at(1)})
    assert (refused.status_code, refused.json()["type"]) == (409, "stored-data-unusable")
    for part in ("2 values for 13 instances", f"/v1/topologies/{known}/policy"):
        assert part in refused.json()["detail"]


def test_a_decision_for_a_quantile_says_so(client: httpx.Client, known: str):
    target = {"of": "completion", "quantile": 0.99, "seconds": 0.2}
    put_policy(client, known, {"goal": {"target": target}})
    observe(client, known, 1, 320.0, {"generator": 5, "detector": 11, "reporter": 2})
    made = decide(client, known, 1)
    assert (made["goal"], made["action"]) == ("latency-target", "scale_up")
    assert [one["code"] for one in made["reasons"]] == ["target-missed", "target-on-a-draw"]
    assert "The p99 of the time to completion is" in made["counterfactuals"]["one_fewer_detail"]
    assert made["counterfactuals"]["holds_up_to_rate"] >= 320.0


def test_a_list_of_decisions_is_filtered_by_time_and_action_on_every_page(client: httpx.Client, known: str):
    put_policy(client, known, TARGET | {"cooldown_seconds": 0, "look_ahead": False})
    counts = ENOUGH
    for minute in range(1, 13):
        observe(client, known, minute, 480.0 if minute % 3 == 0 else 160.0, counts)
        counts = decide(client, known, minute)["processors"]["recommended"]
    url = f"/v1/topologies/{known}/decisions"
    every = client.get(url).json()["items"]
    assert len({one["action"] for one in every}) == 3
    for terms in (
        {"action": "hold"},
        {"action": "scale_up", "from": at(4)},
        {"from": at(3), "to": at(9)},
        {"action": "rebalance"},
        {"to": at(5), "action": "scale_down"},
    ):
        wanted = [
            one["id"]
            for one in every
            if one["action"] == terms.get("action", one["action"])
            and datetime.fromisoformat(terms.get("from", at(0)))
            <= datetime.fromisoformat(one["decided_for"])
            < datetime.fromisoformat(terms.get("to", at(99)))
        ]
        found, address = [], str(httpx.URL(url, params=terms | {"limit": 2}))
        while address:
            page = client.get(address).json()
            assert len(page["items"]) <= 2
            found += [one["id"] for one in page["items"]]
            address = page["next"]
        assert found == wanted, terms


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("action=grow", "?action"),
        ("from=yesterday", "?from"),
        ("to=1700000000", "?to"),
        ("from=2026-11-18T00:00:00", "?from"),
        ("from=2026-11-18T00:00:00Z&to=2026-11-18T00:00:00Z", "?from"),
    ],
)
def test_filters_that_say_nothing_are_refused(client: httpx.Client, known: str, query: str, pointer: str):
    refused = client.get(f"/v1/topologies/{known}/decisions?{query}")
    assert (refused.status_code, refused.json()["type"]) == (422, "invalid-request")
    assert [one["pointer"] for one in refused.json()["errors"]] == [pointer]
