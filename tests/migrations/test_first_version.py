"""What the first version stored, migrated and read back over HTTP (tests/golden/first_version/README.md)."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from psycopg import Connection, sql

from ingest.storing.runs import connect
from migrations.runner import migrate, newest_revision
from tests.app.processes import StartService

FIRST = Path(__file__).parents[1] / "golden" / "first_version"
UNKNOWN = 1_000_000
# Of score in calls everything is unknown but the service of the first window: two tuples, of which one gap.
KNOWN_OF_SCORE = [{"service_scv": 0.0625}, {}, {}, {}]


@pytest.fixture
def first_database_url(empty_database_url: str) -> str:
    """A database as the first version left it."""
    with connect(empty_database_url) as connection:
        connection.execute(sql.SQL((FIRST / "dump.sql").read_text("utf-8")))
    return empty_database_url


def repair(address: str, answer: dict[str, Any]) -> dict[str, Any]:
    """The answer as it should have been."""
    if address == "/v1/topologies/calls/snapshots":
        for snapshot, known in zip(answer["items"], KNOWN_OF_SCORE, strict=True):
            snapshot["operators"]["score"] |= {"arrival_scv": None, "service_scv": None} | known
    return answer


def assert_holds(found: object, recorded: object, where: str) -> None:
    """All that was recorded is there, and the same; later versions may answer more besides."""
    if isinstance(recorded, dict):
        assert isinstance(found, dict), where
        for key, value in recorded.items():
            assert key in found, f"{where}/{key}"
            assert_holds(found[key], value, f"{where}/{key}")
    elif isinstance(recorded, list):
        assert isinstance(found, list), where
        assert len(found) == len(recorded), where
        for place, (one, other) in enumerate(zip(found, recorded, strict=True)):
            assert_holds(one, other, f"{where}/{place}")
    else:
        assert found == recorded, where


def read_scvs(url: str) -> dict[tuple[str, str, str, int], dict[str, float]]:
    """By topology, operator, source and minute."""
    with connect(url) as connection:
        rows = connection.execute(
            "SELECT t.name, o.key, s.source, extract(minute FROM observed_at)::int, o.value"
            " FROM snapshots s JOIN topologies t ON t.id = s.topology_id, jsonb_each(operators) o"
        ).fetchall()
    return {
        (topology, operator, source, minute): {key: load[key] for key in load if key.endswith("scv")}
        for topology, operator, source, minute, load in rows
    }


def test_what_the_first_version_stored_reads_as_it_did(first_database_url: str, start_service: StartService):
    service = start_service(database_url=first_database_url)
    recorded = json.loads((FIRST / "answers.json").read_text("utf-8"))
    with httpx.Client(base_url=service.url, timeout=60) as client:
        for address, answer in recorded.items():
            found = client.get(address, params={"limit": 200} if "items" in answer else {})
            assert found.status_code == 200, f"{address}: {found.text}"
            assert_holds(found.json(), repair(address, answer), address)
        # score is busy for 0.6% of its time: without queues E[T] is what was measured.
        window = {"smoothing": {"kind": "window", "size": 4}}
        plan = client.post("/v1/topologies/calls/estimate", json=window).json()
    assert plan["expected_sojourn_seconds"] < 0.5
    assert "scv-assumed" in {said["code"] for said in plan["diagnostics"]}


def test_bursts_histograms_and_shares_of_the_first_version_are_null_and_go_with_their_columns(
    first_database_url: str, start_service: StartService
):
    """The columns are added to the rows that are there, and taken away again with what they hold."""
    shapes = {"arrival_idc", "service_histogram", "instance_shares", "waits_beside_idle"}
    service = start_service(database_url=first_database_url)
    with httpx.Client(base_url=service.url, timeout=60) as client:
        items = client.get("/v1/topologies/calls/summaries").json()["items"]
    assert [{name: item[name] for name in shapes} for item in items] == [dict.fromkeys(shapes)] * len(items)
    with connect(first_database_url) as connection:
        before = read_summaries(connection)
        connection.execute("UPDATE operator_summaries SET instance_shares = '[]'")
    assert migrate(first_database_url, "2026_11_19_windows") == "2026_11_19_windows"
    with connect(first_database_url) as connection:
        assert read_summaries(connection) == [
            {name: value for name, value in row.items() if name not in shapes} for row in before
        ]


def read_summaries(connection: Connection) -> list[dict[str, Any]]:
    rows = connection.execute(
        "SELECT to_jsonb(s) FROM operator_summaries s ORDER BY topology_id, operator, window_start"
    ).fetchall()
    assert rows
    return [row for (row,) in rows]


def test_unknown_scvs_go_and_measured_and_posted_ones_stay(first_database_url: str):
    before = read_scvs(first_database_url)
    assert migrate(first_database_url) == newest_revision()
    after = read_scvs(first_database_url)
    expected = before | {
        ("calls", "score", "ingest", minute): known for minute, known in enumerate(KNOWN_OF_SCORE)
    }
    assert after == expected
    assert [key for key, known in before.items() if UNKNOWN in known.values() and after[key] == known] == [
        ("fpd", "detector", "posted", 58),
        ("clicks", "bursts", "ingest", 0),
        ("clicks", "bursts", "posted", 1),
    ]


def test_without_a_summary_an_scv_at_the_limit_counts_as_unknown(first_database_url: str):
    with connect(first_database_url) as connection:
        connection.execute("DELETE FROM operator_summaries")
    migrate(first_database_url)
    for (*_, source, _), known in read_scvs(first_database_url).items():
        assert source == "posted" or UNKNOWN not in known.values()
