"""Every wrong part of a body is named, with its pointer."""

import httpx
import pytest

from tests.app.web.refusals import PLAN, assert_refused, changed

BAD_REQUESTS = [
    ("/v1/plans/min-latency", "#/k_max", 0, "#/k_max"),
    ("/v1/plans/min-latency", "#/k_max", 10**12 + 1, "#/k_max"),
    ("/v1/plans/min-latency", "#/k_max", 3.0, "#/k_max"),
    ("/v1/plans/min-latency", "#/k_max", "3", "#/k_max"),
    ("/v1/plans/min-latency", "#/k_max", True, "#/k_max"),
    ("/v1/plans/min-latency", "#/model", "mm1", "#/model"),
    ("/v1/plans/min-latency", "#/kmax", 3, "#/kmax"),
    ("/v1/plans/min-latency", "#/topology/operators/0/nam", "a", "#/topology/operators/0/nam"),
    ("/v1/plans/min-latency", "#/load/operators/a/rate", 1, "#/load/operators/a/rate"),
    ("/v1/estimate", "#/processors", {"a": 0}, "#/processors/a"),
    ("/v1/estimate", "#/processors", {"a": 10**12}, "#/processors/a"),
]


@pytest.mark.parametrize(("path", "where", "value", "pointer"), BAD_REQUESTS)
def test_a_malformed_request_is_refused_at_the_part_at_fault(
    client: httpx.Client, path: str, where: str, value: object, pointer: str
):
    body = PLAN if "plans" in path else {key: PLAN[key] for key in ("topology", "load")}
    assert_refused(client.post(path, json=changed(body, where, value)), [pointer])


def test_every_wrong_part_is_named_at_once(client: httpx.Client):
    body = {"topology": {"operators": [{"nam": "a"}]}, "load": {"external_rate": "x"}, "k_max": 0}
    wrong = [
        "#/topology/operators/0/name",
        "#/topology/operators/0/nam",
        "#/load/external_rate",
        "#/load/operators",
        "#/k_max",
    ]
    assert_refused(client.post("/v1/plans/min-latency", json=body), wrong)


@pytest.mark.parametrize(
    ("arrivals", "pointer", "said"),
    [
        ({}, "#/arrivals", "Its kind is missing"),
        ({"kind": "poisson", "burst_ratio": 2.0}, "#/arrivals/burst_ratio", "belongs to another kind"),
        ({"kind": "mmp"}, "#/arrivals", "Did you mean 'mmpp'?"),
    ],
)
def test_a_part_of_another_kind_is_told_from_an_unknown_one(
    client: httpx.Client, arrivals: dict[str, object], pointer: str, said: str
):
    body = {key: PLAN[key] for key in ("topology", "load")} | {"roots": 1000, "arrivals": arrivals}
    problem = assert_refused(client.post("/v1/simulations", json=body), [pointer])
    assert said in problem["errors"][0]["detail"]
