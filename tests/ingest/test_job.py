"""The whole job on real Spark and real Postgres: what stands in the tables after it."""

import csv
import gzip
import json
import math
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from psycopg.rows import dict_row
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from ingest.job import TooManyRejected, explain, run_ingest
from ingest.runs import RUN_LOCK, Request, connect
from ingest.sources import SourceNotFound
from ingest.store import MOST_SCV
from migrations.runner import migrate
from tests.app.processes import made_database
from tests.ingest import reference
from tests.ingest.logs import (
    START_NS,
    make_events,
    make_single_events,
    make_sparse_events,
    to_iso,
    to_json,
    to_record,
)
from tests.ingest.reference import NS, Event

Tables = dict[str, list[dict[str, Any]]]


@pytest.fixture
def database(postgres_url: str) -> Iterator[str]:
    with made_database(postgres_url) as url:
        migrate(url)
        yield url


def request(path: Path, day: date | None = None, window_seconds: int = 60) -> Request:
    return Request((str(path),), day, window_seconds, 0.05)


def query(url: str, statement: str) -> list[dict[str, Any]]:
    with connect(url) as connection:
        return connection.cursor(row_factory=dict_row).execute(statement).fetchall()


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


def test_a_rerun_and_a_corrected_file_leave_what_one_clean_run_leaves(
    spark: SparkSession, database: str, postgres_url: str, tmp_path: Path
):
    events = make_events(120, seed=1)
    log = tmp_path / "logs" / "day.jsonl"
    good = [to_json(event) for event in events]
    write(
        log,
        [
            *good[:50],
            "",
            "{torn",
            *good[50:],
            *good[10:13],
            to_json(events[0], operator=""),
            to_json(events[0], instance="a\0b"),
        ],
    )
    run_ingest(spark, database, request(log))
    first = dump(database)
    run = last_run(database)
    repeated = 3 + len(events) - len(reference.drop_duplicates(events))
    assert (run["read"], run["rejected"], run["duplicates"]) == (len(events) + 6, 3, repeated)
    assert run["read"] == run["accepted"] + run["rejected"] + run["duplicates"]
    assert run["reject_reasons"] == {
        "not one JSON object": 1,
        "operator is empty": 1,
        "instance holds control characters": 1,
    }
    rejects = query(database, "SELECT file, line, reason, text FROM rejected_lines ORDER BY line")
    assert [(r["line"], r["reason"], r["text"][:5]) for r in rejects] == [
        (52, "not one JSON object", "{torn"),
        (len(events) + 6, "operator is empty", '{"top'),
        (len(events) + 7, "instance holds control characters", '{"top'),
    ]
    expected = reference.summarise_operators(events, 60)
    assert len(first["operator_summaries"]) == len(expected) == run["windows"]
    assert sum(row["row"]["tuples"] for row in first["operator_summaries"]) == run["accepted"]

    run_ingest(spark, database, request(log))
    assert dump(database) == first, "running a day twice changes nothing"

    single = reference.drop_duplicates(events)
    write(log, [to_json(event) for event in single if event.arrived_ns < START_NS + 170 * NS])
    run_ingest(spark, database, request(log))
    with made_database(postgres_url) as clean:
        migrate(clean)
        run_ingest(spark, clean, request(log))
        assert dump(database) == dump(clean)
    assert len(dump(database)["topology_summaries"]) == 3


def assert_nothing_is_made_up(url: str) -> None:
    """What is null in a summary is null in its snapshot, and what is known is the same, SCVs up to MOST_SCV."""
    measured = query(url, "SELECT * FROM operator_summaries")
    snapshots = {
        (one["topology_id"], one["observed_at"]): one for one in query(url, "SELECT * FROM snapshots")
    }
    unknown = set()
    for summary in measured:
        load = snapshots[summary["topology_id"], summary["window_start"]]["operators"][summary["operator"]]
        for name in ("service_rate", "arrival_rate", "arrival_scv", "service_scv"):
            known = summary[name]
            most = MOST_SCV if name.endswith("scv") else math.inf
            assert load.get(name) == (known if known is None else min(known, most)), (name, summary)
            unknown |= {name} if known is None else set()
    assert unknown == {"service_rate", "arrival_scv", "service_scv"}
    assert max(summary["arrival_scv"] or 0.0 for summary in measured) > MOST_SCV
    windows = query(url, "SELECT * FROM topology_summaries")
    pairs = {
        (
            whole["mean_total_sojourn_seconds"],
            snapshots[whole["topology_id"], whole["window_start"]]["measured_sojourn_seconds"],
        )
        for whole in windows
    }
    assert (None, None) in pairs
    assert all(one == other for one, other in pairs)


def test_snapshots_say_what_the_summaries_say(spark: SparkSession, database: str, tmp_path: Path):
    events = make_events(200, seed=2, seconds=110)
    write(tmp_path / "log.jsonl", [to_json(event) for event in [*events, *make_sparse_events()]])
    run_ingest(spark, database, request(tmp_path))
    assert_nothing_is_made_up(database)
    operators = reference.summarise_operators(events, 60)
    topologies = reference.summarise_topologies(events, 60)
    of_fpd = "WHERE topology_id = (SELECT id FROM topologies WHERE name = 'fpd')"
    snapshots = query(database, f"SELECT * FROM snapshots {of_fpd} ORDER BY observed_at")
    assert len(snapshots) == len(topologies)
    for snapshot in snapshots:
        window = int(snapshot["observed_at"].timestamp()) // 60
        whole = topologies["fpd", window]
        assert snapshot["external_rate"] == pytest.approx(whole["external_rate"], rel=1e-9)
        assert snapshot["measured_sojourn_seconds"] == pytest.approx(
            whole["mean_total_sojourn_seconds"], rel=1e-9
        )
        for operator, load in snapshot["operators"].items():
            measured = operators["fpd", operator, window]
            assert load.pop("processors") == measured["processors"]
            assert load.pop("processors_basis") == measured["processors_basis"]
            assert load == {
                name: pytest.approx(measured[name], rel=1e-9)
                for name in ("arrival_rate", "arrival_scv", "service_rate", "service_scv")
                if measured[name] is not None
            }
    found = query(database, f"SELECT definition, source FROM topology_revisions {of_fpd}")
    assert [one["source"] for one in found] == ["discovered"]
    definition = found[0]["definition"]
    assert [one["name"] for one in definition["operators"]] == ["detector", "generator", "reporter"]
    kept = reference.drop_duplicates(events)
    inputs = {name: sum(e.operator == name for e in kept) for name in ("detector", "generator", "reporter")}
    assert {(e["source"], e["target"]): e["selectivity"] for e in definition["edges"]} == {
        (i, j): pytest.approx(
            sum(e.operator == j and e.from_operator == i for e in kept) / inputs[i], rel=1e-12
        )
        for i, j in (("detector", "detector"), ("detector", "reporter"), ("generator", "detector"))
    }
    assert definition["entries"] == [{"operator": "generator", "share": 1.0}]


def test_a_posted_topology_stays_and_its_disagreement_is_told(
    spark: SparkSession, database: str, tmp_path: Path
):
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


def test_too_many_rejected_lines_leave_the_tables_as_they_were(
    spark: SparkSession, database: str, tmp_path: Path
):
    log = tmp_path / "log.jsonl"
    good = [to_json(event) for event in make_single_events(30, seed=4)]
    write(log, good)
    run_ingest(spark, database, request(log))
    before = dump(database)
    write(log, [*good[:20], *["?" * 100] * 4])
    with pytest.raises(TooManyRejected, match="4 of 24 records") as refused:
        run_ingest(spark, database, request(log))
    assert dump(database) == before
    run = last_run(database)
    _, *shown, address = str(refused.value).splitlines()
    assert [line.partition("log.jsonl, ")[2] for line in shown] == [
        f"line {line}: not one JSON object: {'?' * 80}…" for line in (21, 22, 23)
    ]
    assert f"/v1/ingest-runs/{run['id']}/rejects" in address
    assert run["error"].startswith("4 of 24 records cannot be used")
    assert (run["state"], run["read"], run["rejected"], run["reject_reasons"]) == (
        "failed",
        24,
        4,
        {"not one JSON object": 4},
    )


def test_a_day_is_its_folder_and_what_arrived_on_it(spark: SparkSession, database: str, tmp_path: Path):
    """Folders of other days are not read at all: their content would be rejected."""
    events = make_single_events(40, seed=5)
    late = events[0].moved(-86_400 * NS)
    write(tmp_path / "dt=2026-11-18" / "a.jsonl", [to_json(event) for event in [*events, late]])
    write(tmp_path / "dt=2026-11-17" / "b.jsonl", ["?"] * 100)
    run_ingest(spark, database, request(tmp_path, date(2026, 11, 18)))
    run = last_run(database)
    assert (run["read"], run["rejected"]) == (len(events), 0)
    assert run["first_window_at"] >= datetime(2026, 11, 18, tzinfo=UTC)
    write(tmp_path / "dt=2026-11-18" / "a.jsonl", [to_json(event) for event in events[:1]])
    run_ingest(spark, database, request(tmp_path, date(2026, 11, 18)))
    assert len(dump(database)["operator_summaries"]) == 1, "what the day no longer has is gone"


def test_every_format_gives_the_same_tables(spark: SparkSession, database: str, tmp_path: Path):
    """A topology per format, told apart by name alone."""
    plain = make_single_events(60, seed=6)

    def renamed(name: str) -> list[Event]:
        return [Event(**(asdict(event) | {"topology": name})) for event in plain]

    with gzip.open(tmp_path / "a.jsonl.gz", "wt") as file:
        file.write("".join(to_json(event) + "\n" for event in renamed("gzip")))
    zones = [("Z", 0), ("+05:30", 5.5), ("-03:00", -3)]
    iso = []
    for place, event in enumerate(renamed("iso")):
        zone, hours = zones[place % 3]
        times = {
            name: to_iso(nanos + int(hours * 3600 * NS), zone)
            for name, nanos in (
                ("arrived_at", event.arrived_ns),
                ("started_at", event.started_ns),
                ("finished_at", event.finished_ns),
            )
        }
        iso.append(to_json(event, **times))
    write(tmp_path / "b.json", iso)
    columns = list(to_record(plain[0]))
    for name, order in (("csv", columns), ("csv2", columns[::-1])):
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, [*order, "unrelated"])
            writer.writeheader()
            writer.writerows(to_record(event) | {"unrelated": 'a,"b'} for event in renamed(name))
    pq.write_table(pa.Table.from_pylist([to_record(e) for e in renamed("parquet")]), tmp_path / "e.parquet")
    stamps = pa.Table.from_pylist(
        [
            to_record(e)
            | {
                "arrived_at": e.arrived_ns,
                "started_at": e.started_ns,
                "finished_at": e.finished_ns,
            }
            for e in renamed("nanos")
        ]
    )
    for name in ("arrived_at", "started_at", "finished_at"):
        column = stamps[name].cast(pa.timestamp("ns", "UTC"))
        stamps = stamps.set_column(stamps.column_names.index(name), name, column)
    pq.write_table(stamps.drop_columns(["sample_every"]), tmp_path / "f.parquet")
    run_ingest(spark, database, request(tmp_path))
    assert last_run(database)["rejected"] == 0
    for rows in dump(database).values():
        by_name: dict[str, list[Any]] = {}
        for row in rows:
            by_name.setdefault(row["name"], []).append(row["row"])
        assert set(by_name) == {"gzip", "iso", "csv", "csv2", "parquet", "nanos"}
        for found in by_name.values():
            for one, other in zip(found, by_name["iso"], strict=True):
                assert {name: (one[name], other[name]) for name in one if one[name] != other[name]} == {}


def test_nothing_to_read_is_a_run_of_nothing_and_a_wrong_path_is_told(
    spark: SparkSession, database: str, tmp_path: Path
):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "a.jsonl").touch()
    (tmp_path / "empty" / "a.parquet").touch()
    run_ingest(spark, database, request(tmp_path / "empty"))
    run = last_run(database)
    assert (run["state"], run["read"], run["windows"]) == ("succeeded", 0, 0)
    with pytest.raises(SourceNotFound, match=r"absent.* does not exist"):
        run_ingest(spark, database, request(tmp_path / "absent"))


def test_a_run_whose_process_is_gone_counts_as_abandoned(spark: SparkSession, database: str, tmp_path: Path):
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


def test_a_log_that_is_rotated_keeps_the_windows_of_the_day_before(
    spark: SparkSession, database: str, tmp_path: Path
):
    """The same path, other records: they overlap in one window at most, so yesterday's stay."""
    log = tmp_path / "current.jsonl"
    events = make_single_events(60, seed=8)
    write(log, [to_json(event) for event in events])
    run_ingest(spark, database, request(log))
    windows = len(dump(database)["topology_summaries"])
    write(log, [to_json(event.moved(6 * 60 * NS)) for event in events])
    run_ingest(spark, database, request(log))
    both = dump(database)
    assert len(both["topology_summaries"]) == 2 * windows
    write(log, [])
    run_ingest(spark, database, request(log))
    assert dump(database) == both, "a log that was rotated a moment ago has no span, and replaces none"


def test_a_failed_run_says_what_failed_and_not_who_called_it(
    spark: SparkSession, database: str, tmp_path: Path
):
    whole = gzip.compress("\n".join(to_json(event) for event in make_single_events(100, seed=9)).encode())
    (tmp_path / "log.jsonl.gz").write_bytes(whole[:-20])
    with pytest.raises((PySparkException, Py4JError)) as failed:
        run_ingest(spark, database, request(tmp_path))
    run = last_run(database)
    assert run["state"] == "failed"
    assert run["error"] == explain(failed.value)
    assert "reading file" in run["error"]
    assert run["error"].endswith("EOFException: Unexpected end of input stream")


def test_a_failure_in_python_is_told_in_its_own_words(spark: SparkSession):
    def give_up(_: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        raise RuntimeError("no more of this")

    with pytest.raises(PySparkException) as failed:
        spark.range(1).mapInArrow(give_up, "id long").collect()
    assert explain(failed.value) == "RuntimeError: no more of this"
