"""The gate over HTTP: verdicts on described and on stored topologies."""

import json
from datetime import UTC, datetime
from typing import Any

import httpx
import yaml

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from tests.app.test_cli import FPD as FOLDER

TOPOLOGY, LOAD = str(FOLDER / "topology.yaml"), str(FOLDER / "load.yaml")
FILES = [TOPOLOGY, "--load", LOAD]
TERMS = {"t_max_seconds": 0.5, "k_max": 40}


def judge(client: httpx.Client, **terms: Any) -> dict[str, Any]:
    answer = client.post("/v1/gate", json={"topology": FPD, "load": FPD_LOAD} | terms)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def newest(**fields: Any) -> dict[str, Any]:
    """The example's load, measured just now."""
    return FPD_LOAD | {"observed_at": datetime.now(UTC).isoformat()} | fields


def test_a_gate_answers_200_whether_it_passes_or_not(client: httpx.Client):
    passed = judge(client, **TERMS)
    assert passed["passed"]
    assert [check["name"] for check in passed["checks"]] == ["stability", "bounds", "budget", "latency"]
    failed = judge(client, external_rate=480.0, **TERMS)
    assert not failed["passed"]
    assert failed["expected_sojourn_seconds"] is None
    assert failed["binding_operator"] == "detector"
    assert failed["headroom_rate"] == passed["headroom_rate"]
    assert judge(client, external_rate=480.0, processors=failed["suggestion"]["processors"], **TERMS)[
        "passed"
    ]


def test_the_headroom_survives_json(client: httpx.Client):
    for terms in (TERMS, {"k_max": 40}, {"t_max_seconds": 0.07}):
        headroom = judge(client, **terms)["headroom_rate"]
        assert judge(client, external_rate=headroom, **terms)["passed"]
        assert not judge(client, external_rate=1.001 * headroom, **terms)["passed"]


def test_a_factor_is_times_the_measured_rate(client: httpx.Client):
    assert judge(client, rate_factor=1.5) == judge(client, external_rate=480.0)
    both = client.post(
        "/v1/gate", json={"topology": FPD, "load": FPD_LOAD, "rate_factor": 1.5, "external_rate": 480.0}
    )
    assert (both.status_code, both.json()["type"]) == (422, "invalid-request")


def test_a_load_that_does_not_say_what_runs_is_judged_by_the_best_split_of_the_budget(client: httpx.Client):
    partly = yaml.safe_load(json.dumps(FPD_LOAD))
    del partly["operators"]["reporter"]["processors"]
    answer = judge(client, load=partly, external_rate=480.0, **TERMS)
    assert answer["passed"]
    assert (answer["processors_origin"], sum(answer["processors"].values())) == ("planned", 40)
    assert "processors-planned" in [said["code"] for said in answer["diagnostics"]]
    refused = client.post("/v1/gate", json={"topology": FPD, "load": partly, "t_max_seconds": 0.5})
    assert (refused.status_code, refused.json()["type"]) == (422, "invalid-allocation")
    assert "a number of processors for all operators" in refused.json()["detail"]


def test_stored_and_stateless_gates_agree(client: httpx.Client, stored: str):
    client.post(f"/v1/topologies/{stored}/snapshots", json=newest())
    answer = client.post(f"/v1/topologies/{stored}/gate", json={"rate_factor": 1.5, **TERMS})
    assert answer.status_code == 200
    assert answer.json()["basis"]["snapshots"] == 1
    assert answer.json() | {"basis": None} == judge(client, rate_factor=1.5, **TERMS)
    assert client.post(f"/v1/topologies/{stored}/gate").json()["passed"]


def test_a_stored_gate_judges_by_nothing_old_unless_asked_to(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}"
    refused = client.post(f"{url}/gate", json=TERMS)
    assert (refused.status_code, refused.json()["type"]) == (409, "stale-snapshots")
    assert refused.json()["limit_seconds"] == 900.0
    judged = client.post(f"{url}/gate", json=TERMS | {"max_snapshot_age_seconds": 1e9})
    assert judged.json()["passed"]
    assert "old-snapshots" in [said["code"] for said in judged.json()["diagnostics"]]
    goal = {"t_max_seconds": 0.5}
    assert client.put(f"{url}/policy", json={"goal": goal, "max_snapshot_age_seconds": 1e9}).is_success
    by_policy = client.post(f"{url}/gate", json=TERMS)
    assert by_policy.status_code == 200
    assert "old-snapshots" not in [said["code"] for said in by_policy.json()["diagnostics"]]
    strict = client.post(f"{url}/gate", json=TERMS | {"max_snapshot_age_seconds": 3600})
    assert (strict.status_code, strict.json()["limit_seconds"]) == (409, 3600.0)


def test_a_rate_below_the_measured_one_is_said_over_http(client: httpx.Client):
    for terms in ({"external_rate": 1.5}, {"rate_factor": 0.5}):
        said = [one["code"] for one in judge(client, **TERMS, **terms)["diagnostics"]]
        assert "rate-below-measured" in said
    for terms in ({}, {"external_rate": 320.0}, {"rate_factor": 1.5}):
        said = [one["code"] for one in judge(client, **TERMS, **terms)["diagnostics"]]
        assert "rate-below-measured" not in said


def test_a_stored_gate_needs_a_snapshot(client: httpx.Client, name: str):
    client.post("/v1/topologies", json=FPD | {"name": name})
    refused = client.post(f"/v1/topologies/{name}/gate", json=TERMS)
    assert (refused.status_code, refused.json()["type"]) == (409, "no-snapshot")


P99 = {"of": "completion", "quantile": 0.99, "seconds": 0.2}


def test_a_gate_on_a_quantile_has_its_value_headroom_and_suggestion(client: httpx.Client):
    passed = judge(client, target=P99)
    (check,) = [one for one in passed["checks"] if one["name"] == "latency"]
    (quantile,) = passed["completion"]["quantiles"]
    assert (check["value"], check["limit"]) == (quantile["seconds"], 0.2)
    assert passed["passed"]
    assert not judge(client, target=P99, external_rate=1.001 * passed["headroom_rate"])["passed"]
    failed = judge(client, target=P99 | {"seconds": 0.12})
    assert not failed["passed"]
    assert judge(client, target=P99 | {"seconds": 0.12}, processors=failed["suggestion"]["processors"])[
        "passed"
    ]


def test_two_targets_of_a_gate_are_refused(client: httpx.Client):
    body = {"topology": FPD, "load": FPD_LOAD, "target": P99, "t_max_seconds": 0.5}
    refused = client.post("/v1/gate", json=body)
    assert refused.status_code == 422
    assert "give t_max_seconds or target, not both" in refused.text
