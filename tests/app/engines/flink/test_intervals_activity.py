"""app/engines/flink/intervals.py: what each vertex did, by its own clock."""

import pytest

from app.engines.answers import list_answers
from app.engines.flink.intervals import JobInterval, measure
from app.engines.flink.samples import put_together
from tests.app.engines.flink.recorded import PARSE, Json, codes, load, read, vertex

SOURCE = "fc9a278080d8621edfb3a543f84d748f"


def measure_since_start(body: Json) -> JobInterval:
    interval = measure(None, put_together(list_answers(body)).samples[-1])
    assert interval is not None
    return interval


def test_rates_are_by_the_clock_of_the_tasks_and_not_by_the_time_of_the_answer():
    """The document came 45 s after the start, with metrics of the first 9.9 s: 394 records make 40 per second."""
    interval = measure_since_start(load("job"))
    assert interval.seconds == pytest.approx(9.883)
    assert interval.activities[PARSE].served == pytest.approx(394 / 9.89)
    assert "metrics-old" in codes(read(load("job")))


def test_meters_per_second_are_never_used():
    """At 44 s the recorded meter said 26.9 records per second, divided by 60: the truth is 40."""
    meters = {one["id"]: one["value"] for one in load("vertex-arrivals-metrics-values")}
    assert float(meters["0.numRecordsOutPerSecond"]) == pytest.approx(26.9, abs=0.1)
    assert float(meters["0.numRecordsOut"]) / 44.1 == pytest.approx(40.0, rel=0.01)
    assert read([load("job"), load("vertex-parse-subtasks-metrics")]) == read([load("job")])


def test_a_legacy_source_reads_nothing_and_has_no_busy_time():
    source = vertex(load("job"), "Source: arrivals")["metrics"]
    assert (source["read-records"], source["accumulated-busy-time"]) == (0, "NaN")
    activity = measure_since_start(load("job")).activities[SOURCE]
    assert activity.is_waiting
    assert activity.served == activity.sent == pytest.approx(394 / 9.883)
    assert activity.service.rate is None


def test_a_new_source_has_a_service_rate():
    activity = next(iter(measure_since_start(load("job27-apart")).activities.values()))
    assert activity.is_source
    assert not activity.is_waiting
    assert activity.service.rate == pytest.approx(1201 / 0.249)


def test_without_any_clock_of_tasks_the_time_between_answers_counts():
    job = load("job")
    for one in job["vertices"]:
        for name in ("busy", "idle", "backpressured"):
            del one["metrics"][f"accumulated-{name}-time"]
    interval = measure_since_start(job)
    assert not interval.has_clock
    assert interval.seconds == pytest.approx(44.981)
    assert {"no-clock", "service-rate-unknown"} <= codes(read(job))


def test_no_time_is_no_interval():
    job = load("job-first-second")[0]
    job["state"], job["plan"] = "RUNNING", load("job-first-second")[1]["plan"]
    assert measure(None, put_together(list_answers(job)).samples[-1]) is None
