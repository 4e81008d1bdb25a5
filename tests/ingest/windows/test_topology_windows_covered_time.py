"""Rates are per time covered, which is estimated from the gaps at the ends of a log."""

from datetime import date
from pathlib import Path

import numpy as np
import pytest
from pyspark import SparkContext

from tests.ingest import reference
from tests.ingest.logs import (
    START_NS,
)
from tests.ingest.reference import NS, Event
from tests.ingest.stored import TABLES, JobResults, ingest, read_snapshots
from tests.ingest.window_logs import make_steady


def test_a_log_that_begins_and_ends_within_a_minute_has_the_rate_of_the_time_it_covers(minutes: JobResults):
    """From 12.5 s on, for 109.5 s at 100/s: windows of 47.5 s, 60 s and 2 s, each with a rate near 100/s."""
    events = make_steady(100, 109.5, seed=1, begin=12.5)
    counts = np.bincount([(e.arrived_ns - START_NS) // (60 * NS) for e in events])
    operators, topologies, snapshots = (minutes["cut"][table] for table in TABLES)
    lengths = (pytest.approx(47.5, abs=0.1), 60.0, pytest.approx(2.0, abs=0.1))
    for table in TABLES:
        assert [row["covered_seconds"] for row in minutes["cut"][table]] == list(lengths)
    for one, whole, snapshot, count in zip(operators, topologies, snapshots, counts, strict=True):
        rate = snapshot["external_rate"]
        assert rate == pytest.approx(count / snapshot["covered_seconds"], rel=1e-9)
        assert rate == pytest.approx(100, rel=0.2)
        assert (
            whole["external_rate"]
            == snapshot["operators"]["o"]["arrival_rate"]
            == one["arrival_rate"]
            == rate
        )
        assert sum(part["busy"] for part in one["busy_fractions"]) == pytest.approx(1.0, rel=0.2)
        assert one["mean_busy"] == pytest.approx(1.0, rel=0.2)


def test_rare_arrivals_and_silences_are_covered_time(minutes: JobResults):
    """One tuple a minute, none for half an hour in the midst: no window is read as a moment at a high rate."""
    found = minutes["rare"]["snapshots"]
    assert max(one["external_rate"] for one in found) <= 5 / 60
    assert {one["covered_seconds"] for one in found[1:-1]} == {60.0}
    assert min(one["covered_seconds"] for one in found) > 15


@pytest.mark.parametrize(("name", "count"), [("one", 1), ("three", 3)])
def test_the_time_covered_by_a_log_of_one_moment_is_not_known(minutes: JobResults, name: str, count: int):
    """Rates are then tuples per window, and a null says that it is not known."""
    (found,) = minutes[name]["snapshots"]
    (note,) = minutes[name]["notes"]
    assert (found["covered_seconds"], found["external_rate"]) == (None, count / 60)
    assert found["operators"]["o"]["processors_basis"] == "names-seen"
    assert note["code"] == "coverage-unknown"
    assert ("all arrivals at one time" in note["detail"]) == (count > 1)


def test_a_log_with_a_batch_at_each_end_covers_the_time_between_them(minutes: JobResults):
    """At such ends the mean gap of the whole log is used."""
    lengths = [one["covered_seconds"] for one in minutes["batches"]["snapshots"]]
    assert lengths[1:-1] == [60.0] * 8
    assert min(lengths) > 0
    assert "notes" not in minutes["batches"]


def test_the_time_covered_is_estimated_without_bias():
    """Of Poisson arrivals in 100 s, few or many: the mean estimate of the length is 100 s."""
    random = np.random.default_rng(4)
    for rate in (0.2, 1.0):
        found = []
        for _ in range(3000):
            at = np.sort(random.uniform(0, 100 * NS, max(2, random.poisson(100 * rate)))).astype(int)
            events = [Event("t", "o", "i", "r", None, int(t), int(t), int(t)) for t in at]
            cover = reference.find_one_cover(events, 1000 * NS)
            assert cover is not None
            found.append((cover[1] - cover[0]) / NS)
        assert np.mean(found) == pytest.approx(100, abs=4 * np.std(found) / np.sqrt(len(found)) + 0.1)


def test_an_unfinished_day_covers_the_time_until_its_last_arrival(
    spark: SparkContext, database: str, tmp_path: Path
):
    """A run with a day before the day is over; the next run completes the window."""
    day, midnight = date(2026, 11, 18), (START_NS // NS // 86_400 * 86_400 - START_NS // NS)
    events = make_steady(20, 200, seed=5, begin=midnight - 30)
    cut = [e for e in events if (e.arrived_ns - START_NS) / NS - midnight < 80]
    ingest(spark, database, tmp_path / "log.jsonl", cut, day=day)
    first, last = read_snapshots(database)
    assert (first["covered_seconds"], last["covered_seconds"]) == (
        pytest.approx(60, abs=0.3),
        pytest.approx(20, abs=0.3),
    )
    ingest(spark, database, tmp_path / "log.jsonl", events, day=day)
    assert [one["covered_seconds"] for one in read_snapshots(database)[:2]] == [
        first["covered_seconds"],
        60.0,
    ]
