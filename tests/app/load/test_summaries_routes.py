"""Windows that the ingest wrote: by time, by operator, page by page."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from app.database.tables import TopologySummaryRow
from app.load.measurements.stored_topologies import find_topology
from tests.app.load.snapshots.test_routes import START


@pytest.fixture
def windows(database_url: str, stored: str) -> str:
    """The address of a topology's windows: of six minutes, and one that begins with the third and is longer."""
    engine = create_engine(database_url)
    with Session(engine) as session, session.begin():
        topology = find_topology(session, stored)
        for minute, seconds in [*((minute, 60) for minute in range(6)), (2, 3600)]:
            row = TopologySummaryRow(
                topology_id=topology.id,
                window_start=START + timedelta(minutes=minute),
                window_seconds=seconds,
                run_id=1,
                external_rate=100.0 + minute,
                root_tuples=7,
            )
            session.add(row)
    engine.dispose()
    return f"/v1/topologies/{stored}/windows"


def read_all(client: httpx.Client, url: str | None, **parameters: Any) -> Iterator[dict[str, Any]]:
    page = client.get(url or "", params=parameters).raise_for_status().json()
    yield from page["items"]
    while page["next"]:
        page = client.get(page["next"]).raise_for_status().json()
        yield from page["items"]


@pytest.mark.parametrize("limit", [1, 3, 7, 100])
def test_windows_come_once_oldest_first_and_the_shorter_before_the_longer(
    client: httpx.Client, windows: str, limit: int
):
    found = [
        (one["window_start"][14:16], one["window_seconds"]) for one in read_all(client, windows, limit=limit)
    ]
    minutes = [("00", 60), ("01", 60), ("02", 60), ("02", 3600), ("03", 60), ("04", 60), ("05", 60)]
    assert found == minutes


def test_bounds_take_the_beginning_and_leave_the_end(client: httpx.Client, windows: str):
    bounds = {"from": "2026-11-18T00:02:00Z", "to": "2026-11-18T00:04:00Z", "limit": 2}
    assert [one["external_rate"] for one in read_all(client, windows, **bounds)] == [102.0, 102.0, 103.0]


def test_what_was_not_measured_is_null(client: httpx.Client, windows: str):
    first = next(read_all(client, windows))
    assert (first["covered_seconds"], first["mean_completion_seconds"]) == (None, None)


@pytest.mark.parametrize("what", ["windows", "summaries"])
def test_windows_of_an_unknown_topology_are_404(client: httpx.Client, what: str):
    missing = client.get(f"/v1/topologies/nobody/{what}")
    assert (missing.status_code, missing.json()["type"]) == (404, "unknown-topology")


def test_a_topology_without_an_ingest_has_no_windows(client: httpx.Client, stored: str):
    for what in ("windows", "summaries"):
        assert client.get(f"/v1/topologies/{stored}/{what}").json() == {"items": [], "next": None}


def test_the_name_of_no_operator_is_refused(client: httpx.Client, stored: str):
    assert client.get(f"/v1/topologies/{stored}/summaries", params={"operator": "a"}).json()["items"] == []
    refused = client.get(f"/v1/topologies/{stored}/summaries", params={"operator": "a\x00"})
    assert (refused.status_code, refused.json()["type"]) == (422, "invalid-request")
