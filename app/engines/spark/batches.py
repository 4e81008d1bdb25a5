"""The batches of a streaming query, from StreamingQueryProgress, or from the gauges of the driver (/metrics/json).

Spark has the gauges with spark.sql.streaming.metricsEnabled; they hold the last batch of each query.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from pydantic import JsonValue

from app.engines.numbers import (
    MOST,
    SHORTEST_SECONDS,
    add_known,
    find_growth,
    read_count,
    read_list,
    read_name,
    read_number,
    read_object,
    read_text,
    read_time,
)
from app.web.fields import move_time

# A longer time between two triggers is a mistake of the clock, or no measurement of today's load.
LONGEST_SECONDS = 86_400.0
GAUGE = re.compile(r"\.spark\.streaming\.(.+)\.(inputRate-total|processingRate-total|latency)$")

Partitions = Mapping[tuple[str, str], int]
"""The offset of each (topic, partition)."""


class SourceProgress(NamedTuple):
    """The progress of one source in a batch; None means that the source does not report the value.

    `ends` are the offsets up to which the batch read, and `latest` the newest offsets of the source. Only Kafka's
    offsets count rows.
    """

    rows: int | None
    waiting: float | None
    ends: Partitions | None
    latest: Partitions | None


class Batch(NamedTuple):
    """A batch of a streaming query: its rows, and how long it ran; None means that Spark does not report the value.

    `input_rate` is the rate that Spark reports: rows per second since the trigger before. `shuffles` are the partitions
    of each stateful operator.
    """

    query: str | None
    query_id: str | None
    run_id: str | None
    number: int | None
    begun_at: datetime
    rows: int
    seconds: float | None
    input_rate: float | None
    sources: tuple[SourceProgress, ...] = ()
    shuffles: tuple[int | None, ...] = ()

    @property
    def key(self) -> str | None:
        """The name of the query that ran the batch, or the query's id if it has no name."""
        return self.query or self.query_id


def list_progress(body: JsonValue) -> list[JsonValue]:
    """The progress documents in an answer: lastProgress, recentProgress, or the event of a listener."""
    listed = body if isinstance(body, list) else [body]
    return [read_object(one).get("progress") or one for one in listed]


def read_batch(value: JsonValue) -> Batch | None:
    """The batch of a progress document; None if it has no time or does not count its rows."""
    progress = read_object(value)
    begun_at, rows = read_time(progress.get("timestamp")), read_count(progress.get("numInputRows"))
    if begun_at is None or rows is None:
        return None
    took = read_number(read_object(progress.get("durationMs")).get("triggerExecution"))
    states = [read_object(one) for one in read_list(progress.get("stateOperators"))]
    return Batch(
        query=read_name(progress.get("name")),
        query_id=read_text(progress.get("id")),
        run_id=read_text(progress.get("runId")),
        number=read_count(progress.get("batchId")),
        begun_at=begun_at,
        rows=rows,
        seconds=None if took is None else took / 1000.0,
        input_rate=read_number(progress.get("inputRowsPerSecond")),
        sources=read_sources(progress.get("sources")),
        shuffles=tuple([read_count(state.get("numShufflePartitions")) for state in states]),
    )


def read_sources(value: JsonValue) -> tuple[SourceProgress, ...]:
    """The sources in a batch's progress document."""
    return tuple([_read_source(read_object(one)) for one in read_list(value)])


def _read_source(source: Mapping[str, JsonValue]) -> SourceProgress:
    end, latest = _decode(source.get("endOffset")), _decode(source.get("latestOffset"))
    ends, newest = _read_partitions(end), _read_partitions(latest)
    waiting = 0.0 if end is not None and end == latest else _sum_growth(ends, newest)
    return SourceProgress(read_count(source.get("numInputRows")), waiting, ends, newest)


def _decode(offset: JsonValue) -> JsonValue:
    """The offset as JSON; Python's lastProgress gives an offset as a text that holds its JSON."""
    if not isinstance(offset, str):
        return offset
    try:
        decoded: JsonValue = json.loads(offset)
    except (ValueError, RecursionError):
        return None
    return decoded


def _read_partitions(offset: JsonValue) -> Partitions | None:
    """The offset of each Kafka partition, from {"topic": {"0": 17}}; None for other sources, whose offsets do
    not count rows.
    """
    found = {}
    for topic, partitions in read_object(offset).items():
        if not isinstance(partitions, dict):
            return None
        for partition, position in partitions.items():
            count = read_count(position)
            if count is None:
                return None
            found[topic, partition] = count
    return found or None


def _sum_growth(older: Partitions | None, newer: Partitions | None) -> float | None:
    """The rows between two sets of offsets; None if the two sets have different partitions."""
    if older is None or newer is None or older.keys() != newer.keys():
        return None
    return add_known(find_growth(older[key], newer[key]) for key in newer)


def count_waiting(sources: Sequence[SourceProgress]) -> float | None:
    """Rows that waited at all sources when the batch began."""
    return add_known(source.waiting for source in sources)


def count_partitions(sources: Sequence[SourceProgress]) -> int | None:
    """The number of partitions of all sources; None if a source does not report its partitions."""
    if not sources or any(source.ends is None for source in sources):
        return None
    return sum(len(source.ends or ()) for source in sources)


def count_arrived(before: Batch | None, batch: Batch) -> float | None:
    """The rows that arrived between two triggers: the rows of the batch, if no rows wait at its sources.

    If a source holds rows back, the growth of the source's newest offsets counts instead.
    """
    if before is None or not batch.sources or len(before.sources) != len(batch.sources):
        return None if count_waiting(batch.sources) else float(batch.rows)
    return add_known(
        _sum_growth(old.latest, new.latest) if old.waiting or new.waiting else new.rows
        for old, new in zip(before.sources, batch.sources, strict=True)
    )


def order_batches(batches: Iterable[Batch]) -> list[Batch]:
    """The batches in the order of their triggers, without repeats."""
    known = {(batch.run_id, batch.begun_at): batch for batch in batches}
    return sorted(known.values(), key=lambda batch: batch.begun_at)


def pair_batches(batches: Iterable[Batch]) -> Iterator[tuple[Batch | None, Batch]]:
    """Each batch with the previous batch of the same run; None if that batch is not among the answers."""
    before: Batch | None = None
    for batch in batches:
        yield (before if before is not None and _follows(before, batch) else None), batch
        before = batch


def _follows(before: Batch, batch: Batch) -> bool:
    """Whether the second batch comes directly after the first; the progress of an idle query repeats the
    number of its batch.
    """
    if before.run_id != batch.run_id or before.number is None or batch.number is None:
        return False
    return 0 <= batch.number - before.number <= 1


def find_interval(before: Batch | None, batch: Batch) -> float | None:
    """The seconds in which the rows of a batch arrived: since the trigger before, in whole milliseconds."""
    if before is not None:
        seconds = (batch.begun_at - before.begun_at).total_seconds()
    elif batch.rows and batch.input_rate:
        seconds = round(batch.rows / batch.input_rate, 3)
    else:
        return None
    return seconds if SHORTEST_SECONDS <= seconds <= LONGEST_SECONDS else None


def is_gauges(body: JsonValue) -> bool:
    """Whether a document is an answer of the driver's /metrics/json."""
    return isinstance(body, dict) and isinstance(body.get("gauges"), dict)


def read_gauges(body: JsonValue, at: datetime | None) -> list[Batch]:
    """The last batch of each query: rows = rows per second × seconds; its end is the time of the answer."""
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
    rows = round(processed * seconds)
    return Batch(read_name(query), None, None, None, begun_at, rows, seconds, values.get("inputRate-total"))
