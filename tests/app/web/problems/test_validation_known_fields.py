"""A misspelled field is answered with the known one that resembles it."""

from typing import Any

import httpx
import pytest

from app.planning.objectives.optimal import MinLatencyRequest
from app.web.problems.validation import advise, list_known_fields
from tests.app.web.refusals import ONE_LOAD, PLAN, assert_refused, changed

MISSPELLED = [
    ("/v1/plans/min-latency", PLAN | {"kmax": 3}, "'k_max'"),
    ("/v1/plans/min-latency", changed(PLAN, "#/topology/operators/0/statefull", 1), "'stateful'"),
    ("/v1/plans/min-latency", changed(PLAN, "#/load/operators/a/srvice_rate", 1), "'service_rate'"),
    ("/v1/topologies/nothing/snapshots", ONE_LOAD | {"observed": "x"}, "'observed_at'"),
    ("/v1/topologies/nothing/snapshots", [ONE_LOAD | {"windowSeconds": 1}], "'window_seconds'"),
    ("/v1/topologies/nothing/plans/min-latency", {"k_max": 1, "smoothing": {"kind": "windw"}}, "'window'"),
]


@pytest.mark.parametrize(("path", "body", "meant"), MISSPELLED)
def test_a_misspelled_field_is_answered_with_the_one_that_was_meant(
    client: httpx.Client, path: str, body: Any, meant: str
):
    details = " ".join(error["detail"] for error in assert_refused(client.post(path, json=body))["errors"])
    assert f"Did you mean {meant}?" in details


def test_an_unknown_field_like_no_other_is_answered_with_those_that_are_known(client: httpx.Client):
    problem = assert_refused(client.post("/v1/plans/min-latency", json=changed(PLAN, "#/load/xyz", 1)))
    assert "Known here: observed_at, window_seconds, covered_seconds, external_rate" in problem["detail"]


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ([], {"topology", "load", "k_max", "model"}),
        (["topology", "operators", 0], {"name", "stateful", "min_processors", "max_processors", "profile"}),
        (["load", "operators", "any name"], {"service_rate", "arrival_scv", "processors"}),
        (["topology", "nothing"], set()),
        (["k_max"], set()),
    ],
)
def test_the_known_fields_are_those_of_the_type_at_the_place(path: list[object], known: set[str]):
    found = set(list_known_fields(MinLatencyRequest, path))
    assert known <= found
    assert bool(found) == bool(known)


def test_the_advice_names_a_similar_field_or_all_where_they_are_few():
    assert advise("K_MAX", ["k_max", "model"]) == " Did you mean 'k_max'?"
    assert advise("xyz", ["k_max", "model"]) == " Known here: k_max, model."
    assert advise("xyz", [f"field_{number}" for number in range(13)]) == ""
    assert advise("xyz", []) == ""
