"""Gaps, services and quantiles of a window, whole or cut into slices."""

import math
from pathlib import Path

import numpy as np
import pytest
from pyspark.sql import SparkSession

from ingest import timeline as timelines
from tests.ingest.in_memory import assert_same, roll_up, write_events
from tests.ingest.logs import (
    START_NS,
    make_events,
)
from tests.ingest.reference import NS, Event


@pytest.mark.parametrize("limit", [7, 100])
def test_cutting_windows_into_slices_changes_no_number(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int
):
    events = make_events(300, seed=4, seconds=150)
    events += events[100:130]
    write_events(tmp_path / "log.jsonl", events)
    monkeypatch.setattr(timelines, "SLICE_RECORDS", limit)
    assert_same(spark, tmp_path, events)


def test_thinned_quantiles_stay_within_their_rank_error(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    events = make_events(400, seed=5, seconds=59)
    write_events(tmp_path / "log.jsonl", events)
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
    write_events(tmp_path / "log.jsonl", events)
    operators, _, _ = roll_up(spark, tmp_path)
    rows = [operators[key] for key in sorted(operators)]
    assert [row.arrival_scv for row in rows] == [
        None,
        pytest.approx(np.var([3600, 1]) / 1800.5**2, rel=1e-12),
    ]
    assert [row.service_scv for row in rows] == [None, None], "a mean of nothing has no variation"
    assert [row.service_rate for row in rows] == [None, None], "nothing was served in no time"


def test_gaps_all_equal_have_scv_zero(spark: SparkSession, tmp_path: Path):
    one = Event("t", "o", "i", "a", None, START_NS, START_NS + NS, START_NS + 2 * NS)
    write_events(tmp_path / "log.jsonl", [one.moved(i * 100_000_000) for i in range(900)])
    operators, _, _ = roll_up(spark, tmp_path)
    assert {row.arrival_scv for row in operators.values()} == {0.0}
    assert {row.service_scv for row in operators.values()} == {0.0}
