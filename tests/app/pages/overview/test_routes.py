"""/v1/overview: each topology once, by what it needs, in a constant number of queries."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from app.load.bodies.topology import FPD
from app.pages.overview.schemas import STATUSES
from planner.wording import write_rate
from tests.app.decision_calls import ENOUGH, RATES, TARGET, put_policy
from tests.app.processes import StartService

ROOMY = {one: {"service_rate": mu / 4, "processors": 4 * ENOUGH[one]} for one, mu in RATES.items()}
"""Slow processors, which keep up and miss the target."""


EXPECTED = {
    "over": "overloaded",
    "slow": "target-missed-estimated",
    "ahead": "ahead-of-clock",
    "missed": "target-missed",
    "old": "stale",
    "undecided": "undecided",
    "no-policy": "no-policy",
    "empty": "no-measurements",
    "calm": "fine",
    "tight": "change-wanted",
    "above": "rate-above-reach",
}


@pytest.fixture
def alone(empty_database_url: str, start_service: StartService) -> Iterator[httpx.Client]:
    """A client of a service with no topologies."""
    service = start_service(database_url=empty_database_url)
    with httpx.Client(base_url=service.url, timeout=60) as client:
        yield client


def add(
    client: httpx.Client, name: str, *, minutes_ago: float = 1.0, rate: float = 320.0, **more: Any
) -> None:
    """A topology with three snapshots, the newest of which ended so many minutes ago."""
    assert client.post("/v1/topologies", json=FPD | {"name": name}).status_code == 201
    end = datetime.now(UTC) - timedelta(minutes=minutes_ago)
    operators = {one: {"service_rate": mu, "processors": ENOUGH[one]} for one, mu in RATES.items()}
    snapshots = [
        {
            "observed_at": (end - timedelta(minutes=age)).isoformat(),
            "external_rate": rate - age,
            "operators": operators,
            **more,
        }
        for age in (3, 2, 1)
    ]
    assert client.post(f"/v1/topologies/{name}/snapshots", json=snapshots).status_code == 201


def decide(client: httpx.Client, name: str) -> dict[str, Any]:
    answer = client.post(f"/v1/topologies/{name}/decisions")
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def measure_more(client: httpx.Client, name: str, rate: float) -> None:
    """A newer snapshot of the processors that run."""
    operators = {one: {"service_rate": mu, "processors": ENOUGH[one]} for one, mu in RATES.items()}
    begin = (datetime.now(UTC) - timedelta(minutes=1.5)).isoformat()
    newer = {"observed_at": begin, "external_rate": rate, "operators": operators}
    assert client.post(f"/v1/topologies/{name}/snapshots", json=newer).status_code == 201


def test_the_worst_stand_first_and_each_says_why(alone: httpx.Client):
    policy = TARGET | {"goal": {"t_max_seconds": 0.1}}
    assert alone.post("/v1/topologies", json=FPD | {"name": "empty"}).status_code == 201
    add(alone, "no-policy")
    topologies: dict[str, dict[str, Any]] = {
        "calm": {},
        "over": {"rate": 900.0},
        "slow": {"operators": ROOMY},
        "old": {"minutes_ago": 60.0},
        "missed": {"measured_sojourn_seconds": 0.4},
        "undecided": {},
    }
    for name, changes in topologies.items():
        add(alone, name, **changes)
        put_policy(alone, name, policy)
    add(alone, "ahead", minutes_ago=-20.0)
    add(alone, "tight")
    put_policy(alone, "tight", {"goal": {"k_max": 20}})
    decisions = {name: decide(alone, name) for name in ("calm", "over", "slow", "missed", "tight")}
    add(alone, "above", minutes_ago=2.0)
    put_policy(alone, "above", policy)
    measure_more(alone, "above", 1.5 * decide(alone, "above")["counterfactuals"]["holds_up_to_rate"])
    found = alone.get("/v1/overview").json()
    by_name = {row["name"]: row for row in found["items"]}
    assert {name: row["status"] for name, row in by_name.items()} == EXPECTED
    places = [STATUSES.index(row["status"]) for row in found["items"]]
    assert places == sorted(places)
    assert found["counts"] == dict.fromkeys(STATUSES, 1)
    calm = by_name["calm"]
    assert calm["rates"] == [317.0, 318.0, 319.0]
    assert calm["decision_id"] == decisions["calm"]["id"]
    assert calm["expected_sojourn_seconds"] == decisions["calm"]["current"]["expected_sojourn_seconds"]
    assert calm["holds_up_to_rate"] == decisions["calm"]["counterfactuals"]["holds_up_to_rate"]
    stated = decisions["missed"]["corrected_sojourn_seconds"]
    assert stated not in {None, decisions["missed"]["expected_sojourn_seconds"]}
    assert by_name["missed"]["recommended_sojourn_seconds"] == stated
    assert (by_name["over"]["expected_sojourn_seconds"], by_name["empty"]["measured_until"]) == (None, None)
    assert all(row["detail"] for row in found["items"])


def test_a_rate_above_the_one_that_is_enough_is_said_where_nothing_is_to_change(alone: httpx.Client):
    add(alone, "calm", minutes_ago=2.0)
    put_policy(alone, "calm", TARGET | {"goal": {"t_max_seconds": 0.1}})
    enough = decide(alone, "calm")["counterfactuals"]["holds_up_to_rate"]
    (before,) = alone.get("/v1/overview").json()["items"]
    assert before["detail"] == f"{sum(ENOUGH.values())} processors run, and no change is recommended."
    measure_more(alone, "calm", 1.5 * enough)
    (row,) = alone.get("/v1/overview").json()["items"]
    said = f"The newest rate, {write_rate(1.5 * enough)}, is above the {write_rate(enough)} up to which they are enough"
    assert (row["status"], row["action"]) == ("rate-above-reach", "hold")
    assert row["detail"] == f"{before['detail']} {said}: ask for a decision on it."


def test_a_measured_mean_is_not_compared_with_a_target_of_another_time(alone: httpx.Client):
    goals = {
        "p99 of the time to completion": {"target": {"of": "completion", "quantile": 0.99, "seconds": 0.35}},
        "E[T]": {"target": {"of": "total", "quantile": None, "seconds": 0.35}},
    }
    for name, goal in goals.items():
        add(alone, name, measured_sojourn_seconds=0.4)
        put_policy(alone, name, {"goal": goal})
    rows = {row["name"]: row for row in alone.get("/v1/overview").json()["items"]}
    assert {name: row["target_of"] for name, row in rows.items()} == {name: name for name in goals}
    assert [row["target_seconds"] for row in rows.values()] == [0.35, 0.35]
    assert rows["p99 of the time to completion"]["status"] == "undecided"
    assert rows["E[T]"]["status"] == "target-missed"


def test_pages_hold_every_topology_once_and_an_etag_saves_the_rest(alone: httpx.Client):
    for number in range(7):
        add(alone, f"t{number}", minutes_ago=60.0 if number % 2 else 1.0)
    names, url = [], "/v1/overview?limit=3"
    while url:
        page = alone.get(url).json()
        names += [row["name"] for row in page["items"]]
        url = page["next"]
    assert names == ["t1", "t3", "t5", "t0", "t2", "t4", "t6"]
    first = alone.get("/v1/overview")
    again = alone.get("/v1/overview", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    add(alone, "new")
    changed = alone.get("/v1/overview", headers={"If-None-Match": first.headers["ETag"]})
    assert changed.status_code == 200


def test_no_topology_is_an_empty_list_and_one_without_snapshots_has_no_measurements(alone: httpx.Client):
    assert alone.get("/v1/overview").json() == {"counts": {}, "items": [], "next": None}
    assert alone.post("/v1/topologies", json=FPD | {"name": "new"}).status_code == 201
    (row,) = alone.get("/v1/overview").json()["items"]
    assert (row["status"], row["detail"][:24]) == ("no-measurements", "Nothing was measured yet")


def test_a_filter_keeps_the_rest_out_of_the_list_and_of_the_following_pages(alone: httpx.Client):
    for number in range(5):
        add(alone, f"Team-{number}", minutes_ago=60.0 if number % 2 else 1.0)
    add(alone, "100%_other")
    stale = alone.get("/v1/overview", params={"status": ["stale", "fine"], "contains": "team"}).json()
    assert [row["name"] for row in stale["items"]] == ["Team-1", "Team-3"]
    assert stale["counts"] == {"stale": 2, "no-policy": 3}
    for row in stale["items"]:
        assert "the default limit, because the topology has no policy" in row["detail"]
        assert (row["withheld"]["code"], row["action"]) == ("stale-snapshots", None)
    names, url = [], "/v1/overview?limit=2&contains=eam-"
    while url:
        page = alone.get(url).json()
        names += [row["name"] for row in page["items"]]
        url = page["next"]
    assert names == ["Team-1", "Team-3", "Team-0", "Team-2", "Team-4"]
    for text, found in {"%_": ["100%_other"], "_": ["100%_other"], "team_": []}.items():
        listed = alone.get("/v1/overview", params={"contains": text}).json()["items"]
        assert [row["name"] for row in listed] == found
    for refused in ({"status": "bad"}, {"contains": "\x00"}, {"contains": "x" * 201}):
        assert alone.get("/v1/overview", params=refused).status_code == 422


def test_all_numbers_of_a_row_that_waits_are_of_the_change_for_which_it_waits(alone: httpx.Client):
    add(alone, "waits", rate=480.0, minutes_ago=3.0)
    put_policy(alone, "waits", TARGET | {"cooldown_seconds": 1e6, "max_snapshot_age_seconds": 1e9})
    change = alone.post("/v1/topologies/waits/decisions").json()
    assert change["action"] == "scale_up"
    operators = {one: {"service_rate": mu, "processors": ENOUGH[one]} for one, mu in RATES.items()}
    newest: dict[str, Any] = {
        "observed_at": (datetime.now(UTC) - timedelta(minutes=1, seconds=10)).isoformat()
    }
    newest |= {"window_seconds": 60.0, "external_rate": 320.0, "operators": operators}
    assert alone.post("/v1/topologies/waits/snapshots", json=newest).status_code == 201
    held = alone.post("/v1/topologies/waits/decisions").json()
    assert (held["action"], held["processors"]["recommended_total"]) == ("hold", sum(ENOUGH.values()))
    (row,) = alone.get("/v1/overview").json()["items"]
    assert row["processors_running"] == sum(ENOUGH.values())
    assert row["processors_recommended"] == change["processors"]["recommended_total"]
    assert row["holds_up_to_rate"] == change["counterfactuals"]["holds_up_to_rate"]
    assert row["holds_up_to_rate"] != held["counterfactuals"]["holds_up_to_rate"]
    assert row["recommended_sojourn_seconds"] == change["expected_sojourn_seconds"]
    assert row["status"] == "change-wanted"
    assert row["detail"].startswith(
        f"{sum(ENOUGH.values())} processors run, {sum(change['wanted'].values())} are"
    )


def test_a_row_has_its_labels_and_the_measured_times_of_a_day(alone: httpx.Client):
    add(alone, "dayly", measured_sojourn_seconds=0.25)
    labelled = FPD | {"name": "dayly", "labels": ["payments", "night"]}
    assert alone.put("/v1/topologies/dayly", json=labelled).is_success
    add(alone, "unmeasured")
    rows = {row["name"]: row for row in alone.get("/v1/overview").json()["items"]}
    day = rows["dayly"]["day"]
    assert (len(day), set(day), set(day[-2:])) == (24, {None, 0.25}, set(day[-2:]) | {0.25})
    assert rows["dayly"]["labels"] == ["payments", "night"]
    assert (set(rows["unmeasured"]["day"]), rows["unmeasured"]["labels"]) == ({None}, [])


def test_a_row_has_the_minutes_of_a_week_within_its_target_and_its_price(alone: httpx.Client):
    prices = {"processor_hour": 0.05, "late_minute": 2.0}
    add(alone, "kept", measured_sojourn_seconds=0.25)
    add(alone, "unmeasured")
    add(alone, "untargeted", measured_sojourn_seconds=0.25)
    put_policy(alone, "kept", {"goal": {"t_max_seconds": 0.3}, "prices": prices})
    put_policy(alone, "unmeasured", {"goal": {"t_max_seconds": 0.3}})
    late = {"observed_at": (datetime.now(UTC) - timedelta(minutes=9)).isoformat(), "window_seconds": 30.0}
    late |= {"external_rate": 1.0, "operators": {}, "measured_sojourn_seconds": 0.31}
    assert alone.post("/v1/topologies/kept/snapshots", json=late).is_success
    rows = {row["name"]: row for row in alone.get("/v1/overview").json()["items"]}
    judged = {name: (row["judged_minutes"], row["kept_minutes"]) for name, row in rows.items()}
    assert judged == {"kept": (3.5, 3.0), "unmeasured": (0.0, 0.0), "untargeted": (0.0, 0.0)}
    assert {name: row["processor_hour_price"] for name, row in rows.items()} == {
        "kept": 0.05,
        "unmeasured": None,
        "untargeted": None,
    }


def test_topologies_are_found_by_their_operators(alone: httpx.Client):
    add(alone, "fraud")
    assert alone.post("/v1/topologies", json={"name": "other", "operators": [{"name": "only"}]}).is_success
    found = alone.get("/v1/overview", params={"operator": "DETEC"}).json()
    assert ([row["name"] for row in found["items"]], found["counts"]) == (["fraud"], {"no-policy": 1})
    assert alone.get("/v1/overview", params={"operator": "nobody"}).json()["items"] == []
