"""app/engines/flink/sources.py: what source operators emitted."""

from typing import Any

import pytest

from app.engines.flink.samples import JobSample, put_together
from app.engines.flink.sources import count_at_source, find_pending
from app.engines.readers import list_answers
from tests.app.engines.flink.recorded import codes, load, read

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


def test_records_that_a_source_knows_to_wait_are_its_backlog():
    body: dict[str, Any] = load("chain")
    for one in body["answers"]:
        if "metrics?get" in one["path"]:
            one["body"].append({"id": "Source__numbers.pendingRecords", "sum": 1234.0})
    reading = read(body)
    assert reading.loads[-1].operators["Source: numbers -> enrich"].backlog_tuples == 1234.0
