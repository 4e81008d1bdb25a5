"""/v1/fleet/policy over HTTP: created, replaced, read and deleted."""

import httpx
import pytest


def test_a_policy_is_created_replaced_and_deleted(fleet: httpx.Client):
    body = {"k_max": 50, "classes": [{"label": "critical", "priority": 10}]}
    made = fleet.put("/v1/fleet/policy", json=body)
    assert (made.status_code, made.headers["Location"]) == (201, "/v1/fleet/policy")
    assert made.json()["classes"] == [
        {"label": "critical", "topologies": None, "priority": 10, "weight": 1.0, "min_processors": None}
    ]
    again = fleet.put("/v1/fleet/policy", json={"k_max": 60})
    assert (again.status_code, again.json()["classes"]) == (200, [])
    assert fleet.get("/v1/fleet/policy").json() == again.json()
    assert fleet.delete("/v1/fleet/policy").status_code == 204
    gone = fleet.get("/v1/fleet/policy")
    assert (gone.status_code, gone.json()["type"]) == (404, "unknown-policy")
    assert fleet.delete("/v1/fleet/policy").status_code == 404


@pytest.mark.parametrize("terms", [{}, {"label": "a", "topologies": ["b"]}])
def test_a_class_is_of_a_label_or_of_names(fleet: httpx.Client, terms: dict[str, object]):
    refused = fleet.put("/v1/fleet/policy", json={"k_max": 5, "classes": [terms]})
    assert refused.status_code == 422
    (error,) = refused.json()["errors"]
    assert error["pointer"] == "#/classes/0"
    assert "either a label or topologies" in error["detail"]
