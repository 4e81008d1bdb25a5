"""app/engines/spark/batches.py: the last batch out of the gauges of the driver."""

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import JsonValue

from app.engines.spark.batches import is_gauges, read_gauges
from tests.app.engines.mutating import load_golden

METRICS = load_golden("spark/ui-metrics.json")
AT = datetime(2026, 11, 18, 22, 42, 5, tzinfo=UTC)


def test_the_gauges_tell_of_the_last_batch_of_each_query():
    clicks, stateless = read_gauges(METRICS, AT)
    assert (clicks.query, clicks.rows, clicks.seconds) == ("clicks", 50, 1.582)
    assert (stateless.query, stateless.rows, stateless.seconds) == ("stateless", 50, 0.614)
    assert clicks.begun_at == AT - timedelta(seconds=1.582)


def test_gauges_without_the_time_of_the_answer_say_nothing():
    assert is_gauges(METRICS)
    assert not is_gauges([METRICS])
    assert read_gauges(METRICS, None) == []


@pytest.mark.parametrize("value", ["NaN", -1, None, 1e15])
def test_gauges_without_numbers_give_no_batch(value: JsonValue):
    names = ["inputRate-total", "processingRate-total", "latency"]
    gauges: dict[str, JsonValue] = {
        f"app.driver.spark.streaming.q.{name}": {"value": value} for name in names
    }
    assert read_gauges({"gauges": gauges}, AT) == []


def test_a_batch_before_the_calendar_is_none():
    assert read_gauges(METRICS, datetime(1, 1, 1, tzinfo=UTC)) == []
