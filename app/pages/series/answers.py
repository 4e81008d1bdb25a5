"""A series as JSON and as a picture."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from sqlalchemy import Row

from app.load.measurements.stored_topologies import StoredTopology
from app.pages.series.gathering import Buckets
from app.pages.series.schemas import Series, SeriesPoint
from app.rendering.charts import DASHED, DOTTED, SOLID, Chart, Line, Panel, Sign, draw_chart
from app.rendering.picture_files import write_picture
from app.rendering.picture_shapes import RED, Ink, Key
from planner.wording import write_count, write_rate, write_seconds

OVERLOADED = Key("an operator cannot keep up", Ink(fill=RED, opacity=0.2))
SIGNS = {"scale_up": "up", "scale_down": "down", "rebalance": "both"}


def to_series(
    stored: StoredTopology,
    buckets: Buckets,
    *,
    target: float | None,
    rows: Sequence[Row[Any]],
    expected: Mapping[int, tuple[float, int] | None],
    decided: Sequence[Row[Any]],
    notes: Sequence[str | None],
) -> Series:
    """A point for every bucket, also for gaps; no points if nothing was measured or decided."""
    every = range(buckets.count_all() if rows or decided else 0)
    points = [SeriesPoint(at=buckets.begin(number), snapshots=0) for number in every]
    for row in rows:
        add_measured(points[int(row.number)], row, expected[row.number])
    for row in decided:
        point = points[int(row.number)]
        point.processors_recommended, point.action = row.total, row.action
    for point, note in zip(points, notes, strict=False):
        point.note = note
    return Series(
        topology=stored.name,
        since=buckets.since,
        until=buckets.until,
        bucket_seconds=buckets.seconds,
        target_seconds=target,
        hourly_until=buckets.hourly_until,
        points=points,
    )


def add_measured(point: SeriesPoint, row: Row[Any], expected: tuple[float, int] | None) -> None:
    """Adds the measurements of a bucket to its point."""
    point.snapshots = row.snapshots
    point.external_rate, point.highest_rate = row.external_rate, row.highest_rate
    point.measured_sojourn_seconds = row.measured_sojourn_seconds
    if expected is not None:
        seconds, point.processors_running = expected
        point.is_overloaded = seconds == inf
        point.expected_sojourn_seconds = None if point.is_overloaded else seconds


def draw_series(series: Series, form: str) -> bytes:
    """Rate, E[T] and processors over time, with the times when another number of processors was recommended."""
    covered = f"{series.since:%Y-%m-%d %H:%M} to {series.until:%Y-%m-%d %H:%M} UTC"
    points = leave_out_before(series.points)
    line = f"{covered}, in steps of {write_seconds(series.bucket_seconds)}"
    if 0 < len(points) < len(series.points):
        line += f"; nothing before {points[0].at:%Y-%m-%d %H:%M}"
    return write_picture(
        draw_chart(
            Chart(
                f"{series.topology}: rate, E[T] and processors",
                [
                    line,
                    "Measured E[T]: mean of a step. Estimated E[T], running processors: of its last snapshot.",
                ],
                [one.at.timestamp() for one in points],
                [panel_rates(points), panel_times(points, series.target_seconds), panel_processors(points)],
                "UTC",
                nothing=f"Nothing was measured or decided from {covered}.",
                description=describe_series(series),
            )
        ),
        form,
    )


def leave_out_before(points: list[SeriesPoint]) -> list[SeriesPoint]:
    """The points from the first one with a measurement or decision."""
    said = (place for place, one in enumerate(points) if one.snapshots or one.action is not None)
    return points[next(said, len(points)) :]


def panel_rates(points: Sequence[SeriesPoint]) -> Panel:
    """The mean and the highest rate."""
    mean = Line("mean", [one.external_rate for one in points], SOLID)
    highest = Line("highest", [one.highest_rate for one in points], DASHED)
    return Panel("Tuples per second from outside", [highest, mean])


def panel_times(points: Sequence[SeriesPoint], target: float | None) -> Panel:
    """E[T] as measured and estimated, up to three times the target, as in the dashboard."""
    lines = [
        Line("measured", [one.measured_sojourn_seconds for one in points], SOLID),
        Line("estimated", [one.expected_sojourn_seconds for one in points], DASHED),
    ]
    if target is not None:
        lines.append(Line("target", [target] * len(points), DOTTED))
    over = [one.is_overloaded for one in points]
    keys = [OVERLOADED] if any(over) else []
    cap = None if target is None else 3.0 * target
    return Panel("E[T]", lines, write_seconds, cap=cap, shaded=over, keys=keys)


def panel_processors(points: Sequence[SeriesPoint]) -> Panel:
    """Running and recommended processors, with a sign where the recommendation changes."""
    lines = [
        Line("running", [one.processors_running for one in points], SOLID, is_step=True),
        Line("recommended", [one.processors_recommended for one in points], DASHED),
    ]
    signs, before = [], None
    for one in points:
        if one.action is None or one.processors_recommended is None:
            continue
        now = (one.action, one.processors_recommended)
        if one.action != "hold" and now != before:
            words = f"{one.at:%Y-%m-%d %H:%M} UTC: {one.action}, {one.processors_recommended} processors"
            signs.append(Sign(one.at.timestamp(), one.processors_recommended, SIGNS[one.action], words))
        before = now
    keys = [Key("▲ more, ▼ fewer, ◆ moved: recommended")] if signs else []
    return Panel("Processors", lines, signs=signs, keys=keys, is_whole=True)


def describe_series(series: Series) -> str:
    """The newest values in words."""
    known = [one for one in series.points if one.snapshots]
    if not known:
        return "Nothing was measured."
    newest = known[-1]
    return (
        f"At {newest.at:%Y-%m-%d %H:%M} UTC: rate {write_rate(newest.external_rate)}, E[T] "
        f"{write_seconds(newest.measured_sojourn_seconds)} measured and "
        f"{write_seconds(newest.expected_sojourn_seconds)} estimated, target "
        f"{write_seconds(series.target_seconds)}; {write_count(newest.processors_running)} processors run."
    )
