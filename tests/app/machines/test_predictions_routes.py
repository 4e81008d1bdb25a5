"""Predictions over HTTP: what a posted mapping sustains."""

import httpx
import pytest

from app.machines.predictions import BLOB_TOPOLOGY
from tests.app.placement_examples import BLOB, REQUEST, place


def test_a_posted_mapping_is_predicted(client: httpx.Client):
    body = {
        "topology": BLOB_TOPOLOGY,
        "profiles": {"blob": BLOB},
        "vms": [{"name": "mine", "slots": [{"threads": {"blob": 50}}, {"threads": {"blob": 1}}]}],
    }
    shuffled = client.post("/v1/predictions", json=body).json()
    assert shuffled["rate"] == pytest.approx(51 * 30 / 50)
    assert shuffled["meets_rate"] is None
    aware = client.post("/v1/predictions", json=body | {"routing": "slot-aware"}).json()
    assert (aware["rate"], aware["binding_task"]) == (32.0, "blob")
    assert [slot["cpu"] for slot in aware["vms"][0]["slots"]] == pytest.approx([0.767, 0.067])


def test_our_own_mapping_posted_back_is_predicted_alike(client: httpx.Client):
    answer = place(client)
    vms = [
        {"name": vm["name"], "slots": [{"threads": slot["threads"]} for slot in vm["slots"]]}
        for vm in answer["mapping"]["vms"]
    ]
    body = {key: REQUEST[key] for key in ("topology", "external_rate", "profiles", "routing")} | {"vms": vms}
    again = client.post("/v1/predictions", json=body).json()
    assert {key: again[key] for key in answer["prediction"]} == answer["prediction"]


def test_a_posted_mapping_of_an_unknown_task_is_refused(client: httpx.Client):
    body = {
        "topology": BLOB_TOPOLOGY,
        "profiles": {"blob": BLOB},
        "vms": [{"name": "mine", "slots": [{"threads": {"blop": 50}}]}],
    }
    problem = client.post("/v1/predictions", json=body)
    assert problem.status_code == 422
    assert problem.json()["errors"][0]["pointer"] == "#/vms/0/slots/0/threads"
