"""/v1/fleet/decisions over HTTP: one budget, a decision of each topology, and who gives before who takes."""

import json
from typing import Any

import httpx
import pytest

from tests.app.deciding.fleet.fleet_examples import add_member, make_load


def decide(client: httpx.Client, label: str, k_max: int, **terms: Any) -> dict[str, Any]:
    """The decision of the fleet of topologies with this label."""
    policy = {"k_max": k_max, "topologies": {"label": label}} | terms
    assert client.put("/v1/fleet/policy", json=policy).is_success
    answer = client.post("/v1/fleet/decisions")
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def by_letter(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["name"][-1]: row for row in found["topologies"]}


def test_what_one_gives_up_another_takes_afterwards(fleet: httpx.Client, name: str):
    target = {"t_max_seconds": 0.12}
    add_member(fleet, f"{name}-a", name, 40.0, target, processors=9)
    add_member(fleet, f"{name}-b", name, 60.0, target, processors=6)
    found = decide(fleet, name, 15)
    rows = by_letter(found)
    assert (found["fits"], found["processors_total"], found["running_total"]) == (True, 15, 15)
    assert found["detail"].endswith("2 topologies change, 1 of them after others gave processors up.")
    assert [(rows[one]["running"], rows[one]["processors_total"], rows[one]["turn"]) for one in "ab"] == [
        (9, 6, 1),
        (6, 9, 2),
    ]
    assert rows["b"]["after"] == [f"{name}-a"]
    standing = fleet.get(f"/v1/topologies/{name}-a/decisions/latest").json()
    assert standing["id"] == rows["a"]["decision_id"]
    assert (standing["action"], standing["wanted"]) == ("scale_down", {"a": 6})
    assert fleet.get(f"/v1/topologies/{name}-a/keda/a").json() == {"value": 6}
    patch = fleet.get(f"/v1/decisions/{standing['id']}/patch?format=json").json()
    assert '"a": 6' in json.dumps(patch["body"])
    (shown,) = fleet.get(f"/v1/overview?contains={name}-b").json()["items"]
    assert (shown["decision_id"], shown["processors_recommended"]) == (rows["b"]["decision_id"], 9)
    assert standing["reasons"][0] == {
        "code": "shared-budget",
        "detail": f"6 of the 15 processors that topologies share are for this one. What it gives up goes to {name}-b.",
    }


def test_what_is_left_over_is_told_apart_from_what_the_target_takes(fleet: httpx.Client, name: str):
    add_member(fleet, f"{name}-a", name, 40.0, {"t_max_seconds": 0.12}, processors=9)
    (row,) = decide(fleet, name, 20)["topologies"]
    decision = fleet.get(f"/v1/decisions/{row['decision_id']}").json()
    said = next(one["detail"] for one in decision["reasons"] if one["code"] == "shared-budget")
    assert row["processors_total"] > row["needed"] == 6
    assert "Its target takes 6; the others are left over, and shorten E[T]." in said


def test_the_same_data_are_decided_once(fleet: httpx.Client, name: str):
    add_member(fleet, f"{name}-a", name, 40.0, {"t_max_seconds": 0.12}, processors=9)
    first = decide(fleet, name, 20)
    assert fleet.post("/v1/fleet/decisions").json() == first
    assert fleet.get("/v1/fleet/decisions/latest").json() == first
    (newest, *_) = fleet.get("/v1/fleet/decisions?limit=1").json()["items"]
    assert newest == {key: value for key, value in first.items() if key not in {"topologies", "stale"}}


def test_a_decision_says_whose_measurements_have_become_too_old_to_act_on(fleet: httpx.Client, name: str):
    for letter in "ab":
        add_member(fleet, f"{name}-{letter}", name, 40.0, {"t_max_seconds": 0.12}, processors=9)
    assert decide(fleet, name, 20)["stale"] == []
    assert fleet.get("/v1/fleet/decisions/latest").json()["stale"] == []
    old = {"goal": {"t_max_seconds": 0.12}, "max_snapshot_age_seconds": 1e-3}
    assert fleet.put(f"/v1/topologies/{name}-a/policy", json=old).is_success
    assert fleet.get("/v1/fleet/decisions/latest").json()["stale"] == [f"{name}-a"]


def test_a_short_budget_is_lost_by_the_lower_class(fleet: httpx.Client, name: str):
    for letter in "ab":
        add_member(fleet, f"{name}-{letter}", name, 40.0, {"t_max_seconds": 0.12}, processors=6)
    found = decide(fleet, name, 11, classes=[{"topologies": [f"{name}-b"], "priority": 10}])
    rows = by_letter(found)
    assert not found["fits"]
    assert (rows["a"]["processors_total"], rows["a"]["meets"]) == (5, False)
    assert (rows["b"]["processors_total"], rows["b"]["meets"]) == (6, True)
    assert f"a higher priority have those processors: {name}-b" in rows["a"]["lost"]


def test_who_cannot_be_decided_about_keeps_what_runs(fleet: httpx.Client, name: str):
    add_member(fleet, f"{name}-a", name, 40.0, {"t_max_seconds": 0.12}, processors=6)
    add_member(fleet, f"{name}-b", name, 40.0, processors=7)
    rows = by_letter(decide(fleet, name, 20))
    assert (rows["b"]["state"], rows["b"]["processors_total"], rows["b"]["decision_id"]) == ("held", 7, None)
    assert "has no policy" in rows["b"]["detail"]


def test_a_budget_that_is_too_small_is_refused_with_what_is_needed(fleet: httpx.Client, name: str):
    add_member(fleet, f"{name}-a", name, 40.0, {"t_max_seconds": 0.12}, processors=6)
    policy = {"k_max": 3, "topologies": {"label": name}}
    assert fleet.put("/v1/fleet/policy", json=policy).is_success
    refused = fleet.post("/v1/fleet/decisions")
    assert (refused.status_code, refused.json()["type"], refused.json()["needed"]) == (
        422,
        "budget-too-small",
        5,
    )


def test_without_a_policy_nothing_is_decided(fleet: httpx.Client):
    fleet.delete("/v1/fleet/policy")
    refused = fleet.post("/v1/fleet/decisions")
    assert (refused.status_code, refused.json()["type"]) == (409, "no-policy")


def test_until_the_next_decision_of_the_fleet_a_topology_keeps_to_its_share(fleet: httpx.Client, name: str):
    for letter in "ab":
        add_member(fleet, f"{name}-{letter}", name, 40.0, {"t_max_seconds": 0.12}, processors=6)
    decide(fleet, name, 12)
    load = make_load(50.0, 6, seconds_ago=60.0)
    assert fleet.post(f"/v1/topologies/{name}-a/snapshots", json=load).is_success
    alone = fleet.post(f"/v1/topologies/{name}-a/decisions").json()
    assert alone["processors"]["recommended_total"] == 6
    (said,) = [one["detail"] for one in alone["diagnostics"] if one["code"] == "fleet-share"]
    assert said.startswith("The fleet's newest decision gave this topology 6 processors.")
    asked = {"policy": {"goal": {"t_max_seconds": 0.12}, "cooldown_seconds": 1.0}}
    free = fleet.post(f"/v1/topologies/{name}-a/decisions", json=asked).json()
    assert free["processors"]["recommended_total"] == 7
    fleet.delete("/v1/fleet/policy")
    freed = fleet.post(f"/v1/topologies/{name}-a/decisions").json()
    assert freed["processors"]["recommended_total"] > 6


def test_what_the_common_peak_takes_is_kept_free(fleet: httpx.Client, name: str):
    for letter in "ab":
        add_member(fleet, f"{name}-{letter}", name, 40.0, {"t_max_seconds": 0.12}, processors=6)
        rates = [(minute, 60.0 if minute % 2 else 40.0) for minute in range(3, 60)]
        loads = [make_load(rate, 6, seconds_ago=60.0 * minute) for minute, rate in rates]
        assert fleet.post(f"/v1/topologies/{name}-{letter}/snapshots", json=loads).is_success
    found = decide(fleet, name, 60, reserve={"quantile": 0.95, "horizon_seconds": 120})
    reserve = found["reserve"]
    assert reserve["factor"] == pytest.approx(1.5)
    assert reserve["processors"] == reserve["added_up"] > 0
    assert found["fits"]
    assert found["processors_total"] == 60 - reserve["processors"]
    assert f"{reserve['processors']} processors are kept for the common peak" in found["detail"]
    short = decide(fleet, name, found["needed"] + 1, reserve={"horizon_seconds": 120})
    assert f"The budget is {reserve['processors'] - 1} too small for that." in short["detail"]
