"""app/engines/prometheus/signals.py: operators of series, and rates out of raw counters."""

import pytest

from app.engines.prometheus import signals
from app.engines.prometheus.signals import METRIC, LabelledSeries, Points, Query


def count(task: str, subtask: str, points: Points, metric: str = "numRecordsIn") -> LabelledSeries:
    """The counter of a subtask."""
    return LabelledSeries(
        {"__name__": f"{METRIC}{metric}", "task_name": task, "subtask_index": subtask}, points
    )


def measure(*members: LabelledSeries) -> dict[tuple[str, float], float | None]:
    """What was found, by role and time."""
    found = signals.read_counters(members)
    return {(one.role, at): value for one in found for at, value in one.points.items()}


@pytest.mark.parametrize(
    ("labels", "parameters", "operator"),
    [
        ({"task_name": "parse", "subtask": "1"}, {}, "parse"),
        ({"app": "score", "job": "x"}, {}, "score"),
        ({"app": "score", "pod": "p"}, {}, None),
        ({"app": "score", "pod": "p"}, {"operator_label": "app"}, "score"),
        ({"app": "score"}, {"operator": "mine"}, "mine"),
        ({}, {}, None),
    ],
)
def test_the_operator_of_a_series(labels: dict[str, str], parameters: dict[str, str], operator: str | None):
    assert signals.find_operator(labels, parameters) == operator
    signal = signals.make_signal(
        LabelledSeries(labels, {1.0: 2.0}), Query("served_rate", 0.5), 60.0, parameters
    )
    assert (signal is None) == (operator is None)
    if signal is not None:
        assert (signal.points, signal.window) == ({1.0: 1.0}, 60.0)


def test_counters_of_subtasks_add_up_to_the_rate_of_the_task():
    found = measure(count("a", "0", {15: 10, 30: 40}), count("a", "1", {15: 0, 30: 45}))
    assert found == {
        ("processors", 15): 2.0,
        ("unchanged_processors", 15): 0.0,
        ("served_rate", 30): 5.0,
        ("processors", 30): 2.0,
        ("unchanged_processors", 30): 2.0,
    }


def test_busy_milliseconds_become_processors():
    assert measure(count("a", "0", {15: 0, 30: 7500}, "accumulateBusyTimeMs")) == {
        ("busy_processors", 30): 0.5
    }


def test_a_counter_that_fell_is_a_change():
    found = measure(count("a", "0", {15: 100, 30: 40}), count("a", "1", {15: 0, 30: 45}))
    assert found["served_rate", 30] is None
    assert (found["processors", 30], found["unchanged_processors", 30]) == (2.0, 1.0)


def test_a_subtask_that_starts_is_a_change():
    found = measure(count("a", "0", {15: 0, 30: 15}), count("a", "1", {30: 45}))
    assert (found["processors", 30], found["unchanged_processors", 30]) == (2.0, 1.0)


def test_nan_stays_unknown_and_a_gap_stays_a_gap():
    found = measure(count("a", "0", {15: None, 30: 15, 45: 30, 90: 60, 105: 75}))
    assert found["served_rate", 30] is None
    assert found["served_rate", 45] == 1.0
    assert ("served_rate", 90) not in found
    assert found["served_rate", 105] == 1.0


def test_only_the_counters_of_tasks_are_counters():
    assert signals.is_counter(count("a", "0", {}))
    assert not signals.is_counter(
        LabelledSeries({"__name__": f"{METRIC}busyTimeMsPerSecond", "task_name": "a"}, {})
    )
    assert not signals.is_counter(LabelledSeries({"__name__": f"{METRIC}numRecordsIn"}, {}))
