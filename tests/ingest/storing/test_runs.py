"""A run whose process was killed is marked by the next run."""

from pathlib import Path

from pyspark import SparkContext

from ingest.job import run_ingest
from ingest.storing.runs import RUN_LOCK, connect
from tests.ingest.logs import (
    make_single_events,
    to_json,
)
from tests.ingest.stored import query, request, write


def test_a_run_whose_process_is_gone_counts_as_abandoned(spark: SparkContext, database: str, tmp_path: Path):
    statement = (
        "INSERT INTO ingest_runs (state, paths, window_seconds) VALUES ('running', '{}', 60) RETURNING id"
    )
    with connect(database) as connection, connect(database) as living:
        dead = connection.execute(statement).fetchone()
        alive = connection.execute(statement).fetchone()
        assert dead
        assert alive
        living.execute("SELECT pg_advisory_lock(%s, %s)", (RUN_LOCK, alive[0]))
        write(tmp_path / "log.jsonl", [to_json(event) for event in make_single_events(3, seed=7)])
        run_ingest(spark, database, request(tmp_path))
    states = {row["id"]: row["state"] for row in query(database, "SELECT id, state FROM ingest_runs")}
    assert (states[dead[0]], states[alive[0]]) == ("abandoned", "running")
