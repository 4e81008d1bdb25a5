"""app/engines/flink/vertices.py: what source operators emitted."""

import pytest

from app.engines.answers import list_answers
from app.engines.flink.samples import JobSample, put_together
from app.engines.flink.vertices import count_at_source, find_pending, find_pending_growth
from tests.app.engines.flink.recorded import Json, codes, load, read, vertex

CHAIN = "cbc357ccb763df2852fee8c4fc7d55f2"


def take(name: str) -> list[JobSample]:
    return list(put_together(list_answers(load(name))).samples)


def test_a_chain_that_ends_in_a_sink_is_counted_by_its_source_operator():
    """The vertex `Source: numbers -> enrich -> Sink: out` shows 0 in and out; its source emits 40 records a second."""
    first, second, third = take("whole")
    counters = second.job.vertices[CHAIN].counters
    assert (counters.records_in, counters.records_out) == (0.0, 0.0)
    assert count_at_source(CHAIN, 0.0, 0.3, first, second) == pytest.approx(40.0, rel=0.01)
    loads = read(load("whole")).loads
    assert [one.external_rate for one in loads] == pytest.approx([40.0, 40.0], rel=0.05)
    service = [one.operators["Source: numbers -> enrich -> Sink: out"].service_rate for one in loads]
    assert service == pytest.approx([1000.0 / 7.0] * 2, rel=0.1)
    # The third sample holds the same metrics of the source: its busy time says how many it emitted.
    assert second.metrics[CHAIN].values == third.metrics[CHAIN].values
    assert count_at_source(CHAIN, 0.0, 0.28, second, third) == pytest.approx(40.0, rel=0.1)


def test_a_chain_that_sends_on_is_counted_by_its_source_operator():
    """`Source: numbers -> enrich` emits three records for each of its source."""
    first, second, _ = take("chain")
    assert count_at_source(CHAIN, 120.0, None, first, second) == pytest.approx(40.0, rel=0.01)
    reading = read(load("chain"))
    assert reading.topology is not None
    assert reading.topology.edges[0].selectivity == pytest.approx(3.0)
    assert reading.loads[-1].external_rate == pytest.approx(40.0, rel=0.01)


def test_without_the_metrics_of_the_source_what_to_ask_is_said():
    reading = read(load("job27-chained"))
    assert reading.loads == ()
    assert reading.topology is not None
    assert [one.name for one in reading.topology.operators] == ["Source: arrivals -> parse -> Sink: out"]
    assert {"chained-source", "no-load"} <= codes(reading)
    names = {one["id"] for one in load("job27-chained-cbc357-names")}
    assert "Source__arrivals.numRecordsOut" in names


def test_a_chain_that_sends_on_is_counted_by_its_output_where_nothing_else_is_known():
    body = load("chain")
    plain = {"answers": [one for one in body["answers"] if "metrics" not in one["path"]]}
    reading = read(plain)
    assert "counted-by-output" in codes(reading)
    assert reading.loads[-1].external_rate == pytest.approx(120.0, rel=0.01)
    assert reading.topology is not None
    assert reading.topology.edges[0].selectivity == pytest.approx(1.0)


def test_nothing_is_known_without_metrics_or_busy_time():
    first, second, _ = take("whole")
    alone = JobSample(second.job)
    assert count_at_source(CHAIN, 0.0, 0.3, JobSample(first.job), alone) is None
    assert find_pending(None) is None


def add_pending(*pending: float) -> Json:
    """The recorded samples with so many pending records, and metrics as new as the job's document after them."""
    body = load("chain")
    answers = [
        one["body"] for one in body["answers"] if "metrics?get" in one["path"] or "plan" in one["body"]
    ]
    for metrics, job, count in zip(answers[1::2], answers[2::2], pending, strict=True):
        new = vertex(job, "Source: numbers -> enrich")["metrics"]
        sums = {
            "Source__numbers.numRecordsOut": new["write-records"] / 3,
            "numRecordsOut": new["write-records"],
            "accumulateBusyTimeMs": new["accumulated-busy-time"],
            "accumulateIdleTimeMs": new["accumulated-idle-time"],
            "accumulateBackPressuredTimeMs": 0,
            "Source__numbers.pendingRecords": count,
        }
        metrics[:] = [{"id": name, "sum": total} for name, total in sums.items()]
    return body


def leave_no_idle_time(body: Json) -> Json:
    """The samples with the idle time of the source as busy time."""
    for job in (one["body"] for one in body["answers"] if "plan" in one["body"]):
        metrics = vertex(job, "Source: numbers -> enrich")["metrics"]
        metrics["accumulated-busy-time"] += metrics["accumulated-idle-time"]
        metrics["accumulated-idle-time"] = 0
    return body


def test_records_that_a_source_knows_to_wait_are_its_backlog():
    """With idle time left they come and go as they are fetched: what it served is what entered."""
    reading = read(add_pending(834, 1234))
    source = reading.loads[-1].operators["Source: numbers -> enrich"]
    assert source.backlog_tuples == 1234.0
    assert reading.loads[-1].external_rate == source.arrival_rate == source.served_rate


def test_pending_records_that_grow_were_offered_and_not_served():
    """400 more in 8 s, and no idle time left: 40 per second served, and 50 that wait."""
    reading = read(leave_no_idle_time(add_pending(834, 1234)))
    newest = reading.loads[-1]
    source = newest.operators["Source: numbers -> enrich"]
    assert source.served_rate == pytest.approx(40.0, rel=0.01)
    assert newest.external_rate == source.arrival_rate == pytest.approx(90.0, rel=0.05)
    assert newest.operators["count"].arrival_rate is None
    assert {"overloaded", "arrivals-held-back"} <= codes(reading)
    assert "source-held-back" not in codes(reading)


def test_where_pending_records_are_known_a_blocked_source_hides_nothing():
    body = add_pending(834, 1234)
    for job in (one["body"] for one in body["answers"] if "plan" in one["body"]):
        metrics = vertex(job, "Source: numbers -> enrich")["metrics"]
        metrics["accumulated-backpressured-time"] = metrics["accumulated-idle-time"]
        metrics["accumulated-idle-time"] = 0
    reading = read(body)
    assert "source-held-back" not in codes(reading)
    assert reading.loads[-1].external_rate == pytest.approx(90.0, rel=0.05)


def test_pending_records_that_shrink_are_no_offered_load():
    newest = read(leave_no_idle_time(add_pending(1234, 1034))).loads[-1]
    assert newest.external_rate == pytest.approx(15.0, rel=0.1)
    assert newest.operators["Source: numbers -> enrich"].served_rate == pytest.approx(40.0, rel=0.01)


def test_growth_is_unknown_where_pending_records_are():
    _, second, third = take("chain")
    assert find_pending_growth(CHAIN, second, third) is None
    assert find_pending_growth(CHAIN, None, third) is None
