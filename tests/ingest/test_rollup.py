"""Every number of the summaries against the definitions in numpy."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.sql import SparkSession

from tests.ingest import reference
from tests.ingest.in_memory import assert_same, write_events
from tests.ingest.logs import (
    START_NS,
    make_events,
)
from tests.ingest.reference import NS, Event
from tests.ingest.stored import Found
from tests.ingest.window_logs import make_midway


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
        write_events(tmp_path / f"part{part}.jsonl", [events[i] for i in order[part::3]])
    assert_same(spark, tmp_path, events)


def vars_of(event: Event) -> dict[str, Any]:
    return {name: getattr(event, name) for name in Event.__dataclass_fields__}


def test_centuries_of_a_broken_clock_add_up(spark: SparkSession, tmp_path: Path):
    """In nanoseconds each takes most of 64 bits, and each stands for a million."""
    one = Event("t", "o", "i", "a", None, START_NS, START_NS, START_NS + 170 * 365 * 86_400 * NS, 1_000_000)
    events = [one.moved(i * NS) for i in range(40)]
    write_events(tmp_path / "log.jsonl", events)
    assert_same(spark, tmp_path, events)


def test_tuples_of_roots_before_the_log_are_not_taken_for_roots(minutes: Found):
    """Counted as roots, they would halve the measured E[T] of the first minute."""
    counts = np.bincount(
        [(e.arrived_ns - START_NS) // (60 * NS) for e in make_midway() if e.from_operator is None]
    )
    whole = minutes["midway"]["topology_summaries"][:2]
    assert [row["root_tuples"] for row in whole] == list(counts[:2])
    for row in whole:
        assert row["mean_total_sojourn_seconds"] == pytest.approx(0.11, rel=0.1)
        assert row["mean_completion_seconds"] == pytest.approx(30.1, rel=0.01)


def test_two_children_in_the_same_microsecond_are_two(minutes: Found):
    assert [edge["selectivity"] for edge in minutes["twins"]["edges"]] == [2.0]


def test_the_variation_of_arrivals_is_that_of_all_however_they_were_sampled(shifts: Found):
    """Poisson arrivals, of which every fourth is logged, or each with a chance of a fourth; and both at once."""
    for name in ("nth", "chance"):
        (row,) = shifts[name]["operator_summaries"]
        assert row["arrival_scv"] == pytest.approx(1.0, abs=0.2)
        assert row["arrival_rate"] == pytest.approx(100, rel=0.1)
    assert [row["arrival_scv"] for row in shifts["mixed"]["operator_summaries"]] == [None]
