"""Every number of the summaries against the definitions in numpy."""

import math
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.sql import Row, SparkSession

from ingest import pipeline
from ingest import timeline as timelines
from ingest.readers import read_records
from ingest.runs import Request
from ingest.sources import find_sources
from tests.ingest import reference
from tests.ingest.logs import START_NS, make_events, to_json
from tests.ingest.reference import NS, Event


def roll_up(
    spark: SparkSession, path: Path, window_seconds: int = 60
) -> tuple[dict[Any, Row], dict[Any, Row], int]:
    """As the job does it, but into memory: operators, topologies, duplicates."""
    request = Request((str(path),), None, window_seconds, 0.0)
    frames = read_records(spark, find_sources(spark, [str(path)], None))
    with ExitStack() as stack:
        read = stack.enter_context(pipeline.read_log(spark, frames, request))
        summaries, _, duplicates = stack.enter_context(pipeline.roll_up(*read[:2], request, read[2]))
        operators = {(row.topology, row.operator, row.window): row for row in summaries.operators.collect()}
        topologies = {(row.topology, row.window): row for row in summaries.topologies.collect()}
    return operators, topologies, duplicates


def write(path: Path, events: Iterable[Event]) -> None:
    path.write_text("".join(to_json(event) + "\n" for event in events))


def assert_equal(found: Row, expected: dict[str, Any]) -> None:
    for name, value in expected.items():
        got = found[name]
        if name == "busy_fractions":
            got = {one.instance: one.busy for one in got}
        if name == "upstream":
            got = {one.from_operator: one.tuples for one in got}
        if value is None or isinstance(value, str):
            assert got == value, name
        else:
            assert got == pytest.approx(value, rel=1e-9, abs=1e-12), name


def assert_same(spark: SparkSession, path: Path, events: list[Event], window_seconds: int = 60) -> None:
    operators, topologies, duplicates = roll_up(spark, path, window_seconds)
    expected = reference.summarise_operators(events, window_seconds)
    assert operators.keys() == expected.keys()
    for key, summary in expected.items():
        assert_equal(operators[key], summary)
    by_topology = reference.summarise_topologies(events, window_seconds)
    assert topologies.keys() == by_topology.keys()
    for window, numbers in by_topology.items():
        assert_equal(topologies[window], numbers)
    assert duplicates == len(events) - len(reference.drop_duplicates(events))


def test_every_number_equals_the_definitions(spark: SparkSession, tmp_path: Path):
    """Three topologies, shuffled over several files; some records twice, some with a twin that was served otherwise."""
    events = make_events(400, seed=1) + make_events(150, seed=2, topology="other", sample_every=10)
    late = [Event(**(vars_of(e) | {"finished_ns": e.finished_ns + 5000})) for e in events[5:9]]
    tied = [Event(**(vars_of(e) | {"started_ns": e.finished_ns})) for e in events[50:90]]
    again = [Event(**(vars_of(e) | {"sample_every": 3, "from_operator": None})) for e in events[90:95]]
    by_chance = make_events(100, seed=6, topology="random", sample_every=4, sampling="random")
    events += [*events[:40], *late, *tied, *by_chance]
    assert len(reference.drop_duplicates([*events, *again])) == len(events) - 40
    order = np.random.default_rng(3).permutation(len(events))
    for part in range(3):
        write(tmp_path / f"part{part}.jsonl", [events[i] for i in order[part::3]])
    assert_same(spark, tmp_path, events)


def vars_of(event: Event) -> dict[str, Any]:
    return {name: getattr(event, name) for name in Event.__dataclass_fields__}


@pytest.mark.parametrize("limit", [7, 100])
def test_cutting_windows_into_slices_changes_no_number(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int
):
    events = make_events(300, seed=4, seconds=150)
    events += events[100:130]
    write(tmp_path / "log.jsonl", events)
    monkeypatch.setattr(timelines, "SLICE_RECORDS", limit)
    assert_same(spark, tmp_path, events)


def test_thinned_quantiles_stay_within_their_rank_error(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    events = make_events(400, seed=5, seconds=59)
    write(tmp_path / "log.jsonl", events)
    monkeypatch.setattr(timelines, "SLICE_RECORDS", 200)
    monkeypatch.setattr(timelines, "QUANTILE_VALUES", 100)
    operators, _, _ = roll_up(spark, tmp_path)
    slices = math.ceil(max(row.tuples for row in operators.values()) / 200)
    assert slices > 1
    for (_, operator, _), row in operators.items():
        waits = np.sort([(e.started_ns - e.arrived_ns) / NS for e in events if e.operator == operator])
        off = math.ceil(row.tuples / 100) * (slices + 1) if row.tuples > 100 else 0
        for percent in (50, 95, 99):
            rank = percent / 100 * (len(waits) - 1)
            low, high = max(0, math.floor(rank - off)), min(len(waits) - 1, math.ceil(rank + off))
            assert waits[low] <= row[f"wait_p{percent}_seconds"] <= waits[high]


def test_a_lone_tuple_has_no_scv_and_the_next_has_its_gap(spark: SparkSession, tmp_path: Path):
    """Three tuples, hours apart: the gap belongs to the window of the later one, however far the earlier."""
    one = Event("t", "o", "i", "a", None, START_NS, START_NS, START_NS)
    events = [one, one.moved(3600 * NS), one.moved(3600 * NS + NS)]
    write(tmp_path / "log.jsonl", events)
    operators, _, _ = roll_up(spark, tmp_path)
    rows = [operators[key] for key in sorted(operators)]
    assert [row.arrival_scv for row in rows] == [
        None,
        pytest.approx(np.var([3600, 1]) / 1800.5**2, rel=1e-12),
    ]
    assert [row.service_scv for row in rows] == [None, None], "a mean of nothing has no variation"
    assert [row.service_rate for row in rows] == [None, None], "nothing was served in no time"


def test_centuries_of_a_broken_clock_add_up(spark: SparkSession, tmp_path: Path):
    """In nanoseconds each takes most of 64 bits, and each stands for a million."""
    one = Event("t", "o", "i", "a", None, START_NS, START_NS, START_NS + 170 * 365 * 86_400 * NS, 1_000_000)
    events = [one.moved(i * NS) for i in range(40)]
    write(tmp_path / "log.jsonl", events)
    assert_same(spark, tmp_path, events)


def test_gaps_all_equal_have_scv_zero(spark: SparkSession, tmp_path: Path):
    one = Event("t", "o", "i", "a", None, START_NS, START_NS + NS, START_NS + 2 * NS)
    write(tmp_path / "log.jsonl", [one.moved(i * 100_000_000) for i in range(900)])
    operators, _, _ = roll_up(spark, tmp_path)
    assert {row.arrival_scv for row in operators.values()} == {0.0}
    assert {row.service_scv for row in operators.values()} == {0.0}
