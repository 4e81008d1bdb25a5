"""app/engines/flink/load_notes.py: what a reader of a load must know."""

import pytest

from tests.app.engines.flink.recorded import STEADY, Json, codes, later, load, read, vertex

FULL = {
    "arrivals": (0.0, 40.0, 0.0),
    "parse": (40.0, 80.0, 1.0),
    "score": (80.0, 80.0, 0.5),
    "out": (80.0, 0.0, 0.0),
}


def test_a_vertex_that_works_all_the_time_hides_what_is_offered():
    """Full buffers hold the source back: what it sends is what parse serves."""
    job = load("job")
    reading = read([job, later(job, 20.0, **FULL)])
    assert "at-capacity" in codes(reading)
    assert "overloaded" not in codes(reading)


def test_a_source_that_is_blocked_lets_in_less_than_is_offered():
    job = load("job27-apart")
    metrics = vertex(job, "Source: arrivals")["metrics"]
    metrics["accumulated-backpressured-time"] = metrics["accumulated-idle-time"]
    metrics["accumulated-idle-time"] = 0
    assert "source-held-back" in codes(read(job))
    assert "source-held-back" not in codes(read(load("job27-apart")))


def test_notes_on_idle_time_are_said_where_there_is_some():
    overloaded = read([load("overload-job"), load("overload-vertex-parse"), load("overload-vertex-score")])
    assert not {"backlog-grows", "hot-subtasks"} & codes(overloaded)
    assert "overloaded" in codes(overloaded)


def test_a_vertex_that_takes_less_than_is_sent_though_it_has_idle_time_is_said():
    job = load("job")
    behind = {**FULL, "parse": (40.0, 80.0, 0.4), "score": (60.0, 60.0, 0.5), "out": (60.0, 0.0, 0.0)}
    reading = read([job, later(job, 20.0, **behind)])
    assert "backlog-grows" in codes(reading)
    assert reading.loads[0].operators["score"].arrival_rate == 80.0
    assert "backlog-grows" not in codes(read(load("fork")))


def test_keyed_vertices_whose_subtasks_were_not_sent_are_said():
    """The same five minutes by the job's documents alone: nobody sees the hot key, and that is said."""
    body = load("hot-key")
    plain = {"answers": [one for one in body["answers"] if "/vertices/" not in one["path"]]}
    said = next(one for one in read(plain).diagnostics if one.code == "shares-unknown")
    assert said.operators == ("score",)
    assert "/vertices/ea632d67b7d595e5b851708ae9ad79d6" in said.detail
    assert "shares-unknown" not in codes(read(body))
    assert "shares-unknown" not in codes(read(load("job")))


def test_vertices_whose_tasks_do_not_run_are_said():
    job = load("job27-apart")
    vertex(job, "Source: arrivals")["status"] = "FINISHED"
    said = next(one for one in read(job).diagnostics if one.code == "vertices-not-running")
    assert said.operators == ("Source: arrivals",)
    assert "FINISHED" in said.detail
    assert "vertices-not-running" not in codes(read(load("fork")))


def test_clocks_that_differ_are_said():
    """busy + idle + back-pressured of each vertex is the time that passed: where it is not, subtasks did not report."""
    assert "clocks-differ" not in codes(read(load("job")))
    job = load("job")
    vertex(job, "score")["metrics"]["accumulated-idle-time"] /= 4
    assert "clocks-differ" in codes(read(job))


def test_few_records_are_said():
    assert "few-records" in codes(read(load("job-first-second")))
    assert "few-records" not in codes(read(load("job")))


def test_busy_times_that_err_are_said():
    reading = read(load("exchanges"))
    assert {"busy-time-coarse", "service-rate-since-start"} <= codes(reading)
    assert "busy-time-coarse" not in codes(read(load("fork-overload")))


@pytest.mark.parametrize("counted", [None, -5, "NaN"])
def test_an_operator_whose_records_are_not_counted_is_said(counted: Json):
    job = load("job")
    after = later(job, 20.0, **STEADY)
    vertex(after, "parse")["metrics"]["read-records"] = counted
    reading = read([job, after])
    assert reading.loads[0].operators["parse"].served_rate is None
    assert reading.loads[0].operators["parse"].service_rate is None
    assert [one.operators for one in reading.diagnostics if one.code == "records-unknown"] == [("parse",)]
    assert "records-unknown" not in codes(read([job, later(job, 20.0, **STEADY)]))
