"""The pointer of a problem leads to the part of the body that is wrong, whatever the planner calls it."""

import pickle
from typing import Any

import httpx
import pytest

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from app.machines.vm_catalogues import AZURE_D_SIZES
from app.web.problems.error_pointers import (
    ARGUMENTS,
    STORED,
    TOPOLOGY_ALONE,
    RefusedByPlanner,
    find_place,
    lead_into_body,
)
from app.web.problems.problem_kinds import KINDS
from planner.errors import BoundTooSmall, InvalidArgument, InvalidLoad, PlannerError, TargetUnreachable

DESCRIBED = {"topology": FPD, "load": FPD_LOAD}
TYPO = {"detecter": 2.0}
SERVICE_RATES = {name: {"service_rate": 100.0} for name in ("generator", "detector", "reporter")}
NOT_SAID_WHAT_RUNS = {"external_rate": 1.0, "operators": SERVICE_RATES}
BOUNDED = {"operators": [{"name": "a", "max_processors": 1}]}
BOUNDED_LOAD = {"external_rate": 10.0, "operators": {"a": {"service_rate": 2.0}}}
PLACED = {
    "topology": {"operators": [{"name": "detector"}], "edges": []},
    "external_rate": 1.0,
    "profiles": {"detector": [{"threads": 1, "peak_rate": 2.0, "cpu": 90.0, "memory": 0.1}]},
    "mapping": "rsm",
}


def refuse(client: httpx.Client, method: str, path: str, body: Any) -> tuple[int, str, str]:
    """Status, type and pointer of the only part to change: it is in the body, or a field that could be."""
    problem = client.request(method, path, json=body).json()
    assert "errors" in problem, problem
    (wrong,) = problem["errors"]
    assert leads_into(body, wrong["pointer"]) or wrong["pointer"].count("/") == 1, wrong
    return problem["status"], problem["type"], wrong["pointer"]


def leads_into(body: Any, pointer: str) -> bool:
    """Whether the body has something there, by RFC 6901."""
    here = body
    for part in pointer.removeprefix("#").split("/")[1:]:
        key: Any = int(part) if isinstance(here, list) else part.replace("~1", "/").replace("~0", "~")
        try:
            here = here[key]
        except (KeyError, IndexError, TypeError):
            return False
    return True


@pytest.mark.parametrize(
    ("call", "change", "kind", "pointer"),
    [
        ("plans/proportional", {"capacities": TYPO}, "invalid-load", "#/capacities/detecter"),
        (
            "plans/proportional",
            {"load": {"external_rate": 1.0, "operators": {}}},
            "invalid-load",
            "#/load/operators",
        ),
        ("plans/min-latency", {"k_max": 1}, "budget-too-small", "#/k_max"),
        ("plans/min-processors", {"t_max_seconds": 1e-9}, "target-unreachable", "#/t_max_seconds"),
        (
            "plans/min-latency",
            {"topology": BOUNDED, "load": BOUNDED_LOAD, "k_max": 9},
            "bound-too-small",
            "#/topology/operators",
        ),
        ("estimate", {"processors": {"x": 1}}, "invalid-allocation", "#/processors/x"),
        ("estimate", {"load": NOT_SAID_WHAT_RUNS}, "invalid-allocation", "#/processors"),
        ("gate", {"processors": {"x": 1}}, "invalid-allocation", "#/processors/x"),
        ("gate", {"external_rate": 1e14}, "invalid-load", "#/external_rate"),
        (
            "gate",
            {"rate_factor": 1e6, "load": FPD_LOAD | {"external_rate": 1e8}},
            "invalid-load",
            "#/rate_factor",
        ),
    ],
)
def test_a_described_call_points_at_the_field_that_is_wrong(
    client: httpx.Client, call: str, change: dict[str, Any], kind: str, pointer: str
) -> None:
    found = refuse(client, "POST", f"/v1/{call}", DESCRIBED | change)
    assert found == (422, kind, pointer)


@pytest.mark.parametrize(
    ("call", "body", "kind", "pointer"),
    [
        ("plans/proportional", {"capacities": TYPO}, "invalid-load", "#/capacities/detecter"),
        ("plans/min-latency", {"k_max": 1}, "budget-too-small", "#/k_max"),
        ("plans/min-processors", {"t_max_seconds": 1e-9}, "target-unreachable", "#/t_max_seconds"),
        ("estimate", {"processors": {"x": 1}}, "invalid-allocation", "#/processors/x"),
        ("gate", {"external_rate": 1e14}, "invalid-load", "#/external_rate"),
    ],
)
def test_a_stored_call_points_at_the_field_that_is_wrong(  # noqa: PLR0917 - one row of the table
    client: httpx.Client, stored: str, call: str, body: dict[str, Any], kind: str, pointer: str
) -> None:
    more = {"max_snapshot_age_seconds": 1e9} if call == "gate" else {}
    found = refuse(client, "POST", f"/v1/topologies/{stored}/{call}", body | more)
    assert found == (422, kind, pointer)


def test_a_stored_measurement_that_cannot_be_computed_with_is_a_conflict(
    client: httpx.Client, name: str
) -> None:
    assert client.post("/v1/topologies", json=FPD | {"name": name}).status_code == 201
    unmeasured = {"observed_at": "2026-11-18T00:00:00Z", "external_rate": 1.0, "operators": {}}
    assert client.post(f"/v1/topologies/{name}/snapshots", json=unmeasured).status_code == 201
    refused = client.post(f"/v1/topologies/{name}/plans/min-latency", json={"k_max": 9})
    assert (refused.status_code, refused.json()["type"]) == (409, "stored-data-unusable")
    assert "errors" not in refused.json()


def test_a_topology_that_is_the_whole_body_is_pointed_into_from_the_root(
    client: httpx.Client, name: str
) -> None:
    wrong = FPD | {"name": name, "edges": [{"source": "generator", "target": "x"}]}
    expected = (422, "invalid-topology", "#/edges/0/target")
    assert refuse(client, "POST", "/v1/topologies", wrong) == expected
    assert client.post("/v1/topologies", json=FPD | {"name": name}).status_code == 201
    assert refuse(client, "PUT", f"/v1/topologies/{name}", wrong) == expected


def test_a_start_in_seconds_is_pointed_at_in_seconds(client: httpx.Client, measured: str) -> None:
    samples = [
        {"observed_at": f"2026-11-17T0{i}:00:00Z", "vms": i, "throughput": 60.0 * i} for i in range(1, 8)
    ]
    assert client.post(f"/v1/topologies/{measured}/mst-samples", json=samples).status_code == 201
    body = {"startup_seconds": 31_536_000.0, "interval_seconds": 60.0}
    found = refuse(client, "POST", f"/v1/topologies/{measured}/forecasts/vms", body)
    assert found == (422, "invalid-schedule", "#/startup_seconds")


def test_sizes_of_a_catalogue_are_pointed_at_by_its_name(client: httpx.Client, name: str) -> None:
    created = client.post("/v1/vm-catalogues", json={"name": name, "sizes": AZURE_D_SIZES})
    assert created.status_code == 201, created.text
    expected = (422, "vm-too-small")
    by_list, by_name = PLACED | {"vm_sizes": AZURE_D_SIZES}, PLACED | {"vm_catalogue": name}
    assert refuse(client, "POST", "/v1/placements", by_list) == (*expected, "#/vm_sizes")
    assert refuse(client, "POST", "/v1/placements", by_name) == (*expected, "#/vm_catalogue")


def test_every_planner_error_that_has_a_problem_says_which_argument_it_is_about() -> None:
    for kind in KINDS:
        if issubclass(kind, PlannerError) and not issubclass(kind, InvalidArgument):
            assert kind in ARGUMENTS or "pointer" in kind.__dataclass_fields__, kind


@pytest.mark.parametrize(
    ("error", "place"),
    [
        (InvalidLoad("wrong", "/a~1b", "capacities"), "/capacities/a~1b"),
        (InvalidLoad("wrong", "/operators"), "/load/operators"),
        (TargetUnreachable(0.1, 0.2), "/t_max_seconds"),
        (BoundTooSmall("a", 1, 2), "/topology/operators"),
    ],
)
def test_an_error_has_one_place_among_the_planner_s_arguments(error: PlannerError, place: str) -> None:
    assert find_place(error) == lead_into_body(place, {}) == place
    copy = pickle.loads(pickle.dumps(RefusedByPlanner(error, place)))
    assert (str(copy), copy.pointer) == (str(error), place)


@pytest.mark.parametrize(
    ("place", "places", "pointer"),
    [
        ("/topology/edges/0", TOPOLOGY_ALONE, "/edges/0"),
        ("/topology/edges/0", STORED, ""),
        ("/capacities/a", STORED, "/capacities/a"),
        ("/states/a/owners", {"states": "/policy/states"}, "/policy/states/a/owners"),
        ("", STORED, ""),
    ],
)
def test_a_body_has_each_argument_where_its_table_says(
    place: str, places: dict[str, str | None], pointer: str
) -> None:
    assert lead_into_body(place, places) == pointer
