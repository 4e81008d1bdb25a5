"""The examples of problems are what the service answers to real requests about the topology fpd."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from app.forecasts.vms.schemas import EXAMPLE_SAMPLES, EXAMPLE_WORKLOAD
from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from app.machines.predictions import BLOB_TOPOLOGY
from app.machines.profiles.schemas import AZURE_BLOB
from app.web.problems.documented_problems import NO_ID, PROBLEM_EXAMPLES
from app.web.problems.problem_kinds import KINDS, describe_problem
from tests.app.processes import serving
from tests.app.web.refusals import changed

PLAN: dict[str, Any] = {"topology": FPD, "load": FPD_LOAD, "k_max": 22}
DESCRIBED: dict[str, Any] = {"topology": FPD, "load": FPD_LOAD}
PLACE: dict[str, Any] = {
    "topology": BLOB_TOPOLOGY,
    "external_rate": 100.0,
    "profiles": {"blob": AZURE_BLOB},
    "vm_sizes": [{"name": "D1", "slots": 1, "hourly_price": 0.1}],
}
PREDICT: dict[str, Any] = {
    "topology": BLOB_TOPOLOGY,
    "profiles": {"blob": AZURE_BLOB},
    "vms": [{"name": "a", "slots": [{"threads": {"blob": 50}}]}],
}
FORECAST: dict[str, Any] = {"workload": EXAMPLE_WORKLOAD, "mst_samples": EXAMPLE_SAMPLES, "policy": "mst+ua"}
TRIALS: dict[str, Any] = {
    "name": "parse",
    "trials": [
        {
            "threads": 1,
            "rate": 320,
            "samples": [[60, 0.5], [120, 4.1], [180, 7.9]],
            "cpu": 0.99,
            "memory": 0.36,
        }
    ],
}
MINUTES = [f"2026-11-18T{minute // 60:02}:{minute % 60:02}:00Z" for minute in range(200)]
STUCK = [{"at": at, "rate": 300.0} for at in MINUTES]
MIN_LATENCY, PLACEMENTS, VMS = "/v1/plans/min-latency", "/v1/placements", "/v1/forecasts/vms"

DESCRIBED_CALLS: list[tuple[str, str, Any]] = [
    ("invalid-request", PLACEMENTS, PLACE | {"vm_sizes": []}),
    ("invalid-topology", MIN_LATENCY, changed(PLAN, "#/topology/edges/2/target", "reportr")),
    ("invalid-load", MIN_LATENCY, changed(PLAN, "#/load/operators/detector/service_rate", None)),
    ("invalid-allocation", "/v1/estimate", DESCRIBED | {"processors": {"generator": 6, "detector": 13}}),
    ("no-steady-state", MIN_LATENCY, changed(PLAN, "#/topology/edges/1/selectivity", 1.2)),
    ("bound-too-small", MIN_LATENCY, changed(PLAN, "#/topology/operators/2/max_processors", 1)),
    ("budget-too-small", MIN_LATENCY, PLAN | {"k_max": 10}),
    ("target-unreachable", "/v1/plans/min-processors", DESCRIBED | {"t_max_seconds": 0.01}),
    ("invalid-profile", PLACEMENTS, changed(PLACE, "#/profiles/blob/0/peak_rate", 0)),
    ("no-stable-point", "/v1/profiles/from-trials", TRIALS),
    ("missing-profile", PLACEMENTS, PLACE | {"profiles": {}}),
    ("idle-task", PLACEMENTS, changed(PLACE, "#/topology/edges/0/selectivity", 0)),
    ("vm-too-small", PLACEMENTS, changed(PLACE, "#/profiles/blob", changed(AZURE_BLOB[:1], "#/0/cpu", 1.5))),
    ("placement-too-large", PLACEMENTS, PLACE | {"external_rate": 1e9}),
    ("invalid-catalogue", PLACEMENTS, PLACE | {"vm_sizes": PLACE["vm_sizes"] * 2}),
    ("not-enough-slots", PLACEMENTS, PLACE | {"vm_sizes": None, "vms": [{"name": "a", "slots": 1}]}),
    ("invalid-mapping", "/v1/predictions", changed(PREDICT, "#/vms/0/slots/0/threads", {"blobs": 50})),
    ("invalid-mst-samples", VMS, changed(FORECAST, "#/mst_samples/0/throughput", 0)),
    ("too-few-mst-samples", VMS, FORECAST | {"mst_samples": EXAMPLE_SAMPLES[:2]}),
    ("invalid-qos-target", VMS, FORECAST | {"qos_target": 0.4}),
    ("unknown-vm-policy", VMS, FORECAST | {"policy": "headgates"}),
    ("invalid-workload", VMS, changed(FORECAST, "#/workload/1/at", "2026-11-18T00:00:00Z")),
    ("workload-too-short", VMS, FORECAST | {"policy": "mst+ua;arma"}),
    ("workload-too-sparse", "/v1/forecasts/workload", {"workload": [STUCK[0] | {"rate": 1}, *STUCK[160:]]}),
    ("constant-workload", "/v1/forecasts/workload", {"workload": STUCK}),
    ("invalid-schedule", VMS, FORECAST | {"record": [{"vms": 4, "saturated": False}] * 6}),
]


@pytest.fixture(scope="module")
def fpd(postgres_url: str) -> Iterator[httpx.Client]:
    """A service that has the topology fpd and nothing else."""
    with (
        serving(postgres_url, backtest_processes="0") as service,
        httpx.Client(base_url=service.url, timeout=60) as client,
    ):
        assert client.post("/v1/topologies", json=FPD).status_code == 201
        yield client


def show_example(kind: str) -> dict[str, Any]:
    """The example of a problem type."""
    bodies = [describe_problem(error) for error in PROBLEM_EXAMPLES]
    [example] = [body for body in bodies if body is not None and body["type"] == kind]
    return example


def assert_is_example(answer: httpx.Response, kind: str) -> None:
    example: dict[str, Any] = httpx.Response(200, json=show_example(kind)).json()
    assert {name: value for name, value in answer.json().items() if name != "instance"} == example


def test_every_type_has_one_example():
    kinds = [body["type"] for body in map(describe_problem, PROBLEM_EXAMPLES) if body is not None]
    assert sorted(kinds) == sorted({kind.type for kind in KINDS.values()})


@pytest.mark.parametrize(
    ("kind", "path", "body"), DESCRIBED_CALLS, ids=[kind for kind, _, _ in DESCRIBED_CALLS]
)
def test_a_wrong_description_is_refused_as_the_example_says(
    fpd: httpx.Client, kind: str, path: str, body: object
):
    assert_is_example(fpd.post(path, json=body), kind)


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("unknown-topology", "/v1/topologies/fdp"),
        ("unknown-revision", "/v1/topologies/fpd?revision=9"),
        ("unknown-plan", f"/v1/plans/{NO_ID}"),
        ("unknown-placement", f"/v1/placements/{NO_ID}"),
        ("unknown-ingest-run", "/v1/ingest-runs/7"),
        ("unknown-backtest", f"/v1/backtests/{NO_ID}"),
        ("unknown-profile", "/v1/profiles/detector"),
        ("unknown-vm-catalogue", "/v1/vm-catalogues/azure"),
        ("unknown-policy", "/v1/topologies/fpd/policy"),
        ("unknown-decision", "/v1/topologies/fpd/decisions/latest"),
    ],
)
def test_what_is_not_stored_is_answered_as_the_example_says(fpd: httpx.Client, kind: str, path: str):
    assert_is_example(fpd.get(path), kind)


def test_conflicts_with_what_is_stored_are_answered_as_the_examples_say(fpd: httpx.Client):
    assert_is_example(fpd.post("/v1/topologies", json=FPD), "topology-exists")
    stale = fpd.put("/v1/topologies/fpd", json=FPD, headers={"If-Match": '"9"'})
    assert_is_example(stale, "revision-conflict")
    assert_is_example(fpd.post("/v1/topologies/fpd/estimate"), "no-snapshot")
    assert_is_example(fpd.delete("/v1/topologies/fpd/snapshots/2026-11-18T00:00:00Z"), "unknown-snapshot")
    unsettled = {"observed_at": MINUTES[0], "vms": 12, "readings": [61.0, 118.0, 149.0, 182.0, 210.0, 251.0]}
    assert_is_example(fpd.post("/v1/topologies/fpd/mst-samples", json=unsettled), "throughput-not-converged")
    headers = {"Content-Type": "text/plain"}
    assert_is_example(fpd.post("/v1/estimate", content="{}", headers=headers), "unsupported-media-type")


def test_measurements_that_do_not_suffice_are_answered_as_the_examples_say(fpd: httpx.Client):
    partial = changed(FPD_LOAD, "#/operators/detector/service_rate", None)
    assert fpd.post("/v1/topologies/fpd/snapshots", json=partial).status_code == 201
    assert_is_example(fpd.post("/v1/topologies/fpd/decisions"), "no-policy")
    answer = fpd.post("/v1/topologies/fpd/plans/min-latency", json={"k_max": 22})
    assert_is_example(answer, "stored-data-unusable")
