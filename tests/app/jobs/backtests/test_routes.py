"""Backtests over HTTP: what comes out, what is refused, what cancelling does."""

from statistics import fmean, stdev
from typing import Any

import httpx
import pytest
from pydantic import JsonValue

from app.load.bodies.topology import FPD
from planner.vms.sigma_policies import ALL_POLICIES
from tests.app.backtest_examples import (
    LONG,
    LONG_RUNS,
    ODD_NAME,
    SMALL,
    expect_rows,
    read,
    start_backtest,
    wait_until_finished,
)
from tests.app.load.snapshots.test_routes import snapshot
from tests.app.processes import Service, wait_until


def test_a_backtest_brings_the_rows_that_the_planner_computes(
    client: httpx.Client, service: Service, finished: str
):
    done = read(client, finished)
    assert (done["state"], done["progress"], done["error"]) == ("succeeded", 1.0, None)
    assert done["rows"] == expect_rows(SMALL | {"workload_name": ODD_NAME})
    assert done["created_at"] <= done["started_at"] <= done["finished_at"]
    service.wait_for_line(f"{done['id']} ended with 0")
    for one in done["summary"]:
        costs = [row["cost_to_truth"] for row in done["rows"] if row["policy"] == one["policy"]]
        qos = [row["qos_percent"] for row in done["rows"] if row["policy"] == one["policy"]]
        assert (one["seeds"], one["cost_to_truth"]) == (2, pytest.approx(fmean(costs)))
        assert one["qos_percent_deviation"] == pytest.approx(stdev(qos))
        assert one["qos_target_percent"] == (98.75 if one["policy"] == "headgate" else 95.0)
        assert one["meets_target"] == (one["qos_percent"] >= one["qos_target_percent"])


def test_progress_only_ever_grows_and_rows_come_one_after_the_other(client: httpx.Client):
    accepted = client.post("/v1/backtests", json=LONG | {"seeds": 5})
    assert (accepted.status_code, accepted.json()["state"]) == (202, "queued")
    address = accepted.headers["Location"]
    seen: list[dict[str, Any]] = []

    def is_finished() -> object:
        seen.append(read(client, address))
        return seen[-1]["finished_at"]

    wait_until(is_finished, "it is finished")
    assert seen[-1]["state"] == "succeeded"
    assert [one["progress"] for one in seen] == sorted(one["progress"] for one in seen)
    for one in seen:
        done = len(one["rows"])
        assert one["rows"] == seen[-1]["rows"][:done]
        assert one["activity"].startswith(
            {"queued": "Waiting", "running": f"{done} of 20 runs are done"}.get(one["state"], "All 20 runs")
        )


def test_a_stored_topology_brings_its_own_workload_and_samples(client: httpx.Client, name: str):
    assert client.post("/v1/topologies", json=FPD | {"name": name}).status_code == 201
    measured = [
        snapshot(0, observed_at=point["at"], external_rate=point["rate"]) for point in SMALL["workload"]
    ]
    hour = snapshot(0, observed_at="2026-11-17T00:00:00Z", window_seconds=3600, external_rate=1e6)
    assert client.post(f"/v1/topologies/{name}/snapshots", json=[*measured, hour]).status_code == 201
    samples = [
        one | {"observed_at": f"2026-11-18T00:{minute:02}:00Z"}
        for minute, one in enumerate(SMALL["mst_samples"])
    ]
    idle = {"observed_at": "2026-11-18T01:00:00Z", "vms": 2, "throughput": 0.1, "saturated": False}
    assert client.post(f"/v1/topologies/{name}/mst-samples", json=[*samples, idle]).status_code == 201
    done = wait_until_finished(
        client, start_backtest(client, {"topology": name, "policies": SMALL["policies"], "seeds": 2})
    )
    assert done["state"] == "succeeded"
    assert done["rows"] == [row | {"workload": name} for row in expect_rows(SMALL)]


def test_what_is_cancelled_ends_and_keeps_its_rows(client: httpx.Client, service: Service):
    address = start_backtest(client, LONG)
    wait_until(lambda: read(client, address)["rows"], "a run is done")
    cancelled = client.delete(address)
    assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")
    service.wait_for_line(f"{cancelled.json()['id']} ended with 0")
    after = read(client, address)
    assert (after["state"], after["rows"]) == ("cancelled", cancelled.json()["rows"])
    assert 0 < len(after["rows"]) < LONG_RUNS


def test_deleting_cancels_what_waits_and_removes_what_is_finished(idle_client: httpx.Client):
    address = start_backtest(idle_client, SMALL)
    assert idle_client.delete(address).json()["activity"] == "Cancelled; 0 of 6 runs are done."
    assert idle_client.delete(address).status_code == 204
    for missing in (
        idle_client.get(address),
        idle_client.delete(address),
        idle_client.get(f"{address}/plot"),
    ):
        assert (missing.status_code, missing.json()["type"]) == (404, "unknown-backtest")


def test_the_list_is_paged_newest_first_and_can_be_of_one_state(idle_client: httpx.Client):
    addresses = [start_backtest(idle_client, SMALL | {"workload_name": f"week {i}"}) for i in range(3)]
    idle_client.delete(addresses[1])
    first = idle_client.get("/v1/backtests?limit=2").json()
    second = idle_client.get(first["next"]).json()
    names = [one["parameters"]["workload_name"] for one in first["items"] + second["items"]]
    assert names[:3] == ["week 2", "week 1", "week 0"]
    assert "rows" not in first["items"][0]
    cancelled = idle_client.get("/v1/backtests?state=cancelled").json()
    assert {one["state"] for one in cancelled["items"]} == {"cancelled"}
    assert cancelled["items"][0]["parameters"]["workload_name"] == "week 1"
    assert idle_client.get("/v1/backtests?state=failed").json() == {"items": [], "next": None}


def test_all_policies_are_those_of_the_command_line(idle_client: httpx.Client):
    made = read(idle_client, start_backtest(idle_client, SMALL | {"policies": "all"}))
    assert made["parameters"]["policies"] == list(ALL_POLICIES)
    assert made["parameters"]["steps"] == len(SMALL["workload"])
    doubled = read(idle_client, start_backtest(idle_client, SMALL | {"policies": ["mst", "0", "mst;arma"]}))
    assert doubled["parameters"]["policies"] == ["0", "4"]


SAMPLES = SMALL["mst_samples"]


@pytest.mark.parametrize(
    ("change", "kind", "pointer"),
    [
        ({"workload": None}, "invalid-request", "#/workload"),
        ({"topology": "both"}, "invalid-request", "#/workload"),
        ({"since": "2026-11-18T00:00:00Z"}, "invalid-request", "#/since"),
        ({"mst_samples": None}, "invalid-request", "#/mst_samples"),
        ({"mst_samples": []}, "too-few-mst-samples", "#/mst_samples"),
        ({"mst_samples": SAMPLES[:3]}, "too-few-mst-samples", "#/mst_samples"),
        (
            {"mst_samples": [*SAMPLES, {"vms": 2, "throughput": -1.0}]},
            "invalid-mst-samples",
            f"#/mst_samples/{len(SAMPLES)}/throughput",
        ),
        (
            {"mst_samples": [SAMPLES[0] | {"throughput": 5e-324}, *SAMPLES]},
            "invalid-mst-samples",
            "#/mst_samples/0/throughput",
        ),
        (
            {"mst_samples": [SAMPLES[0] | {"saturated": False}, *SAMPLES]},
            "invalid-request",
            "#/mst_samples/0/saturated",
        ),
        ({"train_vms": [1, 2, 3]}, "invalid-request", "#/train_vms"),
        ({"train_vms": [4]}, "too-few-mst-samples", "#/mst_samples"),
        ({"workload": SMALL["workload"][:99]}, "workload-too-short", "#/workload"),
        (
            {"workload": [point | {"rate": 5.0} for point in SMALL["workload"]]},
            "constant-workload",
            "#/workload",
        ),
        (
            {
                "workload": [
                    point | {"rate": None if i % 100 else 1.0} for i, point in enumerate(SMALL["workload"])
                ]
            },
            "workload-too-sparse",
            "#/workload",
        ),
        ({"workload": SMALL["workload"][::-1]}, "invalid-workload", "#/workload/1/at"),
        ({"policies": ["mst", "best"]}, "unknown-vm-policy", "#/policies/1"),
        ({"policies": []}, "invalid-request", "#/policies"),
        ({"qos_target": 1.0}, "invalid-qos-target", "#/qos_target"),
        ({"headgate_qos_target": 0.4}, "invalid-qos-target", "#/headgate_qos_target"),
        ({"startup_steps": -1}, "invalid-request", "#/startup_steps"),
        ({"scale_peak": 0.0}, "invalid-schedule", "#/scale_peak"),
        ({"seeds": 0}, "invalid-request", "#/seeds"),
        ({"seeds": 51}, "invalid-request", "#/seeds"),
        ({"workload_name": "a\u0007b"}, "invalid-request", "#/workload_name"),
    ],
)
def test_what_cannot_end_well_is_refused_at_once(
    client: httpx.Client, change: dict[str, JsonValue], kind: str, pointer: str
):
    refused = client.post("/v1/backtests", json=SMALL | change)
    problem: dict[str, Any] = refused.json()
    assert (refused.status_code, problem["type"]) == (422, kind), problem
    assert pointer in [one["pointer"] for one in problem["errors"]]


def test_what_is_stored_may_not_be_enough(client: httpx.Client, stored: str):
    lonely = SMALL | {"workload": None, "topology": stored}
    refused = client.post("/v1/backtests", json=lonely)
    assert (refused.status_code, refused.json()["type"]) == (409, "stored-data-unusable")
    unknown = client.post("/v1/backtests", json=lonely | {"topology": "nobody-has-this"})
    assert (unknown.status_code, unknown.json()["type"]) == (404, "unknown-topology")
    early = client.post("/v1/backtests", json=lonely | {"until": "2020-01-01T00:00:00Z"})
    assert (early.status_code, early.json()["type"]) == (409, "no-snapshot")
