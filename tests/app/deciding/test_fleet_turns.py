"""Who takes processors of a fleet waits, over HTTP, until who gives them up is seen to have given them."""

from typing import Any

import httpx
import pytest
from pydantic import JsonValue

from tests.app.deciding.fleet.fleet_examples import add_member, make_load

TARGET: dict[str, JsonValue] = {"t_max_seconds": 0.12}


@pytest.fixture
def pair(fleet: httpx.Client, name: str) -> str:
    """Of 15 processors the first of two topologies is to give 3 of its 9, and the second to take them."""
    add_member(fleet, f"{name}-a", name, 40.0, TARGET, processors=9)
    add_member(fleet, f"{name}-b", name, 60.0, TARGET, processors=6)
    assert fleet.put("/v1/fleet/policy", json={"k_max": 15, "topologies": {"label": name}}).is_success
    assert fleet.post("/v1/fleet/decisions").status_code == 201
    return name


def read_taker(fleet: httpx.Client, name: str) -> dict[str, Any]:
    """What KEDA, the standing decision, its patch and a decision of its own say of the taker."""
    path = f"/v1/topologies/{name}-b"
    standing = fleet.get(f"{path}/decisions/latest").json()
    alone = fleet.post(f"{path}/decisions", json={"store": False}).json()
    return {
        "keda": fleet.get(f"{path}/keda/a").json()["value"],
        "wanted": standing["wanted"]["a"],
        "patch": fleet.get(f"/v1/decisions/{standing['id']}/patch?format=json").json()["body"]["a"],
        "alone": alone["processors"]["recommended"]["a"],
    }


def test_nothing_grows_before_others_gave(fleet: httpx.Client, pair: str):
    assert read_taker(fleet, pair) == {"keda": 6, "wanted": 6, "patch": 6, "alone": 6}
    standing = fleet.get(f"/v1/topologies/{pair}-b/decisions/latest").json()
    assert standing["after"] == [f"{pair}-a"]
    assert standing["verdict"] == f"Wait until {pair}-a gave processors up."
    patch = fleet.get(f"/v1/decisions/{standing['id']}/patch?format=json").json()
    assert f"Nothing grows until {pair}-a gave processors up" in " ".join(patch["notes"])
    (row,) = fleet.get(f"/v1/overview?contains={pair}-b").json()["items"]
    assert row["detail"].endswith(f"It waits until {pair}-a gave processors up.")
    giver = fleet.get(f"/v1/topologies/{pair}-a/decisions/latest").json()
    assert (giver["after"], giver["wanted"]) == ([], {"a": 6})


def test_what_was_given_may_be_taken(fleet: httpx.Client, pair: str):
    seven = make_load(40.0, 7, seconds_ago=90.0)
    assert fleet.post(f"/v1/topologies/{pair}-a/snapshots", json=seven).is_success
    assert read_taker(fleet, pair)["keda"] == 6, "one of three is not given yet"
    unknown = make_load(40.0, None, seconds_ago=80.0)
    assert fleet.post(f"/v1/topologies/{pair}-a/snapshots", json=unknown).is_success
    assert read_taker(fleet, pair)["keda"] == 6, "what runs is not known"
    six = make_load(40.0, 6, seconds_ago=70.0)
    assert fleet.post(f"/v1/topologies/{pair}-a/snapshots", json=six).is_success
    assert read_taker(fleet, pair) == {"keda": 9, "wanted": 9, "patch": 9, "alone": 9}


def test_no_newer_snapshot_of_its_own_lets_a_topology_grow(fleet: httpx.Client, pair: str):
    """KEDA decides anew then, and the change of the standing decision counts as made."""
    newer = make_load(60.0, 6, seconds_ago=70.0)
    assert fleet.post(f"/v1/topologies/{pair}-b/snapshots", json=newer).is_success
    found = read_taker(fleet, pair)
    assert (found["keda"], found["alone"]) == (6, 6)
    assert fleet.post(f"/v1/topologies/{pair}-b/decisions").json()["wanted"] == {"a": 6}


def test_nobody_waits_for_a_topology_that_is_gone(fleet: httpx.Client, pair: str):
    assert fleet.delete(f"/v1/topologies/{pair}-a").is_success
    assert read_taker(fleet, pair)["keda"] == 9


def test_what_an_earlier_decision_let_grow_counts_as_running(fleet: httpx.Client, name: str):
    """b may grow to 9 at once. Before that is measured, its rate falls and that of a rises: a waits for b."""
    for letter, rate in (("a", 40.0), ("b", 60.0)):
        add_member(fleet, f"{name}-{letter}", name, rate, TARGET, processors=6)
    assert fleet.put("/v1/fleet/policy", json={"k_max": 15, "topologies": {"label": name}}).is_success
    assert fleet.post("/v1/fleet/decisions").status_code == 201
    assert read_taker(fleet, name)["keda"] == 9
    for letter, rate in (("a", 60.0), ("b", 40.0)):
        load = make_load(rate, 6, seconds_ago=90.0)
        assert fleet.post(f"/v1/topologies/{name}-{letter}/snapshots", json=load).is_success
    rows = {row["name"][-1]: row for row in fleet.post("/v1/fleet/decisions").json()["topologies"]}
    assert (rows["a"]["processors_total"], rows["a"]["after"]) == (9, [f"{name}-b"])
    assert read_taker(fleet, name)["keda"] == 6, "not the 9 of the change that it waited for"
    assert fleet.get(f"/v1/topologies/{name}-a/keda/a").json()["value"] == 6
    shown = make_load(40.0, 6, seconds_ago=70.0)
    assert fleet.post(f"/v1/topologies/{name}-b/snapshots", json=shown).is_success
    assert fleet.get(f"/v1/topologies/{name}-a/keda/a").json()["value"] == 9
