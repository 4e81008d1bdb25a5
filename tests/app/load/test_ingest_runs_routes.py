"""Runs of the ingest over HTTP: the newest first, with the lines that each rejected."""

from collections.abc import Iterator
from datetime import UTC, date, datetime

import httpx
import pytest
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from app.database.tables import IngestRunRow, RejectedLineRow


@pytest.fixture(scope="module")
def runs(database_url: str, client: httpx.Client) -> Iterator[list[int]]:
    """Three runs, the first of which rejected five lines."""
    assert client.get("/v1/ingest-runs").status_code == 200, "the database is migrated"
    engine = create_engine(database_url)
    with Session(engine) as session, session.begin():
        rows = [
            IngestRunRow(
                state="succeeded",
                paths=[f"log-{number}"],
                day=date(2026, 11, number),
                window_seconds=60,
                started_at=datetime(2026, 11, number, tzinfo=UTC),
                read=12,
                accepted=6,
                rejected=5,
                duplicates=1,
                reject_reasons={"not one JSON object": 5},
            )
            for number in (1, 2, 3)
        ]
        session.add_all(rows)
        session.flush()
        ids = [row.id for row in rows]
        session.add_all(
            RejectedLineRow(
                run_id=ids[0],
                number=number,
                file="log-1",
                line=number,
                reason="not one JSON object",
                text="{",
            )
            for number in range(1, 6)
        )
    yield ids
    with Session(engine) as session, session.begin():
        for one in ids:
            session.delete(session.get_one(IngestRunRow, one))
    engine.dispose()


def read_all(client: httpx.Client, url: str | None) -> Iterator[dict[str, object]]:
    while url:
        page = client.get(url).raise_for_status().json()
        yield from page["items"]
        url = page["next"]


def test_runs_are_listed_newest_first_across_pages(client: httpx.Client, runs: list[int]):
    listed = [one["id"] for one in read_all(client, "/v1/ingest-runs?limit=2")]
    assert [one for one in listed if one in runs] == runs[::-1]


def test_a_run_reads_as_it_was_written(client: httpx.Client, runs: list[int]):
    run = client.get(f"/v1/ingest-runs/{runs[1]}").json()
    assert (run["paths"], run["day"], run["state"]) == (["log-2"], "2026-11-02", "succeeded")
    assert run["read"] == run["accepted"] + run["rejected"] + run["duplicates"]


def test_rejected_lines_keep_the_order_of_the_files_and_count_all(client: httpx.Client, runs: list[int]):
    url = f"/v1/ingest-runs/{runs[0]}/rejects"
    assert [one["line"] for one in read_all(client, f"{url}?limit=2")] == [1, 2, 3, 4, 5]
    assert client.get(f"{url}?limit=2").json()["reasons"] == {"not one JSON object": 5}
    assert client.get(f"/v1/ingest-runs/{runs[1]}/rejects").json()["items"] == []


@pytest.mark.parametrize("rest", ["", "/rejects"])
def test_an_unknown_run_is_404(client: httpx.Client, rest: str):
    missing = client.get(f"/v1/ingest-runs/{2**62}{rest}")
    assert (missing.status_code, missing.json()["type"]) == (404, "unknown-ingest-run")
