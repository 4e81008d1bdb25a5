"""app/engines/flink/counters.py: counters as documents and metrics write them; what is unknown stays unknown."""

from itertools import pairwise

import pytest

from app.engines.flink.counters import (
    ZERO,
    VertexCounters,
    read_counters,
    read_metric_counters,
    subtract_counters,
    went_down,
)
from tests.app.engines.flink.recorded import load, vertex


def test_the_counters_of_a_vertex():
    metrics = vertex(load("job"), "parse")["metrics"]
    assert read_counters(metrics) == VertexCounters(394.0, 784.0, 20397.0, 29053.0, 0.0)


def test_the_busy_time_of_a_legacy_source_is_the_text_nan_and_stays_unknown():
    metrics = vertex(load("job"), "Source: arrivals")["metrics"]
    assert metrics["accumulated-busy-time"] == "NaN"
    counters = read_counters(metrics)
    assert counters.busy_ms is None
    assert counters.time_ms is None
    assert counters.working_share is None


def test_what_flink_calls_incomplete_is_unknown():
    """Right after a rescale the documents say 0 records, complete: false."""
    second = load("fork-rescaled-every-half-second")[1]
    metrics = vertex(second, "parse")["metrics"]
    assert (metrics["read-records"], metrics["read-records-complete"]) == (0, False)
    assert read_counters(metrics).records_in is None


def test_busy_idle_and_back_pressured_times_add_up_to_the_time_that_passed():
    """The vertex ran for 44.97 s, of which it took a second to start: the recorded subtasks say 44.1 s."""
    listed = [read_counters(one["metrics"]) for one in load("vertex-parse")["subtasks"]]
    seconds = [one.find_seconds(1) or 0.0 for one in listed]
    assert sum(seconds) / len(listed) == pytest.approx(44.1, abs=0.05)


def test_metrics_say_the_same_as_documents():
    listed = [read_counters(one["metrics"]) for one in load("vertex-parse")["subtasks"]]
    sums = {one["id"]: one["sum"] for one in load("vertex-parse-subtasks-metrics")}
    counters = zip(*listed, strict=True)
    assert read_metric_counters(sums) == tuple(sum(filter(None, counter)) for counter in counters)


def test_a_difference_of_an_unknown_counter_is_unknown():
    assert subtract_counters(VertexCounters(5.0, 7.0, 3.0), VertexCounters(2.0, None, 3.0)) == VertexCounters(
        3.0, None, 0.0
    )


def test_a_counter_that_falls_is_a_new_start_but_busy_time_falls_by_itself():
    """In the recorded half seconds of `parse`, busy time falls from 742 to 695 ms while it runs on."""
    documents = load("fork-rescaled-every-half-second")[2:]
    counters = [read_counters(vertex(one, "parse")["metrics"]) for one in documents]
    pairs = list(pairwise(counters))
    assert any((b.busy_ms or 0.0) < (a.busy_ms or 0.0) for a, b in pairs)
    assert not any(went_down(b, a) for a, b in pairs)
    assert went_down(VertexCounters(records_in=3.0), VertexCounters(records_in=4.0))
    assert went_down(VertexCounters(idle_ms=3.0), VertexCounters(idle_ms=4.0))
    assert not went_down(VertexCounters(), VertexCounters(records_in=4.0))


def test_shares_are_of_the_time_that_passed():
    counters = VertexCounters(busy_ms=300.0, idle_ms=500.0, back_pressured_ms=200.0)
    assert (counters.working_share, counters.back_pressured_share) == (0.5, 0.2)
    assert ZERO.working_share is None


def test_the_noise_of_busy_time_is_an_idle_time_at_each_end_of_each_subtask():
    # 2 subtasks, 100 records, idle for 1000 ms: 10 ms each time; 4 ends add up to √4 of them.
    assert VertexCounters(busy_ms=400.0, idle_ms=1000.0).find_busy_noise(2, 100.0) == pytest.approx(
        20.0 / 400.0
    )
    assert VertexCounters(busy_ms=400.0, idle_ms=1000.0).find_busy_noise(2, 0.0) is None
