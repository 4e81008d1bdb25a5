"""Runs the ingest on a database, and reads what it stored."""

import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

from psycopg.rows import dict_row
from pyspark import SparkContext

from ingest.job import run_ingest
from ingest.request import Request
from ingest.storing.runs import connect
from tests.ingest.logs import (
    to_json,
)
from tests.ingest.reference import Event

TABLES = ("operator_summaries", "topology_summaries", "snapshots")
Tables = dict[str, list[dict[str, Any]]]
JobResults = dict[str, dict[str, list[dict[str, Any]]]]


def request(path: Path, day: date | None = None, window_seconds: int = 60) -> Request:
    return Request((str(path),), day, window_seconds, 0.05)


def query(url: str, statement: str) -> list[dict[str, Any]]:
    with connect(url) as connection:
        return connection.cursor(row_factory=dict_row).execute(statement).fetchall()


def post_topology(url: str, name: str, definition: dict[str, Any]) -> None:
    """Stores the only topology, as if it had been posted."""
    with connect(url) as connection:
        connection.execute("INSERT INTO topologies (name, revision) VALUES (%s, 1)", (name,))
        connection.execute(
            "INSERT INTO topology_revisions (topology_id, revision, definition) SELECT id, 1, %s FROM topologies",
            (json.dumps(definition),),
        )


def dump(url: str) -> Tables:
    """All that readers see, but for numbers and times of runs."""
    named = (
        "SELECT t.name, to_jsonb(s) - 'run_id' - 'topology_id' - 'stored_at' AS row"
        " FROM {} s JOIN topologies t ON t.id = s.topology_id ORDER BY 1, 2"
    )
    tables = ("operator_summaries", "topology_summaries", "snapshots")
    return {table: query(url, named.format(table)) for table in tables}


def last_run(url: str) -> dict[str, Any]:
    return query(url, "SELECT * FROM ingest_runs ORDER BY id DESC LIMIT 1")[0]


def write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines))


def ingest(spark: SparkContext, url: str, path: Path, events: Iterable[Event], **asked: Any) -> None:
    write(path, [to_json(event) for event in events])
    run_ingest(spark, url, request(path, **asked))


def read_snapshots(url: str) -> list[dict[str, Any]]:
    return query(url, "SELECT * FROM snapshots ORDER BY observed_at")


def read_tables(url: str) -> JobResults:
    """Per topology, the rows of each table, oldest first."""
    found: JobResults = {}
    for table in TABLES:
        time = "observed_at" if table == "snapshots" else "window_start"
        for row in query(
            url,
            f"SELECT t.name, s.* FROM {table} s JOIN topologies t ON t.id = s.topology_id ORDER BY {time}",
        ):
            found.setdefault(row["name"], {}).setdefault(table, []).append(row)
    return found
