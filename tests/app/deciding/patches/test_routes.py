"""Patches over HTTP: what every format sends, and what is said of the decision."""

import json
import shlex
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from planner.wording import write_seconds
from tests.app.decision_calls import ANY_AGE, ENOUGH, decide, observe, put_policy
from tests.app.engines.engine_snapshots.test_routes import later, post, read_job
from tests.app.engines.kubernetes_schemas import check

FLINK = Path("tests/golden/engines/flink")
FORMATS = ("flink", "storm", "heron", "keda", "kubernetes", "flink-operator", "json")


@pytest.fixture
def change(client: httpx.Client, known: str) -> dict[str, Any]:
    """A decision to scale up, at minute 1."""
    put_policy(client, known, ANY_AGE | {"bounds": {"reporter": {"min_processors": 2, "max_processors": 6}}})
    observe(client, known, 1, 480.0, ENOUGH)
    return decide(client, known, 1)


def ask(client: httpx.Client, decision: dict[str, Any], form: str, **more: str) -> httpx.Response:
    return client.get(f"/v1/decisions/{decision['id']}/patch", params={"format": form} | more)


def read(client: httpx.Client, decision: dict[str, Any], form: str, **more: str) -> dict[str, Any]:
    answer = ask(client, decision, form, **more)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_json_is_the_recommended_processors(client: httpx.Client, known: str, change: dict[str, Any]):
    patch = read(client, change, "json")
    assert patch["body"] == change["processors"]["recommended"]
    assert (patch["decision_id"], patch["topology"], patch["action"]) == (change["id"], known, "scale_up")
    assert (patch["method"], patch["command"], patch["placeholders"]) == (None, None, [])


@pytest.mark.parametrize("form", ["keda", "kubernetes"])
def test_objects_are_those_of_kubernetes_in_json_and_in_yaml(
    client: httpx.Client, change: dict[str, Any], form: str
):
    patch = read(client, change, form)
    for document in patch["body"]:
        check(document)
    written = ask(client, change, form, **{"as": "yaml"})
    assert written.headers["content-type"] == "application/yaml"
    assert list(yaml.safe_load_all(written.text)) == patch["body"]
    assert "&id" not in written.text, "each object stands alone"
    assert all(line.startswith("# ") for line in written.text.split("\napiVersion")[0].splitlines()[:3])
    accepted = client.get(
        f"/v1/decisions/{change['id']}/patch?format={form}", headers={"Accept": "application/yaml"}
    )
    assert accepted.text == written.text


def test_a_scaled_object_lies_within_the_bounds_of_topology_and_policy(
    client: httpx.Client, known: str, change: dict[str, Any]
):
    patch = read(client, change, "keda", service_url="https://hg.example:8443")
    assert patch["placeholders"] == []
    assert read(client, change, "keda")["placeholders"] == ["http://headgate.default.svc:8000"]
    found = patch["body"]
    limits = {one["metadata"]["name"]: one["spec"] for one in found}
    assert (limits["reporter"]["minReplicaCount"], limits["reporter"]["maxReplicaCount"]) == (2, 6)
    assert limits["detector"]["minReplicaCount"] == 1
    asked = limits["detector"]["triggers"][0]["metadata"]["url"]
    assert asked == f"https://hg.example:8443/v1/topologies/{known}/keda/detector"
    for odd in ("ftp://x", "http://", "http://a b", "http://x?y", "https://x\nz: 1"):
        assert ask(client, change, "keda", service_url=odd).status_code == 422, odd


def test_the_operator_of_flink_takes_a_merge_patch(client: httpx.Client, change: dict[str, Any]):
    patch = read(client, change, "flink-operator")
    overrides = patch["body"]["spec"]["flinkConfiguration"]["pipeline.jobvertex-parallelism-overrides"]
    counts = change["processors"]["recommended"]
    assert overrides == ",".join(f"<vertex id of {name}>:{count}" for name, count in counts.items())
    assert set(patch["placeholders"]) >= {f"<vertex id of {name}>" for name in counts}
    written = ask(client, change, "flink-operator", **{"as": "yaml"}).text
    assert yaml.safe_load(written) == patch["body"]


@pytest.fixture
def change_of_flink(client: httpx.Client, name: str) -> dict[str, Any]:
    """A decision about a job of which Flink's answers were stored."""
    first = read_job()
    post(client, name, [first, later(first, 10.0, 400, 20_000.0)])
    put_policy(client, name, {"goal": {"t_max_seconds": 0.145}, "max_snapshot_age_seconds": 1e9})
    answer = client.post(f"/v1/topologies/{name}/decisions")
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    assert made["action"] != "hold"
    return made


def test_flink_takes_the_parallelism_of_every_vertex(client: httpx.Client, change_of_flink: dict[str, Any]):
    """The recorded answer to GET resource-requirements of the same job has the form that PUT takes."""
    patch = read(client, change_of_flink, "flink")
    recorded = json.loads((FLINK / "resource-requirements.json").read_text())
    ids = {one["name"]: one["id"] for one in read_job()["vertices"]}
    counts = change_of_flink["processors"]["recommended"]
    wanted = {ids[name]: {"parallelism": {"lowerBound": 1, "upperBound": n}} for name, n in counts.items()}
    assert patch["body"] == recorded | wanted
    assert patch["body"] != recorded
    assert (patch["method"], patch["content_type"]) == ("PUT", "application/json")
    assert patch["path"] == f"/jobs/{read_job()['jid']}/resource-requirements"
    assert patch["placeholders"] == ["<address of the engine>"]
    words = shlex.split(patch["command"])
    assert words[:4] == ["curl", "-X", "PUT", f"<address of the engine>{patch['path']}"]
    assert json.loads(words[-1]) == patch["body"]
    assert patch["notes"][-1].startswith("Ids and names are from flink's answer at 2")
    overrides = read(client, change_of_flink, "flink-operator")["body"]["spec"]["flinkConfiguration"]
    (written,) = overrides.values()
    assert dict(one.split(":") for one in written.split(",")) == {
        vertex: str(one["parallelism"]["upperBound"]) for vertex, one in patch["body"].items()
    }


@pytest.mark.parametrize(
    "refused", json.loads((FLINK / "put-traps.json").read_text()), ids=lambda one: one["case"]
)
def test_a_patch_is_none_of_those_that_flink_refused(
    client: httpx.Client, change_of_flink: dict[str, Any], refused: dict[str, Any]
):
    sent = read(client, change_of_flink, "flink")["body"]
    vertices = {one["id"]: one["maxParallelism"] for one in read_job()["vertices"]}
    if refused["status"] == 400:
        assert breaks(refused["body"], vertices), refused["case"]
    assert not breaks(sent, vertices)


def breaks(body: dict[str, Any], vertices: dict[str, int]) -> bool:
    """Whether the body has one of the faults for which Flink answered 400."""
    bounds = {vertex: one["parallelism"] for vertex, one in body.items()}
    return bounds.keys() != vertices.keys() or any(
        not 1 <= one["lowerBound"] <= one["upperBound"] <= vertices[vertex] for vertex, one in bounds.items()
    )


def test_what_another_engine_calls_things_is_not_used(client: httpx.Client, change_of_flink: dict[str, Any]):
    patch = read(client, change_of_flink, "storm")
    assert "<topology id>" in patch["placeholders"]
    assert "No answer of storm" in patch["notes"][-1]


def test_only_objects_of_kubernetes_are_written_in_yaml(client: httpx.Client, change: dict[str, Any]):
    refused = ask(client, change, "json", **{"as": "yaml"})
    assert (refused.status_code, refused.json()["type"]) == (406, "not-acceptable")
    detail = refused.json()["detail"]
    assert detail.startswith("format=json has no documents for kubectl")
    assert detail.endswith("ask for application/json.")


def test_a_hold_says_so(client: httpx.Client, known: str):
    put_policy(client, known, ANY_AGE)
    observe(client, known, 1, 320.0, ENOUGH)
    patch = read(client, decide(client, known, 1), "json")
    assert patch["body"] == ENOUGH
    assert "nothing to send" in patch["notes"][0]


def test_a_decision_beyond_the_bounds_of_now_says_so(
    client: httpx.Client, known: str, change: dict[str, Any]
):
    wanted = change["processors"]["recommended"]
    most = wanted["detector"] - 1
    topology = client.get(f"/v1/topologies/{known}").json()
    topology["operators"][1]["max_parallelism"] = most
    graph = {name: topology[name] for name in ("name", "operators", "edges", "entries")}
    assert client.put(f"/v1/topologies/{known}", json=graph).status_code == 200
    least = wanted["reporter"] + 1
    put_policy(client, known, ANY_AGE | {"bounds": {"reporter": {"min_processors": least}}})
    (said,) = [note for note in read(client, change, "json")["notes"] if "no longer allow" in note]
    assert f"detector {wanted['detector']} (at most {most})" in said
    assert f"reporter {wanted['reporter']} (at least {least})" in said


def test_an_older_decision_and_one_for_an_older_revision_say_so(
    client: httpx.Client, known: str, change: dict[str, Any]
):
    assert read(client, change, "json")["notes"] == []
    observe(client, known, 2, 480.0, ENOUGH)
    newer = decide(client, known, 2)
    assert "newer data" in read(client, change, "json")["notes"][0]
    assert not any("newer data" in note for note in read(client, newer, "json")["notes"])
    topology = client.get(f"/v1/topologies/{known}").json()
    topology["operators"][1]["max_processors"] = 40
    graph = {name: topology[name] for name in ("name", "operators", "edges", "entries")}
    assert client.put(f"/v1/topologies/{known}", json=graph).status_code == 200
    assert "revision 1 of the topology, which now is at 2" in read(client, newer, "json")["notes"][-1]


def test_what_moves_is_said(client: httpx.Client, known: str):
    state = {
        "key_groups": 128,
        "size_bytes": 42e6,
        "computing_bytes_per_second": [100e6],
        "bandwidth_bytes_per_second": [12.5e6],
    }
    put_policy(client, known, ANY_AGE | {"states": {"detector": state}})
    observe(client, known, 1, 480.0, ENOUGH)
    made = decide(client, known, 1)
    seconds = made["moving"]["migrations"]["detector"]["repartition_seconds"]
    assert f"detector ({write_seconds(seconds)})" in read(client, made, "json")["notes"][0]


def test_an_unknown_decision_and_an_unknown_format_are_refused(client: httpx.Client, change: dict[str, Any]):
    nowhere = {"id": "00000000-0000-0000-0000-000000000000"}
    for form in FORMATS:
        assert ask(client, nowhere, form).json()["type"] == "unknown-decision"
    assert ask(client, change, "samza").status_code == 422


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_says_what_to_send_also_where_the_engine_was_never_read(
    client: httpx.Client, change: dict[str, Any], form: str
):
    patch = read(client, change, form)
    sent = patch["command"] or json.dumps(patch["body"])
    for name, count in change["processors"]["recommended"].items():
        assert name in sent
        assert str(count) in sent or form == "keda"
    assert all(one in json.dumps(patch, ensure_ascii=False) for one in patch["placeholders"])
    assert (patch["method"] is None) == (patch["path"] is None) == (patch["content_type"] is None)


def test_a_command_holds_the_request_whatever_names_hold(client: httpx.Client, name: str):
    odd = "$(reboot) 'a' \"b\" \\ `c`"
    client.post("/v1/topologies", json={"name": name, "operators": [{"name": odd}]})
    put_policy(client, name, ANY_AGE)
    load = {"observed_at": "2026-11-18T00:00:00Z", "external_rate": 10.0}
    one = {odd: {"service_rate": 50.0, "processors": 1}}
    client.post(f"/v1/topologies/{name}/snapshots", json=load | {"operators": one})
    patch = read(client, decide(client, name, 1), "flink-operator")
    assert json.loads(shlex.split(patch["command"])[-1]) == patch["body"]
