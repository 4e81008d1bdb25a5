"""The loads of a streaming query, one for the interval in which the rows of each batch arrived."""

from collections.abc import Iterable
from typing import NamedTuple

from app.engines.numbers import add_known, find_rate, find_service_rate
from app.engines.spark.batches import Batch, count_arrived, count_waiting, find_interval, pair_batches
from app.load.bodies.load import LoadBody, OperatorLoadBody
from app.web.fields import move_time


class ReadBatch(NamedTuple):
    """A batch, the seconds in which its rows arrived, and the load of that interval."""

    batch: Batch
    interval: float
    load: LoadBody


class LeftBatches(NamedTuple):
    """The numbers of batches without a load.

    `firsts` counts batches whose rows arrived in an unknown time, `unknown` those with an unknown number of rows.
    """

    firsts: list[Batch]
    unknown: list[Batch]


def read_loads(name: str, batches: Iterable[Batch], cores: int | None) -> tuple[list[ReadBatch], LeftBatches]:
    """A load for each batch whose rows arrived in a known time, and counts of the batches that were left out."""
    read, left = [], LeftBatches([], [])
    for before, batch in pair_batches(batches):
        interval = find_interval(before, batch)
        if interval is None:
            left.firsts.append(batch)
        elif (load := _make_load(name, before, batch, interval, cores or 1)) is None:
            left.unknown.append(batch)
        else:
            read.append(ReadBatch(batch, interval, load))
    return read, left


def _make_load(
    name: str, before: Batch | None, batch: Batch, interval: float, processors: int
) -> LoadBody | None:
    begun_at = move_time(batch.begun_at, -interval)
    arrived = find_rate(count_arrived(before, batch), interval)
    if begun_at is None or arrived is None:
        return None
    measured = OperatorLoadBody(
        service_rate=find_service_rate(
            batch.rows, None if batch.seconds is None else batch.seconds * processors
        ),
        arrival_rate=arrived,
        served_rate=find_rate(batch.rows, interval),
        processors=processors,
        backlog_tuples=count_waiting(batch.sources),
    )
    return LoadBody(
        observed_at=begun_at, window_seconds=interval, external_rate=arrived, operators={name: measured}
    )


def find_wait(read: Iterable[ReadBatch]) -> float | None:
    """The mean seconds from the arrival of a row to the end of its batch: half the interval before the batch + its
    duration.

    The mean is weighted by rows. Rows are taken to arrive evenly over the interval before the trigger.
    """
    listed = [one for one in read if one.batch.rows and one.batch.seconds is not None]
    total = add_known(one.batch.rows * (0.5 * one.interval + (one.batch.seconds or 0.0)) for one in listed)
    rows = sum(one.batch.rows for one in listed)
    return total / rows if total is not None else None
