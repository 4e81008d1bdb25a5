"""A decision's advice on nodes, instances and streams, as its answer has it."""

import httpx
import pytest

from tests.app.decision_calls import ENOUGH, RATES, TARGET, at, decide, observe


def test_nodes_and_queues_of_the_newest_snapshot_give_advice(client: httpx.Client, known: str):
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


def test_a_new_instance_is_expected_to_use_the_mean_of_its_operator_s(client: httpx.Client, known: str):
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


def test_an_io_that_was_not_measured_is_assumed_to_be_the_mean(client: httpx.Client, known: str):
    """22 processors use 4 · 0.55 of io, 0.1 each: no node has room for one more below 0.6."""
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


def test_instances_on_unknown_nodes_give_a_diagnostic(client: httpx.Client, known: str):
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


def test_a_snapshot_without_nodes_and_queues_gives_no_advice(client: httpx.Client, known: str):
    observe(client, known, 1, 320.0, ENOUGH)
    answer = decide(client, known, 1, policy=TARGET)
    assert (answer["nodes"], answer["streams"]) == (None, None)


def test_queues_of_unknown_operators_and_overfull_queues_are_refused(client: httpx.Client, known: str):
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
