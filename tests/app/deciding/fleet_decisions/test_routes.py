"""/v1/fleet/decisions over HTTP: one budget, a decision of each topology, and who gives before who takes."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.app.deciding.fleet.fleet_examples import add_member


@pytest.fixture
def fleet(client: httpx.Client) -> Iterator[httpx.Client]:
    """A service whose fleet has no policy afterwards."""
    yield client
    client.delete("/v1/fleet/policy")


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
    assert standing["reasons"][0] == {
        "code": "shared-budget",
        "detail": f"6 of the 15 processors that topologies share are for this one. What it gives up goes to {name}-b.",
    }


def test_the_same_data_are_decided_once(fleet: httpx.Client, name: str):
    add_member(fleet, f"{name}-a", name, 40.0, {"t_max_seconds": 0.12}, processors=9)
    first = decide(fleet, name, 20)
    assert fleet.post("/v1/fleet/decisions").json() == first
    assert fleet.get("/v1/fleet/decisions/latest").json() == first
    (newest, *_) = fleet.get("/v1/fleet/decisions?limit=1").json()["items"]
    assert newest == {key: value for key, value in first.items() if key != "topologies"}


def test_a_short_budget_is_lost_by_the_lower_class(fleet: httpx.Client, name: str):
    for letter in "ab":
        add_member(fleet, f"{name}-{letter}", name, 40.0, {"t_max_seconds": 0.12}, processors=6)
    found = decide(fleet, name, 11, classes=[{"topologies": [f"{name}-b"], "priority": 10}])
    rows = by_letter(found)
    assert not found["fits"]
    assert (rows["a"]["processors_total"], rows["a"]["meets"]) == (5, False)
    assert (rows["b"]["processors_total"], rows["b"]["meets"]) == (6, True)
    assert f"a higher priority: {name}-b" in rows["a"]["lost"]


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
