"""/v1/topologies/{name}/snapshots/from/{engine}: all that an engine's answers say is stored, or nothing."""

import copy
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

BOLT = {
    "boltId": "a",
    "executors": 1,
    "tasks": 1,
    "executed": 100,
    "executeLatency": "1.0",
    "capacity": "0.1",
}
JOB = Path("tests/golden/engines/flink/job.json")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"answers": [{"path": "/jobs"}]}, "#/answers/0"),
        ({"answers": [{"at": "yesterday", "body": {}}]}, "#/answers/0/at"),
    ],
)
def test_an_answer_that_cannot_be_used_is_a_problem_that_names_it(
    client: httpx.Client, name: str, body: dict[str, Any], pointer: str
):
    refused = client.post(f"/v1/topologies/{name}/snapshots/from/flink", json=body)
    assert refused.status_code == 422
    assert [one["pointer"] for one in refused.json()["errors"]] == [pointer]


def test_an_unknown_engine_is_refused_with_the_names_of_those_that_are_known(client: httpx.Client, name: str):
    refused = client.post(f"/v1/topologies/{name}/snapshots/from/samza", json={})
    assert refused.status_code == 404
    assert "storm" in refused.json()["detail"]


def read_job(**changes: Any) -> dict[str, Any]:
    """The recorded answer to GET /jobs/:id of a Flink job of three operators, 46 s after its start."""
    job: dict[str, Any] = json.loads(JOB.read_text())
    return job | changes


def later(job: dict[str, Any], seconds: float, records: int, busy_milliseconds: float) -> dict[str, Any]:
    """The job some seconds later: parse has served so many records more, in so much busy time."""
    moved: dict[str, Any] = copy.deepcopy(job)
    moved["now"] += round(seconds * 1000)
    for vertex in moved["vertices"]:
        factor = {"parse": 1, "score": 2, "Sink: out": 2}.get(vertex["name"], 1)
        metrics = vertex["metrics"]
        vertex["duration"] += round(seconds * 1000)
        metrics["read-records"] += 0 if vertex["name"].startswith("Source") else records * factor
        metrics["write-records"] += 0 if vertex["name"].startswith("Sink") else records * max(factor, 1)
        if vertex["name"] == "parse":
            metrics["write-records"] += records
        if metrics["accumulated-busy-time"] != "NaN":
            busy = busy_milliseconds if vertex["name"] != "Sink: out" else 10.0
            metrics["accumulated-busy-time"] += busy
            metrics["accumulated-idle-time"] += vertex["parallelism"] * seconds * 1000 - busy
    return moved


def post(client: httpx.Client, name: str, body: Any, mode: str = "keep") -> dict[str, Any]:
    answer = client.post(f"/v1/topologies/{name}/snapshots/from/flink?topology={mode}", json=body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_two_answers_make_topology_snapshot_and_marks(client: httpx.Client, name: str):
    first = read_job()
    found = post(client, name, [first, later(first, 10.0, 400, 20_000.0)])
    assert (found["topology_was"], found["stored"], found["replaced"]) == ("created", 1, 0)
    assert found["marks"]["job"] == first["jid"]
    stored = client.get(f"/v1/topologies/{name}").json()
    assert [edge["target"] for edge in stored["edges"]] == ["score", "Sink: out"]
    assert stored["operators"][0]["queueing"] == "round-robin"
    (snapshot,) = client.get(f"/v1/topologies/{name}/snapshots").json()["items"]
    assert snapshot == found["snapshots"][0]
    parse = snapshot["operators"]["parse"]
    assert parse["processors"] == 5
    assert parse["service_rate"] == pytest.approx(20.0)
    assert parse["served_rate"] == pytest.approx(40.0)
    estimate = client.post(f"/v1/topologies/{name}/estimate", json={})
    assert estimate.status_code == 200
    assert estimate.json()["stable"]


def test_the_same_answers_again_replace_and_make_no_revision(client: httpx.Client, name: str):
    first = read_job()
    body = [first, later(first, 10.0, 400, 20_000.0)]
    post(client, name, body)
    again = post(client, name, body, "replace")
    assert (again["topology_was"], again["revision"], again["replaced"]) == ("kept", 1, 1)


def test_two_who_post_at_once_to_an_unknown_topology_are_both_answered(client: httpx.Client, name: str):
    first = read_job()
    body = [first, later(first, 10.0, 400, 20_000.0)]
    with ThreadPoolExecutor(3) as posting:
        for turn in range(5):
            found = list(posting.map(lambda _, to=f"{name}{turn}": post(client, to, body), range(3)))
            assert sorted(one["topology_was"] for one in found) == ["created", "kept", "kept"]
            assert sum(one["stored"] for one in found) == 1


def test_answers_with_paths_and_times_say_the_same(client: httpx.Client, name: str):
    first = read_job()
    second = later(first, 10.0, 400, 20_000.0)
    path = f"/jobs/{first['jid']}"
    bare = post(client, name, [first, second])
    named = post(client, name, {"answers": [{"path": path, "body": first}, {"path": path, "body": second}]})
    assert named["snapshots"] == bare["snapshots"]


def test_an_owner_keeps_bounds_when_the_engine_replaces_the_graph(client: httpx.Client, name: str):
    owned = {
        "name": name,
        "operators": [
            {"name": "parse", "max_processors": 9, "service_scv": 0.0},
            {"name": "gone", "service_scv": 2.0},
        ],
    }
    assert client.post("/v1/topologies", json=owned).status_code == 201
    first = read_job()
    kept = post(client, name, [first, later(first, 10.0, 400, 20_000.0)])
    assert kept["topology_was"] == "kept"
    codes = {one["code"]: one["operators"] for one in kept["diagnostics"]}
    assert codes["operator-not-in-topology"] == ["score", "Sink: out"]
    assert codes["operators-not-measured"] == ["gone"]
    assert "topology-differs" in codes
    assert list(kept["snapshots"][0]["operators"]) == ["parse"]

    replaced = post(client, name, [first, later(first, 10.0, 400, 20_000.0)], "replace")
    assert (replaced["topology_was"], replaced["revision"]) == ("replaced", 2)
    parse, *others = client.get(f"/v1/topologies/{name}").json()["operators"]
    assert (parse["max_processors"], parse["queueing"], parse["service_scv"]) == (9, "round-robin", 0.0)
    assert "owner-words-dropped" in [one["code"] for one in replaced["diagnostics"]]
    assert [one["name"] for one in others] == ["score", "Sink: out"]


def test_answers_about_another_topology_are_refused_and_nothing_is_stored(client: httpx.Client, known: str):
    first = read_job()
    refused = client.post(
        f"/v1/topologies/{known}/snapshots/from/flink", json=[first, later(first, 10.0, 400, 2e4)]
    )
    assert refused.status_code == 422
    assert "none of the operators" in refused.json()["errors"][0]["detail"]
    assert client.get(f"/v1/topologies/{known}/snapshots").json()["items"] == []


@pytest.mark.parametrize("body", [{}, [], 7, "x", None, {"answers": []}, {"vertices": []}, [[]]])
def test_what_no_engine_answers_is_a_problem_that_says_what_to_send(
    client: httpx.Client, name: str, body: Any
):
    refused = client.post(f"/v1/topologies/{name}/snapshots/from/flink", json=body)
    assert refused.status_code == 422, refused.text
    assert refused.json()["errors"][0]["detail"]


@pytest.mark.parametrize(
    ("engine", "document", "stored"),
    [
        ("spark", "recentProgress-stateful", 5),
        ("spark", "lastProgress", 1),
        ("kafka", "two-members-behind", 2),
        ("kafka", "librdkafka-stats", 0),
    ],
)
def test_recorded_answers_make_a_topology_of_one_operator(
    client: httpx.Client, name: str, engine: str, document: str, stored: int
):
    body = json.loads((JOB.parents[1] / engine / f"{document}.json").read_text())
    for new in (stored, 0):
        answer = client.post(f"/v1/topologies/{name}/snapshots/from/{engine}", json=body)
        assert answer.status_code == 201, answer.text
        assert (answer.json()["stored"], answer.json()["replaced"]) == (new, stored - new)
    assert [one["name"] for one in client.get(f"/v1/topologies/{name}").json()["operators"]] == ["clicks"]


def test_operators_that_prometheus_knows_by_label_are_stored_by_their_names(client: httpx.Client, name: str):
    operators = [{"name": "parse"}, {"name": "Window(key: user)"}]
    edges = [{"source": "parse", "target": "Window(key: user)"}]
    client.post(
        "/v1/topologies", json={"name": name, "operators": operators, "edges": edges}
    ).raise_for_status()
    series = [
        {"metric": {"task_name": task}, "values": [[1795041988, "40"]]}
        for task in ("parse", "Window_key:_user_")
    ]
    entering = [{"metric": {}, "values": [[1795041988, "40"]]}]
    answers = [
        {"path": f"/api/v1/query_range?query=x[1m]&role={role}", "body": matrix(result)}
        for role, result in (("arrival_rate", series), ("external_rate", entering))
    ]
    stored = client.post(f"/v1/topologies/{name}/snapshots/from/prometheus", json={"answers": answers})
    assert stored.status_code == 201, stored.text
    (snapshot,) = client.get(f"/v1/topologies/{name}/snapshots").json()["items"]
    assert snapshot["operators"].keys() == {"parse", "Window(key: user)"}
    assert "operator-not-in-topology" not in {one["code"] for one in stored.json()["diagnostics"]}


def matrix(result: list[dict[str, Any]]) -> dict[str, Any]:
    """An answer of Prometheus."""
    return {"status": "success", "data": {"resultType": "matrix", "result": result}}


def test_a_name_with_a_zero_character_is_stored_without_it(client: httpx.Client, name: str):
    first = read_job(schedulerType="Adap\x00tive")
    found = post(client, name, [first, later(first, 10.0, 400, 20_000.0)])
    assert found["marks"]["scheduler"] == "Adaptive"


def read_ahead(hours: float) -> list[dict[str, Any]]:
    """Three documents of the job by a clock that is so many hours ahead."""
    job = read_job()
    lead = round(1000 * (time.time() + hours * 3600)) - job["now"]
    for one in (job, job["timestamps"], *job["vertices"]):
        one |= {key: one[key] + lead for key in ("now", "start-time", "RUNNING") if key in one}
    return [later(job, 10.0 * turn, 400 * turn, 20_000.0 * turn) for turn in range(3)]


def test_a_clock_ahead_is_said_and_one_far_ahead_is_no_fault_of_a_snapshot_that_nobody_sent(
    client: httpx.Client, name: str
):
    assert "ahead-of-clock" in {one["code"] for one in post(client, name, read_ahead(1.0))["diagnostics"]}
    refused = client.post(f"/v1/topologies/{name}/snapshots/from/flink", json=read_ahead(72.0))
    assert refused.status_code == 422, refused.text
    (error,) = refused.json()["errors"]
    assert error["pointer"] == "#"
    assert "3 days ahead of the service's clock" in error["detail"]


def test_a_time_beyond_all_calendars_is_a_problem(client: httpx.Client, name: str):
    page = {
        "id": "t-1-1",
        "name": "t",
        "uptimeSeconds": 1e14,
        "window": ":all-time",
        "spouts": [],
        "bolts": [BOLT],
    }
    refused = client.post(f"/v1/topologies/{name}/snapshots/from/storm", json=page)
    assert refused.status_code == 422, refused.text


FORK = Path("tests/golden/engines/flink/fork-overload.json")


def test_an_overloaded_branch_keeps_the_selectivity_that_was_stored_before(client: httpx.Client, name: str):
    """score and audit take part of what parse sends, and Flink does not tell which part: score was seen with 0.9."""
    sent, headers = FORK.read_bytes(), {"Content-Type": "application/json"}
    path = "/v1/topologies/{}/snapshots/from/flink?topology=replace"
    assert client.post(path.format(f"{name}-new"), content=sent, headers=headers).status_code == 201
    graph = client.get(f"/v1/topologies/{name}-new").json()
    known = {"score": 0.9, "audit": 1.7}
    edges = [one | {"selectivity": known.get(one["target"], one["selectivity"])} for one in graph["edges"]]
    kept = {"name": name, "operators": graph["operators"], "entries": graph["entries"], "edges": edges}
    assert client.post("/v1/topologies", json=kept).status_code == 201
    assert client.post(path.format(name), content=sent, headers=headers).status_code == 201
    stored = {
        one["target"]: one["selectivity"] for one in client.get(f"/v1/topologies/{name}").json()["edges"]
    }
    assert stored["score"] == 0.9
