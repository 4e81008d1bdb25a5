"""Policies and decisions over HTTP: kept, deterministic, and refused where data are missing."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from app.described.topology import FPD

START = datetime(2026, 11, 18, tzinfo=UTC)
TARGET = {"goal": {"t_max_seconds": 0.1, "t_min_seconds": 0.06}, "cooldown_seconds": 180}
RATES = {"generator": 80.0, "detector": 130.0, "reporter": 40.0}


def put_policy(client: httpx.Client, name: str, policy: dict[str, Any]) -> None:
    answer = client.put(f"/v1/topologies/{name}/policy", json=policy)
    assert answer.status_code == 200, answer.text


def observe(
    client: httpx.Client, name: str, minute: int, rate: float, processors: dict[str, int], **more: Any
) -> None:
    operators = {one: {"service_rate": mu, "processors": processors[one]} for one, mu in RATES.items()}
    snapshot = {"observed_at": at(minute - 1), "external_rate": rate, "operators": operators} | more
    answer = client.post(f"/v1/topologies/{name}/snapshots", json=snapshot)
    assert answer.status_code == 201, answer.text


def at(minute: int) -> str:
    return (START + timedelta(minutes=minute)).isoformat()


def decide(client: httpx.Client, name: str, minute: int, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/v1/topologies/{name}/decisions", json={"at": at(minute)} | body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.fixture
def known(client: httpx.Client, name: str) -> str:
    assert client.post("/v1/topologies", json=FPD | {"name": name}).status_code == 201
    return name


ENOUGH = {"generator": 6, "detector": 13, "reporter": 3}


def test_a_policy_is_kept_with_its_defaults_written_out(client: httpx.Client, known: str):
    url = f"/v1/topologies/{known}/policy"
    missing = client.get(url)
    assert (missing.status_code, missing.json()["type"]) == (404, "unknown-policy")
    put_policy(client, known, TARGET)
    kept = client.get(url).json()
    assert kept["goal"]["t_min_seconds"] == 0.06
    assert (kept["trigger"], kept["qos_target"], kept["nodes"]["scale_out_load"]) == (0.0, 0.95, 0.7)
    put_policy(client, known, {"goal": {"k_max": 30}})
    assert client.get(url).json()["goal"]["t_max_seconds"] is None
    assert client.delete(url).status_code == 204
    assert client.delete(url).status_code == 404


@pytest.mark.parametrize(
    ("policy", "pointer"),
    [
        ({"goal": {}}, "#/goal"),
        ({"goal": {"t_max_seconds": 0.1, "t_min_seconds": 0.1}}, "#/goal"),
        ({"goal": {"t_min_seconds": 0.1, "k_max": 9}}, "#/goal"),
        ({"goal": {"beta": 0.5, "k_max": 9}}, "#/goal"),
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
    ],
)
def test_a_policy_that_contradicts_itself_is_refused(
    client: httpx.Client, known: str, policy: dict[str, Any], pointer: str
):
    refused = client.put(f"/v1/topologies/{known}/policy", json=policy)
    assert refused.status_code == 422
    assert [one["pointer"] for one in refused.json()["errors"]] == [pointer]


def test_up_then_cooldown_then_down(client: httpx.Client, known: str):
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
    for one in (first, second):
        del one["id"], one["created_at"]
    assert first == second
    latest = client.get(f"/v1/topologies/{known}/decisions/latest").json()
    assert {name: latest[name] for name in first} == first
    assert client.get(f"/v1/decisions/{latest['id']}").json() == latest


def test_a_decision_can_look_back(client: httpx.Client, known: str):
    observe(client, known, 1, 320.0, ENOUGH)
    observe(client, known, 2, 480.0, ENOUGH)
    past = decide(client, known, 1, policy=TARGET)
    assert (past["action"], past["basis"]["last_observed_at"]) == ("hold", "2026-11-18T00:00:00Z")
    assert decide(client, known, 2, policy=TARGET)["action"] == "scale_up"


def test_an_interval_without_end_is_not_decided_on(client: httpx.Client, known: str):
    observe(client, known, 1, 320.0, ENOUGH, window_seconds=1e14)
    refused = client.post(f"/v1/topologies/{known}/decisions", json={"policy": TARGET})
    assert (refused.status_code, refused.json()["type"]) == (409, "stored-data-unusable")


def test_nothing_is_decided_without_a_policy_a_snapshot_or_on_old_data(client: httpx.Client, known: str):
    url = f"/v1/topologies/{known}/decisions"
    refused = client.post(url)
    assert (refused.status_code, refused.json()["type"]) == (409, "no-policy")
    put_policy(client, known, TARGET)
    refused = client.post(url)
    assert (refused.status_code, refused.json()["type"]) == (409, "no-snapshot")
    observe(client, known, 1, 320.0, ENOUGH)
    stale = client.post(url, json={"at": at(17)})
    assert (stale.status_code, stale.json()["type"]) == (503, "stale-snapshots")
    assert (stale.json()["age_seconds"], stale.json()["limit_seconds"]) == (960.0, 900.0)
    assert int(stale.headers["Retry-After"]) > 0
    for part in ("960 s ago", "900 s", "max_snapshot_age_seconds", "/snapshots", '"at": "'):
        assert part in stale.json()["detail"]
    missing = client.get(f"{url}/latest")
    assert (missing.status_code, missing.json()["type"]) == (404, "unknown-decision")
    assert client.get(url).json()["items"] == []
    assert client.get("/v1/decisions/none-such").status_code == 404
    nowhere = client.get("/v1/decisions/00000000-0000-0000-0000-000000000000")
    assert (nowhere.status_code, nowhere.json()["type"]) == (404, "unknown-decision")


def test_who_runs_must_be_known(client: httpx.Client, known: str):
    put_policy(client, known, TARGET)
    operators = {name: {"service_rate": mu} for name, mu in RATES.items()}
    snapshot = {"observed_at": at(0), "external_rate": 320.0, "operators": operators}
    client.post(f"/v1/topologies/{known}/snapshots", json=snapshot)
    refused = client.post(f"/v1/topologies/{known}/decisions", json={"at": at(1)})
    assert (refused.status_code, refused.json()["type"]) == (409, "stored-data-unusable")
    assert "generator" in refused.json()["detail"]


def test_state_moves_are_planned_kept_and_gone_on_from(client: httpx.Client, known: str):
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


def test_nodes_and_queues_of_a_snapshot_are_read(client: httpx.Client, known: str):
    nodes = {f"n{i}": {"cpu": cpu, "memory": 0.1} for i, cpu in enumerate((0.1, 0.1, 0.15, 0.6))}
    queues = [
        {"name": "d0", "queue_length": 10, "queue_capacity": 100, "node": "n0"},
        {"name": "d1", "queue_length": 70, "queue_capacity": 100, "node": "n1"},
    ]
    observe(client, known, 1, 320.0, ENOUGH, nodes=nodes, instances={"detector": queues})
    answer = decide(client, known, 1, policy=TARGET | {"most_deviation": 20})
    assert (answer["nodes"]["advice"], answer["nodes"]["release"]) == ("scale_in", ["n0", "n1"])
    assert [one["instance"] for one in answer["nodes"]["relocations"]][:1] == ["d0"]
    assert "mean" in answer["nodes"]["reason"]
    weights = answer["streams"]["redirect"][0]
    assert weights["weights"] == {"d0": 0.75, "d1": 0.25}
    assert (weights["deviation"], weights["redirect"]) == (30.0, True)
    assert {one["kind"] for one in answer["streams"]["spots"]} >= {
        "hot-instance",
        "cold-instance",
        "hot-edge",
    }
    assert "missing-nodes" not in {one["code"] for one in answer["diagnostics"]}
    hot = next(one for one in answer["streams"]["spots"] if one["kind"] == "hot-instance")
    assert (hot["name"], hot["move"]) == ("detector/d1", None)  # no node would be freer than its own
    cold = next(one for one in answer["streams"]["spots"] if one["kind"] == "cold-instance")["move"]
    assert (cold["instance"], cold["source"], cold["target"]) == ("d0", "n0", "n1")
    assert cold["queue_deviation_before"] == 30.0
    stored = client.get(f"/v1/topologies/{known}/snapshots").json()["items"][0]
    assert stored["nodes"]["n3"] == {"cpu": 0.6, "memory": 0.1, "io": 0.0}
    assert [one["name"] for one in stored["instances"]["detector"]] == ["d0", "d1"]


def test_new_instances_take_what_is_measured_of_their_operator_s(client: httpx.Client, known: str):
    nodes = {f"n{i}": {"cpu": 0.5, "memory": 0.4} for i in range(3)}
    queue = {"queue_length": 1, "queue_capacity": 100, "node": "n0"}
    instances = {
        "detector": [
            queue | {"name": f"d{i}", "cpu": cpu, "memory": 0.05} for i, cpu in enumerate((0.1, 0.3))
        ]
    }
    observe(client, known, 1, 480.0, ENOUGH, nodes=nodes, instances=instances)
    answer = decide(client, known, 1, policy=TARGET)
    assert answer["action"] == "scale_up"
    before, after = answer["processors"]["current"], answer["processors"]["recommended"]
    found = answer["nodes"]
    taken = found["new_instances"]
    assert taken["detector"] == {"usage": {"cpu": 0.2, "memory": 0.05, "io": 0.0}, "measured": 2}
    assert taken["generator"]["measured"] == 0
    assert taken["generator"]["usage"]["cpu"] == pytest.approx(1.5 / 22)
    assert "generator" in found["reason"]
    assert found["add"] == len(found["new_nodes"])
    for operator in taken:
        placed = [counts.get(operator, 0) for counts in (*found["use"].values(), *found["new_nodes"])]
        assert sum(placed) == after[operator] - before[operator]


def test_the_io_of_an_instance_that_nobody_measured_is_not_0(client: httpx.Client, known: str):
    """Of 4 nodes with 0.55 each, 22 processors take 0.1 each: no node has room for one more below 0.6."""
    nodes = {f"n{i}": {"cpu": 0.1, "memory": 0.1, "io": 0.55} for i in range(4)}
    queue = {"queue_length": 1, "queue_capacity": 100, "node": "n0", "cpu": 0.01, "memory": 0.01}
    instances = {one: [queue | {"name": f"{one}-0"}] for one in RATES}
    observe(client, known, 1, 480.0, ENOUGH, nodes=nodes, instances=instances)
    answer = decide(client, known, 1, policy=TARGET | {"nodes": {"most_io": 0.6}})
    assert answer["action"] == "scale_up"
    usage = answer["nodes"]["new_instances"]["detector"]["usage"]
    assert usage == {"cpu": 0.01, "memory": 0.01, "io": pytest.approx(0.1)}
    assert answer["nodes"]["use"] == {}
    said = next(one for one in answer["diagnostics"] if one["code"] == "io-assumed")
    assert sorted(said["operators"]) == sorted(RATES)


def test_instances_on_nodes_that_are_not_there_are_said(client: httpx.Client, known: str):
    queues = [
        {"name": f"d{i}", "queue_length": i, "queue_capacity": 100, "node": node}
        for i, node in enumerate(("n0", "n7"))
    ]
    observe(
        client,
        known,
        1,
        320.0,
        ENOUGH,
        nodes={"n0": {"cpu": 0.5, "memory": 0.1}},
        instances={"detector": queues},
    )
    answer = decide(client, known, 1, policy=TARGET)
    said = [one["detail"] for one in answer["diagnostics"] if one["code"] == "missing-nodes"]
    assert len(said) == 1
    assert "n7" in said[0]
    assert "n0" not in said[0]


def test_without_nodes_and_queues_nothing_is_said_of_them(client: httpx.Client, known: str):
    observe(client, known, 1, 320.0, ENOUGH)
    answer = decide(client, known, 1, policy=TARGET)
    assert (answer["nodes"], answer["streams"]) == (None, None)


def test_queues_of_strangers_or_overfull_ones_are_refused(client: httpx.Client, known: str):
    url = f"/v1/topologies/{known}/snapshots"
    operators = {"generator": {"service_rate": 80.0}}
    for instances, pointer in (
        ({"stranger": [{"name": "s", "queue_length": 1, "queue_capacity": 2}]}, "#/instances/stranger"),
        ({"detector": [{"name": "d", "queue_length": 3, "queue_capacity": 2}]}, "#/instances/detector/0"),
        (
            {"detector": [{"name": "d", "queue_length": 1, "queue_capacity": 2, "cpu": 0.5}]},
            "#/instances/detector/0",
        ),
        ({"detector": [{"name": "d", "queue_length": 1, "queue_capacity": 2}] * 2}, "#/instances/detector"),
    ):
        refused = client.post(
            url,
            json={"observed_at": at(0), "external_rate": 1.0, "operators": operators, "instances": instances},
        )
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["pointer"] == pointer
