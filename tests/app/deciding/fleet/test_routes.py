"""/v1/plans/fleet: one budget for stored topologies, over HTTP."""

from typing import Any

import httpx
import pytest

from tests.app.deciding.fleet.fleet_examples import OPERATORS, add_member, ask_fleet, make_load


@pytest.fixture
def pair(client: httpx.Client, name: str) -> str:
    """The label of two topologies with targets, each of which needs 6 processors for 40/s within 120 ms."""
    for letter in "ab":
        add_member(client, f"{name}-{letter}", name, 40.0, {"t_max_seconds": 0.12})
    return name


def by_name(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["name"][-1]: row for row in found["topologies"]}


def test_targets_that_fit_are_met_and_the_rest_goes_where_it_helps_most(client: httpx.Client, pair: str):
    alone = client.post(f"/v1/topologies/{pair}-a/plans/min-processors", json={"t_max_seconds": 0.12}).json()
    found = ask_fleet(client, pair, 14, weights={f"{pair}-b": 50.0})
    rows = by_name(found)
    assert (found["fits"], found["optimal"], found["processors_total"], found["k_max"]) == (
        True,
        True,
        14,
        14,
    )
    assert found["needed"] == 2 * alone["processors_total"]
    assert rows["a"]["processors"] == alone["processors"] == {"a": 6}
    assert rows["a"]["expected_sojourn_seconds"] == alone["expected_sojourn_seconds"]
    assert rows["b"]["processors_total"] == 8
    assert all(row["meets"] and row["lost"] is None and row["running"] == 12 for row in rows.values())
    change = next(one for one in alone["explanation"] if one["operator"] == "a")["one_more_seconds"]
    assert rows["a"]["one_more_seconds"] == pytest.approx(change, rel=1e-9)
    assert rows["a"]["next_operator"] == "a"


def test_a_budget_that_is_short_is_lost_by_the_lower_priority(client: httpx.Client, pair: str):
    found = ask_fleet(client, pair, 11, priorities={f"{pair}-b": 1})
    rows = by_name(found)
    assert not found["fits"]
    assert found["detail"] == (
        "11 processors in all are 1 too few: 1 target is missed. 12 would meet every target that can be met."
    )
    assert (rows["b"]["meets"], rows["b"]["processors_total"]) == (True, 6)
    assert (rows["a"]["meets"], rows["a"]["processors_total"]) == (False, 5)
    assert rows["a"]["lost"] == (
        "E[T] is 155 ms, above the target of 120 ms; 1 more processor would meet it. Topologies of a "
        f"higher priority have those processors: {pair}-b."
    )


def test_a_budget_below_what_keeps_up_is_refused_with_what_is_needed(client: httpx.Client, pair: str):
    body = {"k_max": 9, "topologies": {"label": pair}}
    answer = client.post("/v1/plans/fleet", json=body)
    assert (answer.status_code, answer.json()["type"], answer.json()["needed"]) == (
        422,
        "budget-too-small",
        10,
    )


def test_what_is_not_known_keeps_what_runs(client: httpx.Client, pair: str):
    add_member(client, f"{pair}-c", pair, 40.0, processors=7, seconds_ago=90_000.0)
    assert client.post("/v1/topologies", json=OPERATORS | {"name": f"{pair}-d", "labels": [pair]}).is_success
    add_member(client, f"{pair}-e", pair, 40.0, {"k_max": 3}, processors=3)
    found = ask_fleet(client, pair, 24)
    rows = by_name(found)
    assert not found["fits"]
    assert {letter: rows[letter]["state"] for letter in "abcde"} == dict(
        zip("abcde", ["planned", "planned", "held", "held", "held"], strict=True)
    )
    assert [rows[letter]["processors_total"] for letter in "cde"] == [7, 0, 3]
    assert rows["a"]["processors_total"] + rows["b"]["processors_total"] == 14
    assert "not trusted" in rows["c"]["detail"]
    assert rows["d"]["detail"] == "No snapshot is stored. What runs is not known, and counts as nothing."
    assert "at least 5 are needed" in rows["e"]["detail"]
    assert found["detail"].endswith("3 topologies keep what runs, without a plan.")


def test_what_if_a_node_is_lost_or_rates_grow(client: httpx.Client, pair: str):
    lost = ask_fleet(client, pair, 14, lost_processors=3)
    same = ask_fleet(client, pair, 11)
    assert lost["topologies"] == same["topologies"]
    grown = ask_fleet(client, pair, 20, load_factor=1.5)
    assert grown["needed"] == 16


def test_what_if_a_processor_has_a_price(client: httpx.Client, pair: str):
    found = ask_fleet(client, pair, 30, price=1e-3)
    assert found["unused_processors"] > 0
    assert all(-row["one_more_seconds"] < 1e-3 for row in found["topologies"])


def test_a_new_job_fits_or_costs(client: httpx.Client, pair: str):
    new = {"name": "new", "topology": OPERATORS, "load": make_load(40.0, None), "t_max_seconds": 0.12}
    fitting = ask_fleet(client, pair, 18, new=[new])
    assert fitting["admission"]["admitted"]
    assert by_name(fitting)["w"]["state"] == "new"
    assert [cost["name"][-1] for cost in fitting["admission"]["costs"]] == ["a", "b"]
    assert "2 topologies wait longer" in fitting["admission"]["detail"]
    first = ask_fleet(client, pair, 17, new=[new | {"priority": 1}])["admission"]
    assert not first["admitted"]
    assert first["costs"][0]["meets"] is False
    assert "only at the cost of 1 target no longer met" in first["detail"]
    none = ask_fleet(client, pair, 14, new=[new])
    assert not none["admission"]["admitted"]
    assert none["admission"]["detail"].startswith("There is no room for new: ")
    assert not none["fits"]


def test_a_quantile_is_kept_by_the_e_t_of_its_own_plan(client: httpx.Client, name: str):
    target = {"of": "total", "quantile": 0.95, "seconds": 0.5}
    add_member(client, f"{name}-a", name, 40.0, {"target": target})
    plan = client.post(f"/v1/topologies/{name}-a/plans/min-processors", json={"target": target}).json()
    row = ask_fleet(client, name, 40, price=1e3)["topologies"][0]
    assert row["processors"] == plan["processors"]
    assert "p95 of the total time" in row["detail"]


def test_measured_waits_calibrate_a_fleet_as_they_do_a_plan(client: httpx.Client, name: str):
    add_member(client, f"{name}-a", name, 40.0, {"t_max_seconds": 0.2})
    for minutes in range(8):
        load = make_load(40.0, 6, seconds_ago=120.0 + 60.0 * minutes)
        load["operators"]["a"]["measured_wait_seconds"] = 0.05
        assert client.post(f"/v1/topologies/{name}-a/snapshots", json=load).status_code == 201
    row = ask_fleet(client, name, 40, price=1e3)["topologies"][0]
    plan = client.post(f"/v1/topologies/{name}-a/plans/min-processors", json={"t_max_seconds": 0.2}).json()
    assert plan["calibration"][0]["factor"] > 1.5
    assert row["processors"] == plan["processors"]
    assert row["expected_sojourn_seconds"] == plan["expected_sojourn_seconds"]


def test_a_goal_of_room_is_kept(client: httpx.Client, name: str):
    add_member(client, f"{name}-a", name, 40.0, {"utilisation": 0.5})
    row = ask_fleet(client, name, 40, price=1e3)["topologies"][0]
    assert (row["processors_total"], row["meets"]) == (8, None)
    assert "keeps its room" in row["detail"]


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"weights": {"stranger": 2.0}}, "#/weights/stranger"),
        ({"floors": {"stranger": 2}}, "#/floors/stranger"),
        ({"priorities": {"stranger": 2}}, "#/priorities/stranger"),
        ({"k_max": 0}, "#/k_max"),
        ({"topologies": {"label": ""}}, "#/topologies"),
    ],
)
def test_terms_that_make_no_sense_are_refused(
    client: httpx.Client, pair: str, change: dict[str, Any], pointer: str
):
    body = {"k_max": 20, "topologies": {"label": pair}} | change
    answer = client.post("/v1/plans/fleet", json=body)
    assert answer.status_code == 422
    assert any(one["pointer"].startswith(pointer) for one in answer.json()["errors"])


def test_an_unknown_name_and_a_broken_new_job_are_refused(client: httpx.Client, pair: str):
    unknown = client.post("/v1/plans/fleet", json={"k_max": 20, "topologies": [f"{pair}-a", f"{pair}-z"]})
    assert (unknown.status_code, unknown.json()["type"]) == (404, "unknown-topology")
    broken = {"name": "new", "topology": OPERATORS, "load": make_load(4.0, None) | {"operators": {}}}
    answer = client.post(
        "/v1/plans/fleet", json={"k_max": 20, "topologies": {"label": pair}, "new": [broken]}
    )
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "#/new/0/load/operators")
    twice = broken | {"name": f"{pair}-a"}
    answer = client.post("/v1/plans/fleet", json={"k_max": 20, "topologies": {"label": pair}, "new": [twice]})
    assert answer.json()["errors"][0]["pointer"] == "#/new/0/name"


def test_labels_are_kept_and_select(client: httpx.Client, pair: str):
    read = client.get(f"/v1/topologies/{pair}-a").json()
    assert read["labels"] == [pair]
    assert ask_fleet(client, "nobody has this label", 5)["topologies"] == []
    named = client.post("/v1/plans/fleet", json={"k_max": 20, "topologies": [f"{pair}-b"]}).json()
    assert [row["name"] for row in named["topologies"]] == [f"{pair}-b"]
