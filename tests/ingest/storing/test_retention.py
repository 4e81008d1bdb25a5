"""What is older than wanted is deleted: days as whole partitions, rows elsewhere."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pyspark import SparkContext

from ingest.job import run_ingest
from ingest.storing.retention import prune
from ingest.storing.runs import connect
from tests.ingest.logs import START_NS, make_events, to_json
from tests.ingest.stored import TABLES, query, request, write

DAY_NS = 86_400 * 10**9


def count(url: str, table: str, topology: str) -> int:
    statement = f"SELECT count(*) AS n FROM {table} s JOIN topologies t ON t.id = s.topology_id"
    return int(query(url, f"{statement} WHERE t.name = '{topology}'")[0]["n"])


def test_old_days_go_and_newer_and_posted_ones_stay(spark: SparkContext, database: str, tmp_path: Path):
    to_now = time.time_ns() // 10**9 * 10**9 - START_NS - DAY_NS
    old = [e.moved(to_now - 400 * DAY_NS) for e in make_events(5, seed=12, topology="old")]
    new = [e.moved(to_now) for e in make_events(5, seed=13, topology="new")]
    write(tmp_path / "log.jsonl", [to_json(event) for event in [*old, *new]])
    run_ingest(spark, database, request(tmp_path))
    before = {table: count(database, table, "new") for table in TABLES}
    days = {datetime.fromtimestamp(e.arrived_ns // 60 // 10**9 * 60, UTC).date() for e in old}
    with connect(database) as connection:
        connection.execute(
            "INSERT INTO snapshots (topology_id, observed_at, window_seconds, external_rate, operators)"
            " SELECT id, '2020-01-01T00:00Z', 60, 1, '{}' FROM topologies WHERE name = 'old'"
        )
        pruned = prune(connection, timedelta(days=90))
        assert pruned.days == len(days)
        assert (pruned.windows > 0, pruned.snapshots > 0, pruned.runs) == (True, True, 0)
        assert {table: count(database, table, "old") for table in TABLES} == {
            "operator_summaries": 0,
            "topology_summaries": 0,
            "snapshots": 1,
        }
        assert {table: count(database, table, "new") for table in TABLES} == before

        for action in ("hold", "scale_up"):
            connection.execute(
                "INSERT INTO decisions (id, topology_id, revision, answer, decided_for, action, external_rate,"
                " policy_key)"
                " SELECT gen_random_uuid(), id, 1, '{}', '2020-01-01T00:00Z', %s, 1, gen_random_uuid() FROM topologies"
                " WHERE name = 'old'",
                (action,),
            )
        assert prune(connection, timedelta(days=90)).holds == 0
        posted = prune(connection, timedelta(days=90), with_posted=True)
        assert (posted.snapshots, posted.holds) == (1, 1)
        assert count(database, "decisions", "old") == 1, "a change stays"

        connection.execute("DELETE FROM topologies WHERE name = 'new'")
        prune(connection, timedelta(days=90))
    for table in TABLES[:2]:
        assert query(database, f"SELECT count(*) AS n FROM {table}") == [{"n": 0}], "their topology is gone"
