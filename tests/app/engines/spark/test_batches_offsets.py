"""app/engines/spark/batches.py: what waited at the sources, and what arrived there."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import JsonValue

from app.engines.spark import batches


def kafka(rows: int, end: int, latest: int, topic: str = "clicks") -> dict[str, Any]:
    """A Kafka source of two partitions that read up to `end` of `latest` in each."""
    return {
        "description": f"KafkaV2[Subscribe[{topic}]]",
        "numInputRows": rows,
        "endOffset": {topic: {"0": end, "1": end}},
        "latestOffset": {topic: {"0": latest, "1": latest}},
    }


RATE: dict[str, JsonValue] = {
    "description": "RateStreamV2",
    "numInputRows": 50,
    "startOffset": 22,
    "endOffset": 24,
    "latestOffset": 24,
}


def test_the_lag_of_kafka_is_what_waited():
    sources = batches.read_sources([kafka(20, 10, 17)])
    assert batches.count_waiting(sources) == 14.0
    assert batches.count_partitions(sources) == 2


def test_offsets_may_be_text():
    source = kafka(20, 10, 17)
    source |= {key: json.dumps(source[key]) for key in ("endOffset", "latestOffset")}
    assert batches.count_waiting(batches.read_sources([source])) == 14.0


def test_the_offsets_of_other_sources_count_no_rows():
    assert batches.count_waiting(batches.read_sources([RATE])) == 0.0
    assert batches.count_waiting(batches.read_sources([RATE | {"latestOffset": 30}])) is None
    assert batches.count_partitions(batches.read_sources([RATE])) is None


@pytest.mark.parametrize(
    "odd",
    [
        {"endOffset": None},
        {"latestOffset": None},
        {"endOffset": "{"},
        {"latestOffset": "[" * 100_000},
        {"latestOffset": {"clicks": {"0": -1, "1": 17}}},
        {"latestOffset": {"clicks": {"0": 17}}},
        {"latestOffset": {"clicks": {"0": 5, "1": 17}}},
        {"latestOffset": {"clicks": 17}},
    ],
)
def test_what_waited_stays_unknown(odd: dict[str, JsonValue]):
    assert batches.count_waiting(batches.read_sources([kafka(20, 10, 17) | odd])) is None


def count_arrived(before: list[Any], after: list[Any]) -> float | None:
    """Rows that arrived at these sources from one batch of 7 rows to the next."""
    at = datetime(2026, 11, 18, tzinfo=UTC)
    first, second = (
        batches.Batch("q", "id", "a", 1, at, 7, 0.5, None, batches.read_sources(one))
        for one in (before, after)
    )
    return batches.count_arrived(first, second)


def test_rows_arrived_by_the_newest_offsets_where_batches_are_limited():
    assert count_arrived([kafka(20, 10, 17), RATE], [kafka(20, 20, 40), RATE]) == 2 * (40 - 17) + 50


def test_rows_arrived_by_the_batch_where_nothing_waits():
    assert count_arrived([kafka(13, 17, 17)], [kafka(6, 20, 20)]) == 6


def test_an_offset_that_fell_says_nothing_of_arrivals():
    assert count_arrived([kafka(20, 10, 50)], [kafka(20, 20, 40)]) is None


def test_sources_that_were_not_there_before_are_unknown_where_rows_wait():
    assert count_arrived([], [kafka(20, 20, 40)]) is None
    assert count_arrived([], [kafka(20, 20, 20)]) == count_arrived([], []) == 7
