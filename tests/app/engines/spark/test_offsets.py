"""app/engines/spark/offsets.py: what waited at the sources, and what arrived there."""

import json
from typing import Any

import pytest
from pydantic import JsonValue

from app.engines.spark import offsets


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
    sources = offsets.read_sources([kafka(20, 10, 17)])
    assert offsets.count_waiting(sources) == 14.0
    assert offsets.count_partitions(sources) == 2


def test_offsets_may_be_text():
    source = kafka(20, 10, 17)
    source |= {key: json.dumps(source[key]) for key in ("endOffset", "latestOffset")}
    assert offsets.count_waiting(offsets.read_sources([source])) == 14.0


def test_the_offsets_of_other_sources_count_no_rows():
    assert offsets.count_waiting(offsets.read_sources([RATE])) == 0.0
    assert offsets.count_waiting(offsets.read_sources([RATE | {"latestOffset": 30}])) is None
    assert offsets.count_partitions(offsets.read_sources([RATE])) is None


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
    assert offsets.count_waiting(offsets.read_sources([kafka(20, 10, 17) | odd])) is None


def test_rows_arrived_by_the_newest_offsets_where_batches_are_limited():
    before = offsets.read_sources([kafka(20, 10, 17), RATE])
    after = offsets.read_sources([kafka(20, 20, 40), RATE])
    assert offsets.count_arrived(before, after) == 2 * (40 - 17) + 50


def test_rows_arrived_by_the_batch_where_nothing_waits():
    caught_up = offsets.read_sources([kafka(13, 17, 17)])
    assert offsets.count_arrived(caught_up, offsets.read_sources([kafka(6, 20, 20)])) == 6


def test_an_offset_that_fell_says_nothing_of_arrivals():
    before, after = offsets.read_sources([kafka(20, 10, 50)]), offsets.read_sources([kafka(20, 20, 40)])
    assert offsets.count_arrived(before, after) is None
    assert offsets.count_arrived((), after) is None
    assert offsets.count_arrived((), ()) is None
