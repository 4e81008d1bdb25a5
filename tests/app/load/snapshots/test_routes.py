"""Measured load: each interval once, all of a list or nothing."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from app.load.bodies.load import FPD_LOAD

START = datetime(2026, 11, 18, tzinfo=UTC)


def snapshot(minute: int, **changes: Any) -> dict[str, Any]:
    """The example's load, some minutes later."""
    return FPD_LOAD | {"observed_at": (START + timedelta(minutes=minute)).isoformat()} | changes


def read_all(client: httpx.Client, url: str | None) -> list[dict[str, Any]]:
    """Every item of a list, page by page."""
    found = []
    while url:
        page = client.get(url).json()
        found += page["items"]
        url = page["next"]
    return found


def test_the_same_interval_again_replaces_and_never_doubles(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}/snapshots"
    again = client.post(url, json=snapshot(0, external_rate=99.0))
    assert again.status_code == 201
    assert again.json() == {"stored": 0, "replaced": 1}
    assert [item["external_rate"] for item in read_all(client, url)] == [99.0]


def test_the_same_instant_in_another_zone_is_the_same_interval(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}/snapshots"
    elsewhere = client.post(url, json=snapshot(0) | {"observed_at": "2026-11-18T05:30:00+05:30"})
    assert elsewhere.json() == {"stored": 0, "replaced": 1}
    assert read_all(client, url)[0]["observed_at"] == "2026-11-18T00:00:00Z"


def test_windows_of_other_lengths_are_other_intervals(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}/snapshots"
    assert client.post(url, json=snapshot(0, window_seconds=300)).json() == {"stored": 1, "replaced": 0}
    assert len(read_all(client, url)) == 2


def test_pages_go_oldest_first_through_every_interval_once(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}/snapshots"
    minutes = [7, 3, 1, 9, 4, 2, 8, 5, 6]
    sent = client.post(url, json=[snapshot(minute) for minute in minutes])
    assert sent.json() == {"stored": 9, "replaced": 0}
    times = [item["observed_at"] for item in read_all(client, f"{url}?limit=4")]
    assert times == [f"2026-11-18T00:{minute:02}:00Z" for minute in range(10)]
    some = read_all(client, f"{url}?limit=2&from=2026-11-18T00:02:00Z&to=2026-11-18T00:06:00Z")
    assert [item["observed_at"][14:16] for item in some] == ["02", "03", "04", "05"]


def test_one_bad_snapshot_in_a_list_stores_none(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}/snapshots"
    stranger = snapshot(2) | {"operators": {"a/b": {"service_rate": 1.0}}}
    refused = client.post(url, json=[snapshot(1), stranger])
    assert refused.status_code == 422
    assert [error["pointer"] for error in refused.json()["errors"]] == ["#/1/operators/a~1b"]
    assert len(read_all(client, url)) == 1


def test_the_same_interval_twice_in_a_list_is_one_and_the_later_counts(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}/snapshots"
    sent = [snapshot(1, external_rate=1.0), snapshot(2), snapshot(1, external_rate=7.0)]
    assert client.post(url, json=sent).json() == {"stored": 2, "replaced": 1}
    assert [item["external_rate"] for item in read_all(client, url)] == [320.0, 7.0, 320.0]


def test_what_is_wrong_is_pointed_to_in_one_snapshot_and_in_a_list(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}/snapshots"
    for body, pointer in (
        (snapshot(1, external_rate=-1.0), "#/external_rate"),
        ([snapshot(1), snapshot(2, external_rate=-1.0)], "#/1/external_rate"),
        (snapshot(1) | {"observed_at": "2026-11-18T00:00:00"}, "#/observed_at"),
        (snapshot(1) | {"operators": {"reporter": {"service_rate": 0}}}, "#/operators/reporter/service_rate"),
        ([], "#"),
    ):
        refused = client.post(url, json=body)
        assert refused.status_code == 422
        assert [error["pointer"] for error in refused.json()["errors"]] == [pointer]


def test_many_writers_of_one_interval_leave_one(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}/snapshots"
    with ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(lambda rate: client.post(url, json=snapshot(1, external_rate=rate)), range(1, 17))
        )
    assert {answer.status_code for answer in answers} == {201}
    assert sum(answer.json()["stored"] for answer in answers) == 1
    assert len(read_all(client, url)) == 2


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_time_that_utc_does_not_have_is_refused(client: httpx.Client, stored: str, at: str):
    url = f"/v1/topologies/{stored}/snapshots"
    refused = client.post(url, json=snapshot(1) | {"observed_at": at})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "#/observed_at")
    assert client.get(url, params={"from": at}).status_code == 422


def test_what_lies_far_ahead_of_the_clock_is_refused_and_a_little_is_not(client: httpx.Client, stored: str):
    """It would be the newest until then, and every decision would rest on it."""
    url = f"/v1/topologies/{stored}/snapshots"
    now = datetime.now(UTC)
    far = {"observed_at": (now + timedelta(days=2)).isoformat()}
    for body, pointer in ((FPD_LOAD | far, "#/observed_at"), ([FPD_LOAD, FPD_LOAD | far], "#/1/observed_at")):
        refused = client.post(url, json=body)
        assert (refused.status_code, refused.json()["type"]) == (422, "invalid-request")
        assert [one["pointer"] for one in refused.json()["errors"]] == [pointer]
        assert "ahead" in refused.json()["detail"]
    assert len(read_all(client, url)) == 1
    soon = FPD_LOAD | {"observed_at": (now + timedelta(hours=1)).isoformat()}
    assert client.post(url, json=soon).status_code == 201


def test_a_snapshot_can_be_deleted_of_one_length_or_of_all(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}/snapshots"
    client.post(url, json=[snapshot(0, window_seconds=300), snapshot(0, window_seconds=600), snapshot(1)])
    first = f"{url}/2026-11-18T00:00:00Z"
    assert client.delete(f"{first}?window_seconds=300").status_code == 204
    assert [one["window_seconds"] for one in read_all(client, url)] == [60.0, 600.0, 60.0]
    missing = client.delete(f"{first}?window_seconds=300")
    assert (missing.status_code, missing.json()["type"]) == (404, "unknown-snapshot")
    assert client.delete(f"{url}/2026-11-18T05:30:00%2B05:30").status_code == 204
    assert [one["observed_at"] for one in read_all(client, url)] == ["2026-11-18T00:01:00Z"]
    assert client.delete(first).status_code == 404
    assert client.delete(f"{url}/yesterday").status_code == 404
    assert client.delete("/v1/topologies/nobody/snapshots/2026-11-18T00:00:00Z").status_code == 404


def test_no_more_is_measured_of_a_window_than_there_is(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}/snapshots"
    refused = client.post(url, json=[snapshot(1), snapshot(2, covered_seconds=60.5)])
    assert refused.status_code == 422
    assert refused.json()["errors"] == [
        {
            "pointer": "#/1/covered_seconds",
            "detail": "must be at most window_seconds, which is 60; found the number 60.5.",
        }
    ]
    whole, part = snapshot(1, covered_seconds=60.0), snapshot(2, covered_seconds=7.5)
    assert client.post(url, json=[whole, part]).json() == {"stored": 2, "replaced": 0}
    assert [item["covered_seconds"] for item in read_all(client, url)] == [None, 60.0, 7.5]
    assert client.post(url, json=snapshot(2)).json() == {"stored": 0, "replaced": 1}
    assert [item["covered_seconds"] for item in read_all(client, url)] == [None, 60.0, None]
