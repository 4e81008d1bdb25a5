"""How many instances could serve: those present, over time."""

from dataclasses import replace

import numpy as np
import pytest

from planner.situations.situation import estimate
from planner.topology.smoothing import smooth_window
from planner.values import Load, Operator, OperatorLoad, Topology
from tests.ingest.in_memory import assert_same, roll_up, slice_windows
from tests.ingest.reference import NS
from tests.ingest.stored import JobResults
from tests.ingest.window_logs import AGENTS, make_steady


def test_an_instance_that_served_one_tuple_counts_as_present(minutes: JobResults):
    """Eight instances, each with one tuple: three processors would be too few for what they served."""
    for row in minutes["once"]["operator_summaries"]:
        assert (row["processors"], row["processors_basis"]) == (8, "present")


def test_an_instance_that_is_idle_at_the_end_of_the_log_is_present(minutes: JobResults):
    """Plans use the newest window; a defect once counted seven of ten instances in it."""
    present = [row["instances_present"] for row in minutes["idle"]["operator_summaries"]]
    assert min(present) >= 9
    assert np.mean(present) > 9.8
    assert present[-1] == pytest.approx(10)


def test_of_shifts_only_the_present_instances_count(shifts: JobResults):
    """Twice as many names as agents at a time, and one more busy at once: E[T] is near that measured with neither."""
    rows = [row for row in shifts["calls"]["operator_summaries"] if row["covered_seconds"] == 14_400]
    assert len(rows) >= 16
    assert np.mean([row["instances"] for row in rows]) > 1.7 * AGENTS
    assert {row["most_busy"] for row in rows} == {AGENTS + 1}
    assert np.mean([row["instances_present"] for row in rows]) == pytest.approx(AGENTS, rel=0.03)
    assert np.mean([row["mean_busy"] for row in rows]) == pytest.approx(0.8 * AGENTS, rel=0.05)
    assert {(row["processors"], row["processors_basis"]) for row in rows} == {(AGENTS, "present")}
    loads = []
    for snapshot in shifts["calls"]["snapshots"]:
        desk = {
            key: value for key, value in snapshot["operators"]["desk"].items() if key != "processors_basis"
        }
        loads.append(Load(snapshot["external_rate"], {"desk": OperatorLoad(**desk)}))
    smoothed, _ = smooth_window(loads[1:-1], len(loads) - 2)
    answer = estimate(Topology((Operator("desk"),), (), ()), smoothed)
    waited = float(np.mean([row["mean_wait_seconds"] for row in rows]))
    assert answer.operators[0].wait_seconds == pytest.approx(waited, rel=0.25)


def test_an_instance_whose_first_service_begins_in_a_window_after_the_log_is_not_present():
    """Two services of the other one overlap, so its name stands for two processors."""
    first = make_steady(1, 30, seed=18, names=1)[0]
    busy = [
        replace(first.moved(n * NS), tuple_id=str(n), finished_ns=first.arrived_ns + 50 * NS) for n in (0, 1)
    ]
    waits = replace(first.moved(2 * NS), instance="late", tuple_id="2")
    later = replace(waits, started_ns=waits.started_ns + 600 * NS, finished_ns=waits.finished_ns + 700 * NS)
    (row,) = roll_up([[*busy, later]], slice_windows())[0].values()
    assert_same([[*busy, later]], slice_windows())
    assert (row["processors"], row["processors_basis"], row["instances"]) == (2, "most-busy", 2)
