"""The last batch of each streaming query, out of Spark's gauges (/metrics/json, spark.sql.streaming.metricsEnabled)."""

import re
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime

from pydantic import JsonValue

from app.engines.numbers import MOST, move_time, read_name, read_number, read_object
from app.engines.spark.batches import LONGEST_SECONDS, Batch

GAUGE = re.compile(r"\.spark\.streaming\.(.+)\.(inputRate-total|processingRate-total|latency)$")


def is_gauges(body: JsonValue) -> bool:
    """Whether this is what /metrics/json answers."""
    return isinstance(body, dict) and isinstance(body.get("gauges"), dict)


def read_gauges(body: JsonValue, at: datetime | None) -> list[Batch]:
    """The last batch of each query: rows = rows per second × seconds; taken to have ended when it was asked for."""
    if at is None:
        return []
    queries: dict[str, dict[str, float | None]] = defaultdict(dict)
    for name, gauge in read_object(read_object(body).get("gauges")).items():
        if found := GAUGE.search(name):
            queries[found[1]][found[2]] = read_number(read_object(gauge).get("value"))
    batches = [_make_batch(query, values, at) for query, values in queries.items()]
    return [batch for batch in batches if batch is not None]


def _make_batch(query: str, values: Mapping[str, float | None], at: datetime) -> Batch | None:
    processed, took = values.get("processingRate-total"), values.get("latency")
    if processed is None or took is None or processed * took > MOST or took > 1000.0 * LONGEST_SECONDS:
        return None
    seconds = took / 1000.0
    begun_at = move_time(at, -seconds)
    if begun_at is None:
        return None
    return Batch(
        query=read_name(query),
        query_id=None,
        run_id=None,
        number=None,
        begun_at=begun_at,
        rows=round(processed * seconds),
        seconds=seconds,
        input_rate=values.get("inputRate-total"),
    )
