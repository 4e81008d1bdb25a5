"""The load of a streaming query in the interval that each of its batches took in: one station, batch by batch."""

from collections.abc import Iterable
from typing import NamedTuple

from app.engines.numbers import add_known, find_rate, find_service_rate, move_time
from app.engines.spark.batches import Batch, find_interval, pair_batches
from app.engines.spark.offsets import count_arrived, count_waiting
from app.load.bodies.load import LoadBody, OperatorLoadBody


class ReadBatch(NamedTuple):
    """A batch, the seconds in which its rows arrived, and the load of that interval."""

    batch: Batch
    interval: float
    load: LoadBody


class LeftBatches(NamedTuple):
    """Batches that gave no load, by why: nothing is known of the time in which their rows arrived, or of the rows."""

    firsts: list[Batch]
    unknown: list[Batch]


def read_loads(name: str, batches: Iterable[Batch], cores: int | None) -> tuple[list[ReadBatch], LeftBatches]:
    """A load for each batch whose rows arrived in a known time, and the batches that were left out."""
    read, left = [], LeftBatches([], [])
    for before, batch in pair_batches(batches):
        interval = find_interval(before, batch)
        if interval is None:
            left.firsts.append(batch)
        elif (load := _make_load(name, before, batch, interval, cores)) is None:
            left.unknown.append(batch)
        else:
            read.append(ReadBatch(batch, interval, load))
    return read, left


def _make_load(
    name: str, before: Batch | None, batch: Batch, interval: float, cores: int | None
) -> LoadBody | None:
    begun_at = move_time(batch.begun_at, -interval)
    arrived = find_rate(_count_arrived(before, batch), interval)
    if begun_at is None or arrived is None:
        return None
    processors = cores or 1
    busy = None if batch.seconds is None else batch.seconds * processors
    measured = OperatorLoadBody(
        service_rate=find_service_rate(batch.rows, busy),
        arrival_rate=arrived,
        served_rate=find_rate(batch.rows, interval),
        processors=processors,
        backlog_tuples=count_waiting(batch.sources),
    )
    return LoadBody(
        observed_at=begun_at, window_seconds=interval, external_rate=arrived, operators={name: measured}
    )


def _count_arrived(before: Batch | None, batch: Batch) -> float | None:
    """Rows that arrived: those taken in, but where the sources hold some back the growth of what they have."""
    if before is not None and batch.sources and len(before.sources) == len(batch.sources):
        return count_arrived(before.sources, batch.sources)
    return None if count_waiting(batch.sources) else float(batch.rows)


def find_wait(read: Iterable[ReadBatch]) -> float | None:
    """Mean seconds from a row's arrival to the end of its batch, weighted by rows: half the interval + the batch.

    Rows arrive evenly over the interval before the trigger.
    """
    listed = [one for one in read if one.batch.rows and one.batch.seconds is not None]
    total = add_known(one.batch.rows * (0.5 * one.interval + (one.batch.seconds or 0.0)) for one in listed)
    rows = sum(one.batch.rows for one in listed)
    return total / rows if total is not None else None
