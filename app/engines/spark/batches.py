"""The batches of a streaming query, out of StreamingQueryProgress."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from pydantic import JsonValue

from app.engines.numbers import (
    SHORTEST_SECONDS,
    read_count,
    read_list,
    read_name,
    read_number,
    read_object,
    read_text,
    read_time,
)
from app.engines.spark.offsets import SourceProgress, read_sources

# A longer time between two triggers is a mistake of the clock, or no measurement of today's load.
LONGEST_SECONDS = 86_400.0


class Batch(NamedTuple):
    """One batch: what it took in, and how long it ran; None = not said.

    `input_rate` is Spark's own: rows per second since the trigger before. `shuffles` are the partitions of each
    stateful operator.
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
        """What tells one query from another."""
        return self.query or self.query_id


def list_progress(body: JsonValue) -> list[JsonValue]:
    """The progress documents of an answer: lastProgress, recentProgress, or a listener's event."""
    listed = body if isinstance(body, list) else [body]
    return [read_object(one).get("progress") or one for one in listed]


def read_batch(value: JsonValue) -> Batch | None:
    """The batch that a progress document tells of; None where it has no time or does not count its rows."""
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


def order_batches(batches: Iterable[Batch]) -> list[Batch]:
    """The batches in the order of their triggers, each once."""
    known = {(batch.run_id, batch.begun_at): batch for batch in batches}
    return sorted(known.values(), key=lambda batch: batch.begun_at)


def pair_batches(batches: Iterable[Batch]) -> Iterator[tuple[Batch | None, Batch]]:
    """Each batch with the one right before it in the same run; None where that is not known."""
    before: Batch | None = None
    for batch in batches:
        yield (before if before is not None and _follows(before, batch) else None), batch
        before = batch


def _follows(before: Batch, batch: Batch) -> bool:
    """Whether no batch lies between; the progress of an idle query repeats the number."""
    if before.run_id != batch.run_id or before.number is None or batch.number is None:
        return False
    return 0 <= batch.number - before.number <= 1


def find_interval(before: Batch | None, batch: Batch) -> float | None:
    """Seconds in which the rows of a batch arrived: since the trigger before, in whole milliseconds."""
    if before is not None:
        seconds = (batch.begun_at - before.begun_at).total_seconds()
    elif batch.rows and batch.input_rate:
        seconds = round(batch.rows / batch.input_rate, 3)
    else:
        return None
    return seconds if SHORTEST_SECONDS <= seconds <= LONGEST_SECONDS else None
