"""Budgets in slots and VMs, and threads on VMs, over HTTP."""

from typing import Any

import httpx
import pytest

from tests.app.deciding.fleet.fleet_examples import OPERATORS, add_member, make_load

FOUR = [{"threads": k, "peak_rate": 10.0 * k, "cpu": 0.25 * k, "memory": 0.1 * k} for k in range(1, 5)]
"""Four threads fill a slot."""


@pytest.fixture
def pair(client: httpx.Client, name: str) -> str:
    """The label of two topologies that need 6 processors each; the first has 8, four each on two nodes."""
    add_member(client, f"{name}-a", name, 40.0, {"t_max_seconds": 0.12}, processors=8)
    add_member(client, f"{name}-b", name, 40.0, {"t_max_seconds": 0.12}, processors=6)
    instances = [
        {"name": f"a-{i}", "queue_length": 0, "queue_capacity": 10, "node": f"vm-{i % 2 + 1}"}
        for i in range(8)
    ]
    load = make_load(40.0, 8, seconds_ago=90.0) | {"instances": {"a": instances}}
    answer = client.post(f"/v1/topologies/{name}-a/snapshots", json=load)
    assert answer.status_code == 201, answer.text
    return name


def plan(client: httpx.Client, label: str, **budget: Any) -> dict[str, Any]:
    answer = client.post("/v1/plans/fleet", json={"topologies": {"label": label}} | budget)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def name_vms(*slots: int) -> list[dict[str, Any]]:
    return [{"name": f"vm-{i}", "slots": count} for i, count in enumerate(slots, 1)]


def test_vms_hold_what_stays_where_it_runs(client: httpx.Client, pair: str):
    found = plan(client, pair, vms=name_vms(4, 4, 4))
    assert (found["unit"], found["k_max"], found["fits"]) == ("slots", 12, True)
    placement = found["placement"]
    threads = {vm["name"]: vm["threads"] for vm in placement["vms"]}
    assert sorted(one.get(f"{pair}-a", {"a": 0})["a"] for one in threads.values()) == [0, 2, 4]
    assert sum(one.get(f"{pair}-b", {"a": 0})["a"] for one in threads.values()) == 6
    assert placement["moved"] == 0
    assert placement["detail"] == "12 slots on 3 of 3 VMs. 0 threads move."


def test_what_if_a_vm_is_lost(client: httpx.Client, pair: str):
    found = plan(client, pair, vms=name_vms(4, 4, 6), lost_vms=["vm-1"])
    assert (found["k_max"], found["fits"]) == (10, False)
    assert found["placement"]["moved"] == 1, "five of the eight are kept, and four of them can stay"
    assert [vm["name"] for vm in found["placement"]["vms"]] == ["vm-2", "vm-3"]
    assert sum(vm["free_slots"] for vm in found["placement"]["vms"]) == 0


def test_threads_that_share_slots_need_fewer(client: httpx.Client, pair: str):
    assert client.post("/v1/profiles", json={"name": pair, "points": FOUR}).is_success
    topology = {"operators": [{"name": "a", "profile": pair}], "labels": [pair]}
    assert client.put(f"/v1/topologies/{pair}-a", json=topology).is_success
    found = plan(client, pair, slots=8)
    rows = {row["name"][-1]: row for row in found["topologies"]}
    assert found["fits"]
    assert (rows["a"]["slots"], rows["b"]["processors_total"], rows["b"]["slots"]) == (2, 6, None)
    assert rows["a"]["processors_total"] == 8
    assert found["placement"] is None
    job = {"operators": [{"name": "a", "profile": pair}]}
    new = {"name": "new", "topology": job, "load": make_load(40.0, None), "t_max_seconds": 0.12}
    beside = plan(client, pair, slots=10, new=[new])
    assert beside["admission"]["admitted"]
    assert {row["name"][-1]: row["slots"] for row in beside["topologies"]}["w"] == 2
    short = client.post("/v1/plans/fleet", json={"topologies": {"label": pair}, "slots": 6}).json()
    assert (short["type"], short["needed"], short["errors"][0]["pointer"]) == (
        "budget-too-small",
        7,
        "#/slots",
    )
    assert short["detail"].startswith("6 slots in all are 1 too few")


def test_a_price_buys_the_cheapest_mix(client: httpx.Client, pair: str):
    sizes = [
        {"name": "D1", "slots": 1, "hourly_price": 0.12},
        {"name": "D3", "slots": 4, "hourly_price": 0.4},
    ]
    assert client.post("/v1/vm-catalogues", json={"name": pair, "sizes": sizes}).is_success
    found = plan(client, pair, vm_catalogue=pair, hourly_price=1.3)
    assert (found["k_max"], found["placement"]["acquired"]) == (
        12,
        {"vms": {"D3": 3}, "slots": 12, "hourly_price": pytest.approx(1.2)},
    )
    assert len(found["placement"]["vms"]) == 3
    dear = client.post(
        "/v1/plans/fleet", json={"topologies": {"label": pair}, "vm_catalogue": pair, "hourly_price": 0.05}
    )
    assert (dear.status_code, dear.json()["errors"][0]["pointer"]) == (422, "#/hourly_price")


@pytest.mark.parametrize(
    "budget",
    [
        {},
        {"k_max": 5, "slots": 5},
        {"hourly_price": 3.0},
        {"vm_catalogue": "azure-d"},
        {"vms": name_vms(4), "lost_vms": ["vm-2"]},
        {"vms": [*name_vms(4), *name_vms(4)]},
    ],
)
def test_a_budget_is_one(client: httpx.Client, budget: dict[str, Any]):
    assert client.post("/v1/plans/fleet", json=budget).status_code == 422


def test_a_new_job_takes_slots_too(client: httpx.Client, pair: str):
    new = {"name": "new", "topology": OPERATORS, "load": make_load(40.0, None), "t_max_seconds": 0.12}
    found = plan(client, pair, vms=name_vms(9, 9), new=[new])
    assert found["admission"]["admitted"]
    assert sum(vm["threads"].get("new", {"a": 0})["a"] for vm in found["placement"]["vms"]) == 6
