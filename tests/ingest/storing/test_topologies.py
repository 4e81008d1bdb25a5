"""A topology that was posted stays as it is; another one is kept as the log shows it."""

import json
from pathlib import Path

from pyspark import SparkContext

from ingest.job import run_ingest
from ingest.storing.runs import connect
from ingest.storing.topologies import store_topology
from ingest.windows.discovery import SeenFlow, discover_topologies
from ingest.windows.queueing import SeenQueueing
from tests.ingest.logs import make_events, to_json
from tests.ingest.queue_logs import simulate_queues
from tests.ingest.stored import last_run, post_topology, query, request, write


def test_a_posted_topology_stays_and_differences_are_told(spark: SparkContext, database: str, tmp_path: Path):
    posted = {
        "operators": [{"name": "generator"}, {"name": "detector"}],
        "edges": [{"source": "generator", "target": "detector", "selectivity": 9.0}],
        "entries": [],
    }
    post_topology(database, "fpd", posted)
    write(tmp_path / "log.jsonl", [to_json(event) for event in make_events(150, seed=3)])
    run_ingest(spark, database, request(tmp_path))
    assert query(database, "SELECT definition FROM topology_revisions") == [{"definition": posted}]
    told = {note["code"]: note["detail"] for note in last_run(database)["diagnostics"]}
    assert told.keys() == {"unknown-operators", "unknown-edges", "selectivity-differs"}
    assert "reporter" in told["unknown-operators"]
    assert "detector → detector" in told["unknown-edges"]
    assert "posted as 9" in told["selectivity-differs"]
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


def read_queueings(url: str) -> list[dict[str, str]]:
    """Of each revision."""
    rows = query(url, "SELECT definition FROM topology_revisions ORDER BY revision")
    return [
        {one["name"]: one["queueing"] for one in row["definition"]["operators"] if "queueing" in one}
        for row in rows
    ]


def test_queueing_that_a_log_shows_is_stored_and_kept_by_logs_that_do_not_show_it(database: str):
    flows = [SeenFlow("t", "a", None, 100), SeenFlow("t", "b", "a", 200)]

    def store(*seen: SeenQueueing) -> list[str]:
        (found,) = discover_topologies(flows, seen)
        with connect(database) as connection:
            return [note.code for note in store_topology(connection, found)]

    assert store() == []
    assert store(SeenQueueing("t", "b", "random", "seen")) == ["queueing-inferred"]
    assert store() == []
    assert store(SeenQueueing("t", "b", "random", "seen"), SeenQueueing("u", "a", "keyed", "seen")) == [
        "queueing-inferred"
    ]
    assert read_queueings(database) == [{}, {"b": "random"}]
    store(SeenQueueing("t", "b", "shared", "seen"), SeenQueueing("t", "a", "keyed", "seen"))
    assert read_queueings(database)[2:] == [{"a": "keyed", "b": "shared"}]


def test_a_likely_queueing_is_stored_where_nothing_better_is_known(database: str):
    """A queue per instance of whatever kind is not shared, and nothing said would mean shared."""
    flows = [SeenFlow("t", "a", None, 100), SeenFlow("t", "b", "a", 200)]

    def store(*seen: SeenQueueing) -> list[str]:
        (found,) = discover_topologies(flows, seen)
        with connect(database) as connection:
            return [note.code for note in store_topology(connection, found)]

    assert store(SeenQueueing("t", "b", "random", "seen", is_sure=False)) == ["queueing-uncertain"]
    assert store(SeenQueueing("t", "b", "keyed", "seen", is_sure=False)) == []
    assert store(SeenQueueing("t", "b", "shared", "seen")) == ["queueing-inferred"]
    assert store(SeenQueueing("t", "b", "keyed", "seen", is_sure=False)) == ["queueing-uncertain"]
    assert read_queueings(database) == [{"b": "random"}, {"b": "shared"}, {"b": "keyed"}]


def test_what_a_posted_topology_says_of_queueing_stays_and_is_compared(database: str):
    posted = {
        "queueing": "shared",
        "operators": [{"name": "a"}, {"name": "b", "queueing": "random"}],
        "edges": [{"source": "a", "target": "b", "selectivity": 2.0}],
        "entries": [],
    }
    post_topology(database, "t", posted)
    with connect(database) as connection:
        flows = [SeenFlow("t", "a", None, 100), SeenFlow("t", "b", "a", 200)]
        seen = [SeenQueueing("t", name, "random", "seen") for name in ("a", "b")]
        (note,) = store_topology(connection, discover_topologies(flows, seen)[0])
    assert (note.code, "a is posted as shared" in note.detail) == ("queueing-disagrees", True)
    assert query(database, "SELECT definition FROM topology_revisions") == [{"definition": posted}]


def test_a_log_of_queues_per_instance_makes_a_topology_that_says_so(
    spark: SparkContext, database: str, tmp_path: Path
):
    judged = simulate_queues("round-robin", 3, 0.8, count=6_000).stretch(240.0).judge()
    records = judged.records
    lines = [
        {
            "topology": "dealt",
            "operator": "o",
            "instance": records.kinds[kind].instance,
            "tuple_id": f"r{n}",
            "arrived_at": at / 1e9,
            "started_at": (at + wait) / 1e9,
            "finished_at": (at + wait + service) / 1e9,
        }
        for n, (kind, at, wait, service) in enumerate(
            zip(records.kind, records.arrived_ns, records.wait_ns, records.service_ns, strict=True)
        )
    ]
    write(tmp_path / "log.jsonl", [json.dumps(line) for line in lines])
    run_ingest(spark, database, request(tmp_path))
    assert read_queueings(database) == [{"o": "round-robin"}]
    (note,) = last_run(database)["diagnostics"]
    assert (note["code"], note["topology"]) == ("queueing-inferred", "dealt")
    assert "o has a queue per instance, dealt in turn (round-robin)" in note["detail"]
    rows = query(database, "SELECT waits_beside_idle FROM operator_summaries ORDER BY window_start")
    assert all(0.05 < row["waits_beside_idle"] < 0.95 for row in rows[:4])


KEYED = [SeenQueueing("t", "b", "keyed", "seen", keyed_by="tuple")]
FLOWS = [SeenFlow("t", "a", None, 100), SeenFlow("t", "b", "a", 200)]


def test_what_operators_are_keyed_by_is_stored_and_kept_where_a_log_does_not_show_it(database: str):
    with connect(database) as connection:
        for seen in (KEYED, []):
            store_topology(connection, discover_topologies(FLOWS, seen)[0])
    [row] = query(database, "SELECT definition FROM topology_revisions")
    assert [one.get("keyed_by") for one in row["definition"]["operators"]] == [None, "tuple"]


def test_what_a_posted_topology_says_of_keys_is_compared(database: str):
    operators = [{"name": "a"}, {"name": "b", "queueing": "keyed"}]
    post_topology(database, "t", {"operators": operators, "edges": [], "entries": []})
    with connect(database) as connection:
        noted = store_topology(connection, discover_topologies(FLOWS, KEYED)[0])
    notes = {note.code: note.detail for note in noted}
    assert notes["keys-disagree"].endswith("b has keyed_by tuple, posted as root (the default).")
