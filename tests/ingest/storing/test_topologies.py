"""A topology that was posted stays as it is; another one is kept as the log shows it."""

import json
from pathlib import Path

from pyspark import SparkContext

from ingest.job import run_ingest
from ingest.storing.runs import connect
from ingest.storing.topologies import store_topology
from ingest.windows.discovery import SeenFlow, discover_topologies
from tests.ingest.logs import make_events, to_json
from tests.ingest.stored import last_run, query, request, write


def test_a_posted_topology_stays_and_differences_are_told(spark: SparkContext, database: str, tmp_path: Path):
    posted = {
        "operators": [{"name": "generator"}, {"name": "detector"}],
        "edges": [{"source": "generator", "target": "detector", "selectivity": 9.0}],
        "entries": [],
    }
    with connect(database) as connection:
        connection.execute("INSERT INTO topologies (name, revision) VALUES ('fpd', 1)")
        connection.execute(
            "INSERT INTO topology_revisions (topology_id, revision, definition) SELECT id, 1, %s FROM topologies",
            (json.dumps(posted),),
        )
    write(tmp_path / "log.jsonl", [to_json(event) for event in make_events(150, seed=3)])
    run_ingest(spark, database, request(tmp_path))
    assert query(database, "SELECT definition FROM topology_revisions") == [{"definition": posted}]
    told = {note["code"]: note["detail"] for note in last_run(database)["diagnostics"]}
    assert told.keys() == {"unknown-operators", "unknown-edges", "selectivity-differs"}
    assert "reporter" in told["unknown-operators"]
    assert "detector → detector" in told["unknown-edges"]
    assert "posted 9" in told["selectivity-differs"]
    measured = {
        name for row in query(database, "SELECT operators FROM snapshots") for name in row["operators"]
    }
    assert measured == {"generator", "detector"}


def test_a_discovered_topology_gets_a_revision_only_when_it_changes(database: str):
    flows = [SeenFlow("t", "a", None, 100), SeenFlow("t", "b", "a", 200)]
    (first,) = discover_topologies(flows)
    (other,) = discover_topologies([*flows, SeenFlow("t", "c", "b", 50)])
    revisions = []
    with connect(database) as connection:
        for found in (first, first, other, other, first):
            assert store_topology(connection, found) == []
            revisions.append(query(database, "SELECT revision FROM topologies")[0]["revision"])
    assert revisions == [1, 1, 2, 2, 3]
    stored = query(database, "SELECT definition, source FROM topology_revisions ORDER BY revision")
    assert [one["definition"] for one in stored] == [one.to_definition() for one in (first, other, first)]
    assert {one["source"] for one in stored} == {"discovered"}
