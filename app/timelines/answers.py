"""A series as JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Row

from app.storage.stored_topologies import StoredTopology
from app.timelines.gathering import Buckets
from app.timelines.schemas import Series, SeriesPoint
from planner.values import Estimate


def to_series(
    stored: StoredTopology,
    buckets: Buckets,
    *,
    target: float | None,
    rows: Sequence[Row[Any]],
    estimates: Mapping[int, Estimate | None],
    decided: Sequence[Row[Any]],
) -> Series:
    """A point for every bucket, gaps included; none where nothing was measured or decided."""
    every = range(buckets.count_all() if rows or decided else 0)
    points = [SeriesPoint(at=buckets.begin(number), snapshots=0) for number in every]
    for row in rows:
        add_measured(points[int(row.number)], row, estimates[row.number])
    for row in decided:
        point = points[int(row.number)]
        point.processors_recommended, point.action = row.total, row.action
    return Series(
        topology=stored.name,
        since=buckets.since,
        until=buckets.until,
        bucket_seconds=buckets.seconds,
        target_seconds=target,
        points=points,
    )


def add_measured(point: SeriesPoint, row: Row[Any], expected: Estimate | None) -> None:
    """What the snapshots of the bucket say."""
    point.snapshots = row.snapshots
    point.external_rate, point.highest_rate = row.external_rate, row.highest_rate
    point.measured_sojourn_seconds = row.measured_sojourn_seconds
    if expected is not None:
        point.expected_sojourn_seconds = expected.expected_sojourn_seconds
        point.is_overloaded = not expected.stable
        point.processors_running = expected.processors_total
