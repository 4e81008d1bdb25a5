"""/v1/topologies/{name}/series: buckets equal what the snapshots say, and gaps stay gaps."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from tests.app.decision_calls import ENOUGH, RATES, START, TARGET, at, decide, observe, put_policy


def read(client: httpx.Client, name: str, **query: Any) -> dict[str, Any]:
    answer = client.get(f"/v1/topologies/{name}/series", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_buckets_are_the_means_of_their_snapshots(client: httpx.Client, known: str):
    rates = [300.0, 310.0, 320.0, 250.0, 260.0, 270.0]
    for minute, rate in enumerate(rates, 1):
        observe(client, known, minute, rate, ENOUGH, measured_sojourn_seconds=rate / 1000)
    found = read(client, known, **{"from": at(0), "points": 2})
    assert (found["from"], found["to"]) == ("2026-11-18T00:00:00Z", "2026-11-18T00:06:00Z")
    assert found["bucket_seconds"] == 180.0
    first, second = found["points"]
    assert (first["snapshots"], first["external_rate"], first["highest_rate"]) == (3, 310.0, 320.0)
    weighted = sum(rate * rate / 1000 for rate in rates[3:]) / sum(rates[3:])
    assert second["measured_sojourn_seconds"] == pytest.approx(weighted, rel=1e-12)
    assert second["processors_running"] == sum(ENOUGH.values())
    body = {"external_rate": 270.0, "operators": {n: {"service_rate": r} for n, r in RATES.items()}}
    topology = client.get(f"/v1/topologies/{known}").json()
    described = {key: topology[key] for key in ("operators", "edges", "entries")}
    estimate = client.post("/v1/estimate", json={"topology": described, "load": body, "processors": ENOUGH})
    assert second["expected_sojourn_seconds"] == estimate.json()["expected_sojourn_seconds"]


def test_a_gap_stays_a_gap_and_what_cannot_keep_up_has_no_expected_time(client: httpx.Client, known: str):
    observe(client, known, 1, 320.0, ENOUGH)
    observe(client, known, 4, 900.0, ENOUGH)
    found = read(client, known, **{"from": at(0)})
    assert [point["snapshots"] for point in found["points"]] == [1, 0, 0, 1]
    gap, full = found["points"][1], found["points"][3]
    assert {gap[name] for name in gap if name not in {"at", "snapshots", "is_overloaded"}} == {None}
    assert full["is_overloaded"]
    assert full["expected_sojourn_seconds"] is None
    assert full["measured_sojourn_seconds"] is None


def test_decisions_stand_in_the_bucket_of_their_data(client: httpx.Client, known: str):
    put_policy(client, known, TARGET)
    observe(client, known, 1, 320.0, ENOUGH)
    decide(client, known, 1)
    observe(client, known, 2, 480.0, ENOUGH)
    up = decide(client, known, 2)
    found = read(client, known, **{"from": at(0)})
    assert found["target_seconds"] == 0.1
    assert [point["action"] for point in found["points"]] == ["hold", "scale_up"]
    assert found["points"][1]["processors_recommended"] == up["processors"]["recommended_total"]


@pytest.mark.parametrize("points", [1, 3, 7, 1000])
def test_each_bucket_has_the_newest_decision_on_its_data(client: httpx.Client, known: str, points: int):
    put_policy(client, known, TARGET)
    decided = {}
    for minute in (1, 2, 4, 5, 7):
        observe(client, known, minute, 300.0 + 30.0 * minute, ENOUGH)
        decided[minute] = decide(client, known, minute)
    found = read(client, known, **{"from": at(0), "to": at(7), "points": points})
    newest: dict[int, dict[str, Any]] = {}
    for minute, one in decided.items():
        newest[int((minute * 60 - 1e-6) // found["bucket_seconds"])] = one
    expected = [
        (one["action"], one["processors"]["recommended_total"]) if one else (None, None)
        for one in map(newest.get, range(len(found["points"])))
    ]
    assert [(point["action"], point["processors_recommended"]) for point in found["points"]] == expected
    assert len({one for one, _ in expected if one}) + (points == 1) > 1


def test_no_more_points_than_asked_for_and_none_shorter_than_a_snapshot(client: httpx.Client, measured: str):
    assert len(read(client, measured, points=7)["points"]) == 7
    begin = datetime(2026, 11, 18, tzinfo=UTC)
    query = {"from": begin.isoformat(), "to": (begin + timedelta(hours=2)).isoformat(), "points": 1000}
    found = read(client, measured, **query)
    assert (len(found["points"]), found["bucket_seconds"]) == (120, 60.0)


@pytest.mark.parametrize(
    "query",
    [
        {"points": 0},
        {"points": 1001},
        {"from": "x"},
        {"from": at(5), "to": at(5)},
        {"from": at(5), "to": at(1)},
    ],
)
def test_times_and_points_that_make_no_sense_are_refused(
    client: httpx.Client, measured: str, query: dict[str, Any]
):
    assert client.get(f"/v1/topologies/{measured}/series", params=query).status_code == 422


def test_without_snapshots_there_are_no_points(client: httpx.Client, known: str):
    assert read(client, known)["points"] == []
    assert client.get("/v1/topologies/nowhere/series").status_code == 404
    observe(client, known, 1, 320.0, ENOUGH)
    late = {"from": (START - timedelta(days=3)).isoformat(), "to": (START - timedelta(days=2)).isoformat()}
    assert read(client, known, **late)["points"] == []


@pytest.mark.parametrize("since", ["0001-01-01T00:00:00Z", "1926-01-01T00:00:00Z", "2026-11-17T23:59:59.3Z"])
@pytest.mark.parametrize("points", [1, 7, 300, 1000])
def test_there_are_never_more_buckets_than_were_asked_for_and_none_of_the_data_is_lost(
    client: httpx.Client, known: str, since: str, points: int
):
    put_policy(client, known, TARGET)
    observe(client, known, 1, 320.0, ENOUGH)
    decided = decide(client, known, 1)
    found = read(client, known, **{"from": since, "to": decided["decided_for"], "points": points})
    assert len(found["points"]) <= points
    assert sum(point["snapshots"] for point in found["points"]) == 1
    assert [point["action"] for point in found["points"] if point["action"]] == ["hold"]


def test_a_time_at_the_beginning_of_the_calendar_is_answered(client: httpx.Client, known: str):
    assert read(client, known, to="0001-01-01T12:00:00Z")["from"] == "0001-01-01T00:00:00Z"


def test_a_point_says_which_change_did_not_run(client: httpx.Client, known: str):
    put_policy(client, known, TARGET)
    observe(client, known, 1, 480.0, ENOUGH)
    up = decide(client, known, 1)["processors"]
    observe(client, known, 2, 480.0, ENOUGH)
    first, second = read(client, known, **{"from": at(0)})["points"]
    assert first["note"].endswith(
        f"No later row shows the {up['recommended_total']} processors that were recommended here: "
        f"{up['current_total']} ran."
    )
    assert "No later row" not in (second["note"] or "")


def test_a_short_past_fills_the_whole_series(client: httpx.Client, known: str):
    for minute in range(1, 7):
        observe(client, known, minute, 300.0, ENOUGH)
    found = read(client, known, points=6)
    assert (found["from"], found["to"]) == ("2026-11-18T00:00:00Z", "2026-11-18T00:06:00Z")
    assert found["bucket_seconds"] == 60.0
    assert [one["snapshots"] for one in found["points"]] == [1] * 6
