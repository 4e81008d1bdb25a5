"""app/engines/flink/reader.py: offered and served rates, backlogs, back pressure and shares."""

from datetime import UTC, datetime

import pytest

from app.load.bodies.load import OperatorLoadBody
from tests.app.engines.flink.recorded import STEADY, codes, later, load, read, set_input, vertex


def test_offered_is_what_was_sent_and_served_is_what_was_taken():
    """Five times overload: the source sent 7144 records in 35 s, and parse took 1395 of them."""
    (measured,) = read(load("overload-job")).loads
    parse = measured.operators["parse"]
    assert parse.arrival_rate == pytest.approx(7144 / 35.036)
    assert parse.served_rate == pytest.approx(1395 / 35.036)
    assert parse.service_rate == pytest.approx(1395 / 70.071)
    assert measured.external_rate == parse.arrival_rate


def test_overload_is_seen_by_busy_time_although_back_pressure_says_ok():
    assert load("overload-vertex-parse-backpressure")["backpressureLevel"] == "ok"
    reading = read(load("overload-job"))
    assert reading.loads[0].operators["parse"].back_pressured_share == 0.0
    overloaded = next(one for one in reading.diagnostics if one.code == "overloaded")
    assert overloaded.operators == ("parse", "score")


def test_behind_an_overloaded_operator_the_offered_rate_comes_from_the_flow():
    """score was sent 79.5 records per second, but would be sent 408 if parse kept up."""
    reading = read(load("overload-job"))
    score = reading.loads[0].operators["score"]
    assert score.arrival_rate is None
    assert score.served_rate == pytest.approx(2614 / 35.0365)
    assert "arrivals-held-back" in codes(reading)
    assert reading.topology is not None
    assert reading.topology.edges[0].selectivity == pytest.approx(2786 / 1395, rel=1e-3)


def test_records_between_two_vertices_are_the_backlog_of_the_second():
    operators = read(load("overload-job")).loads[0].operators
    assert operators["parse"].backlog_tuples == 7144 - 1395
    assert operators["score"].backlog_tuples == 2786 - 2614
    forked = read(load("fork-overload")).loads[0].operators
    assert forked["parse"].backlog_tuples == 1147
    assert forked["score"].backlog_tuples is None
    assert forked["merge"].backlog_tuples is not None


def test_back_pressure_is_a_part_of_the_time():
    job = load("job")
    metrics = vertex(job, "parse")["metrics"]
    metrics["accumulated-backpressured-time"] = metrics["accumulated-idle-time"]
    metrics["accumulated-idle-time"] = 0
    parse = read(job).loads[0].operators["parse"]
    assert parse.back_pressured_share == pytest.approx(29053 / (29053 + 20397))


def test_the_shares_of_the_subtasks_of_a_keyed_vertex_are_measured_in_the_interval():
    """Half of the records have one key: the subtask that has it gets two thirds."""
    first, second = read(load("fork")).loads
    shares = [one.share for one in second.operators["score"].instances]
    assert sum(shares) == pytest.approx(1.0)
    assert max(shares) == pytest.approx(0.67, abs=0.02)
    assert second.operators["parse"].instances == []
    assert first.operators.keys() == second.operators.keys()


def test_a_subtask_without_records_has_a_share_of_almost_none():
    instances = read(load("exchanges")).loads[-1].operators["c (3d9231)"].instances
    assert [one.instance for one in instances] == ["c (3d9231) 0", "c (3d9231) 1"]
    assert [one.share for one in instances] == [1.0, 1e-9]


def test_without_subtasks_there_are_no_shares():
    job = set_input(load("job"), "parse", "HASH")
    assert read(job).loads[0].operators["parse"].instances == []
    shares = [one.share for one in read([job, load("vertex-parse")]).loads[0].operators["parse"].instances]
    assert shares == pytest.approx([353 / 1769, *[354 / 1769] * 4])


def test_intervals_follow_each_other_by_the_clock_of_the_tasks():
    """Though the answers came with metrics of other ages, no time is counted twice or left out."""
    first, second = read(load("fork")).loads
    assert first.observed_at is not None
    assert second.observed_at is not None
    gap = (second.observed_at - first.observed_at).total_seconds() - first.window_seconds
    assert gap == pytest.approx(0.0, abs=0.05)


def test_an_interval_ends_when_the_engine_answered():
    job = load("job")
    (measured,) = read([job, later(job, 20.0, **STEADY)]).loads
    assert measured.observed_at == datetime.fromtimestamp(job["now"] / 1000.0, UTC)


def test_records_that_come_while_nothing_enters_have_no_rate_from_the_flow():
    """A window that fires after its source fell silent."""
    job = load("job")
    rates = {
        "arrivals": (0.0, 0.0, 0.0),
        "parse": (0.0, 80.0, 0.1),
        "score": (80.0, 80.0, 0.5),
        "out": (80.0, 0.0, 0.0),
    }
    (measured,) = read([job, later(job, 20.0, **rates)]).loads
    assert measured.external_rate == 0.0
    assert measured.operators["score"].arrival_rate is None
    assert measured.operators["score"].served_rate == 80.0


def test_what_flink_does_not_measure_is_left_out():
    one = read(load("job")).loads[0].operators["parse"]
    assert isinstance(one, OperatorLoadBody)
    assert (one.service_scv, one.arrival_scv, one.arrival_idc, one.service_histogram) == (None, None, [], [])
    assert "service-scv-unknown" in codes(read(load("job")))


def test_an_answer_with_older_metrics_does_not_shift_its_interval():
    """The second answer came 3 s after its metrics were fetched, the third at once."""
    job = load("job")
    second, third = later(job, 20.0, **STEADY), later(job, 40.0, **STEADY)
    second["now"] += 3000
    loads = read([job, second, third]).loads
    began = [(one.observed_at or datetime.now(UTC)).timestamp() * 1000.0 - job["now"] for one in loads]
    assert began == pytest.approx([0.0, 20_000.0], abs=2.0)


def test_no_backlog_is_negative_nor_counts_copies():
    job = load("job")
    vertex(job, "parse")["metrics"]["read-records"] = 400
    assert read(job).loads[0].operators["parse"].backlog_tuples is None
    copied = set_input(load("job"), "score", "BROADCAST")
    assert read(copied).loads[0].operators["score"].backlog_tuples is None
    ruled = load("job")
    inputs = next(one for one in ruled["plan"]["nodes"] if one["id"] == vertex(ruled, "score")["id"])[
        "inputs"
    ]
    inputs.append({"id": vertex(ruled, "Sink: out")["id"], "ship_strategy": "BROADCAST"})
    assert read(ruled).loads[0].operators["score"].backlog_tuples is None
