"""The limits of the service: each refusal names the setting that raises it."""

import httpx
import pytest

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from app.web.problems import errors
from tests.app.processes import StartService
from tests.app.web.refusals import ONE, PLAN, assert_refused, changed


def test_a_billion_processors_are_a_plan_like_any_other(client: httpx.Client):
    body = {"topology": FPD, "load": FPD_LOAD, "k_max": 10**9}
    answer = client.post("/v1/plans/min-latency", json=body, timeout=10)
    assert answer.status_code == 200
    assert sum(answer.json()["processors"].values()) <= 10**9
    bounded = changed(body, "#/topology/operators/2/max_processors", 10**9)
    assert client.post("/v1/plans/min-latency", json=bounded, timeout=10).status_code == 200


def test_a_limit_of_the_service_is_named_with_its_setting(start_service: StartService, database_url: str):
    service = start_service(
        database_url=database_url, max_operators="2", max_edges="1", max_body_bytes="1024"
    )
    with httpx.Client(base_url=service.url, timeout=60) as client:
        three = {"operators": [{"name": one} for one in "abc"]}
        problem = assert_refused(client.post("/v1/topologies", json=three | {"name": "x"}), ["#/operators"])
        assert "HEADGATE_MAX_OPERATORS" in problem["detail"]
        described = PLAN | {"topology": three}
        assert_refused(client.post("/v1/plans/min-latency", json=described), ["#/topology/operators"])
        looped = ONE | {"edges": [{"source": "a", "target": "a", "selectivity": 0.1}] * 2}
        problem = assert_refused(client.post("/v1/topologies", json=looped | {"name": "x"}), ["#/edges"])
        assert "HEADGATE_MAX_EDGES" in problem["detail"]
        assert client.get("/v1/topologies/x").status_code == 404


@pytest.mark.parametrize(
    ("error", "parts"),
    [
        (errors.InvalidRequest((("#/a", "Correct a."),)), ["Correct a."]),
        (errors.InvalidRequest((("#/a", "Correct a."), ("#/b", "Correct b."))), ["2 parts"]),
        (
            errors.ThroughputNotConverged("/readings", 6, 4, 5, 0.05),
            ["of 6", "5 readings in a row", "4 within 5%"],
        ),
        (errors.PayloadTooLarge(1024), ["1024 bytes", "HEADGATE_MAX_BODY_BYTES"]),
        (errors.PayloadTooLarge(1024, is_fixed=True), ["1024 bytes: send less at once."]),
        (errors.UnsupportedMediaType(""), ["no Content-Type", "application/json"]),
        (errors.UnsupportedMediaType("text/plain"), ["'text/plain'", "application/json"]),
        (errors.NotAcceptable("text/html", ("image/png", "image/svg+xml")), ["image/png or image/svg+xml"]),
        (errors.Unauthorized(sent=True), ["Authorization: Bearer KEY", "not one of"]),
        (errors.Unauthorized(sent=False), ["needs a key"]),
        (errors.Overloaded(8, 3), ["8 requests", "in 3 s", "HEADGATE_COMPUTING_QUEUE"]),
    ],
)
def test_an_error_says_in_its_text_what_to_change(error: errors.ServiceError, parts: list[str]):
    for part in parts:
        assert part in str(error)
