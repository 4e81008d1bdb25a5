"""app/engines/spark/reader.py: progress and gauges of a query, as Spark 4.3 answered them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.engines.answers import EngineAnswer, UnreadableAnswer, list_answers
from app.engines.spark.reader import read
from tests.app.engines.mutating import check_reading, load_golden
from tests.app.engines.spark.test_batches_offsets import kafka

STATELESS = load_golden("spark/recentProgress-stateless.json")
STATEFUL = load_golden("spark/recentProgress-stateful.json")
LAST = load_golden("spark/lastProgress.json")
METRICS = load_golden("spark/ui-metrics.json")
EXECUTORS = load_golden("spark/ui-executors.json")
APPLICATIONS = load_golden("spark/ui-applications.json")
AT = datetime(2026, 11, 18, 22, 42, 5, tzinfo=UTC)


def ask_ui(query: str | None = "clicks") -> list[EngineAnswer]:
    """What asking.py collects."""
    named = "" if query is None else f"?query={query}"
    return [
        EngineAnswer(APPLICATIONS, "/api/v1/applications", AT),
        EngineAnswer(EXECUTORS, "/api/v1/applications/local-1795041679421/executors", AT),
        EngineAnswer(METRICS, f"/metrics/json{named}", AT),
    ]


@pytest.mark.parametrize(
    ("sent", "name", "stateful", "loads"),
    [(STATELESS, "stateless", False, 13), (STATEFUL, "clicks", True, 5), (LAST, "clicks", True, 1)],
)
def test_a_query_is_one_operator_with_a_load_for_each_batch(
    sent: Any, name: str, *, stateful: bool, loads: int
):
    reading = read(list_answers(sent))
    assert reading.topology is not None
    operator = reading.topology.operators[0]
    assert (operator.name, operator.stateful, operator.queueing) == (name, stateful, "shared")
    assert [entry.operator for entry in reading.topology.entries] == [name]
    assert len(reading.loads) == loads
    assert reading.marks["query"] == name
    check_reading(reading)


def test_the_same_batch_sent_again_later_has_the_same_interval():
    """So that it replaces what was stored, and is not counted twice."""
    first, second = read(list_answers(STATELESS[:6])), read(list_answers(STATELESS[3:]))
    intervals = {(one.observed_at, one.window_seconds) for one in second.loads}
    assert {(one.observed_at, one.window_seconds) for one in first.loads[3:]} <= intervals


def test_gauges_with_executors_count_cores():
    reading = read(ask_ui())
    load = reading.loads[0].operators["clicks"]
    assert (load.processors, reading.marks["application"]) == (2, "local-1795041679421")
    assert load.service_rate == pytest.approx(31.5856 / 2, rel=1e-3)
    assert reading.loads[0].external_rate == pytest.approx(30.4692, rel=1e-3)


def test_gauges_that_did_not_change_are_the_same_batch():
    later = [one._replace(at=AT + timedelta(seconds=15)) for one in ask_ui()]
    assert read([*ask_ui(), *later]).loads == read(ask_ui()).loads


def test_partitions_of_kafka_bound_the_cores():
    kafka_batch = {"sources": [kafka(50, 60, 60)], "stateOperators": [{"numShufflePartitions": 5}]}
    answers = [EngineAnswer([STATELESS[1], STATELESS[2] | kafka_batch]), EngineAnswer(EXECUTORS)]
    reading = read(answers)
    assert reading.topology is not None
    assert reading.topology.operators[0].max_parallelism == 5
    unknown = STATELESS[2] | kafka_batch | {"stateOperators": [{"numShufflePartitions": None}]}
    unbounded = read([EngineAnswer([STATELESS[1], unknown]), EngineAnswer(EXECUTORS)])
    assert unbounded.topology is not None
    assert unbounded.topology.operators[0].max_parallelism is None
    alone = read(answers[:1])
    assert alone.topology is not None
    assert alone.topology.operators[0].max_parallelism is None  # a processor is then the whole query


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        (None, "lastProgress is null until the first batch has ended"),
        ([], "lastProgress is null"),
        (load_golden("spark/status.json"), "no progress"),
        ([STATELESS[1], STATEFUL[1]], "more than one query fits"),
    ],
)
def test_what_is_too_little_is_told_what_to_send(sent: Any, says: str):
    with pytest.raises(UnreadableAnswer, match=says):
        read([EngineAnswer(sent)])


def test_the_first_batch_gives_a_topology_and_no_load():
    """Its rows waited before, and its time is that of the start."""
    reading = read(list_answers(STATELESS[:1]))
    assert reading.topology is not None
    assert reading.loads == ()
    assert "batches-left-out" in {one.code for one in reading.diagnostics}


def test_the_path_names_the_query():
    assert read(ask_ui("stateless")).marks["query"] == "stateless"
    with pytest.raises(UnreadableAnswer, match="more than one query fits"):
        read(ask_ui(None))
    with pytest.raises(UnreadableAnswer, match="no query with the name or id 'gone'"):
        read(ask_ui("gone"))
