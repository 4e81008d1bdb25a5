"""A run replaces its windows as a whole, and snapshots equal the summaries."""

import math
from pathlib import Path
from typing import Any

import pytest
from pyspark import SparkContext

from app.load.bodies.load import LoadBody
from app.load.measurements.snapshots import join_operators
from ingest.job import run_ingest
from ingest.windows.snapshot_shapes import MOST_SCV
from migrations.runner import migrate
from tests.app.processes import made_database
from tests.ingest import reference
from tests.ingest.logs import (
    START_NS,
    make_events,
    make_single_events,
    make_sparse_events,
    to_json,
)
from tests.ingest.reference import NS, Event
from tests.ingest.shapes import assert_shapes, describe_shapes
from tests.ingest.stored import dump, last_run, query, request, write


def make_messy(events: list[Event]) -> list[str]:
    """The events with a blank line, a torn one, two of faulty names, and three records twice."""
    good = [to_json(event) for event in events]
    faulty = [to_json(events[0], operator=""), to_json(events[0], instance="a\0b")]
    return [*good[:50], "", "{torn", *good[50:], *good[10:13], *faulty]


def assert_adds_up(url: str, events: list[Event]) -> None:
    """What the run of the messy log says of it, and the tables hold."""
    run, stored = last_run(url), dump(url)
    repeated = 3 + len(events) - len(reference.drop_duplicates(events))
    assert (run["read"], run["rejected"], run["duplicates"]) == (len(events) + 6, 3, repeated)
    assert run["read"] == run["accepted"] + run["rejected"] + run["duplicates"]
    assert run["reject_reasons"] == {
        "not one JSON object": 1,
        "operator is empty": 1,
        "instance holds control characters": 1,
    }
    rejects = query(url, "SELECT file, line, reason, text FROM rejected_lines ORDER BY line")
    assert [(r["line"], r["reason"], r["text"][:5]) for r in rejects] == [
        (52, "not one JSON object", "{torn"),
        (len(events) + 6, "operator is empty", '{"top'),
        (len(events) + 7, "instance holds control characters", '{"top'),
    ]
    assert (
        len(stored["operator_summaries"]) == len(reference.summarise_operators(events, 60)) == run["windows"]
    )
    assert sum(row["row"]["tuples"] for row in stored["operator_summaries"]) == run["accepted"]
    shapes = describe_shapes(events, 60)
    for row in query(url, "SELECT * FROM operator_summaries"):
        assert_shapes(row, shapes["fpd", row["operator"], int(row["window_start"].timestamp()) // 60])


def test_a_rerun_and_a_corrected_file_leave_what_one_clean_run_leaves(
    spark: SparkContext, database: str, postgres_url: str, tmp_path: Path
):
    events = make_events(120, seed=1)
    log = tmp_path / "logs" / "day.jsonl"
    write(log, make_messy(events))
    run_ingest(spark, database, request(log))
    assert_adds_up(database, events)
    first = dump(database)

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


def assert_shapes_are_taken(snapshot: dict[str, Any]) -> None:
    """The service takes them, and those of each operator are there."""
    joined = join_operators(snapshot["operators"], snapshot["shapes"])
    load = LoadBody.model_validate({"external_rate": 1.0, "operators": joined}).to_values()
    assert all(one.instances and one.service_histogram for one in load.operators.values())


def assert_load_is(load: dict[str, Any], measured: dict[str, Any]) -> None:
    assert load.pop("processors") == measured["processors"]
    assert load.pop("processors_basis") == measured["processors_basis"]
    assert load.pop("measured_wait_seconds") == pytest.approx(measured["mean_wait_seconds"], rel=1e-9)
    assert load == {
        name: pytest.approx(measured[name], rel=1e-9)
        for name in ("arrival_rate", "arrival_scv", "service_rate", "service_scv")
        if measured[name] is not None
    }


def test_snapshots_say_what_the_summaries_say(spark: SparkContext, database: str, tmp_path: Path):
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
        assert_shapes_are_taken(snapshot)
        window = int(snapshot["observed_at"].timestamp()) // 60
        whole = topologies["fpd", window]
        assert snapshot["external_rate"] == pytest.approx(whole["external_rate"], rel=1e-9)
        assert snapshot["measured_sojourn_seconds"] == pytest.approx(
            whole["mean_total_sojourn_seconds"], rel=1e-9
        )
        assert snapshot["measured_completion_seconds"] == pytest.approx(
            whole["mean_completion_seconds"], rel=1e-9
        )
        for operator, load in snapshot["operators"].items():
            assert_load_is(load, operators["fpd", operator, window])
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


def test_a_log_that_is_rotated_keeps_the_windows_of_the_day_before(
    spark: SparkContext, database: str, tmp_path: Path
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
