"""Counts of the records that sources emitted in short spans, from looks at their counters between two samples."""

from collections.abc import Sequence
from itertools import pairwise

from app.engines.flink.counters import (
    SHORTEST_SECONDS,
    VertexCounters,
    read_metric_counters,
    subtract_counters,
)
from app.engines.flink.documents import MetricSums, to_milliseconds
from app.engines.flink.intervals import JobInterval
from app.engines.flink.vertices import find_emitted
from app.load.bodies.load import CountedSpan

LEAST_LOOKS = 3
HELD_BACK = 0.05
"""A source that is blocked for a larger part of the time emits what it may, not what comes."""
WIDEST = 3.0
"""A span may be so many times as long as the median: a longer one hides how the stream came."""


def count_spans(
    looks: Sequence[MetricSums], interval: JobInterval, sources: Sequence[str]
) -> list[CountedSpan]:
    """The records that entered in the spans between looks; empty where looks are few, or a source was held back."""
    series = [list_counts(looks, interval, vertex) for vertex in sources]
    if not series or len(series[0]) < LEAST_LOOKS or len({len(one) for one in series}) > 1:
        return []
    spans = [
        CountedSpan(
            seconds=sum([later[0] - earlier[0] for earlier, later in pairs]) / len(pairs),
            tuples=sum([later[1] - earlier[1] for earlier, later in pairs]),
        )
        for pairs in zip(*[list(pairwise(one)) for one in series], strict=True)
    ]
    longest = WIDEST * sorted([span.seconds for span in spans])[len(spans) // 2]
    return spans if all(span.seconds <= longest for span in spans) else []


def list_counts(looks: Sequence[MetricSums], interval: JobInterval, vertex: str) -> list[tuple[float, float]]:
    """Seconds and emitted records of a source at each look of the interval that brought new metrics.

    The time is that of the source's own clock, or of the answer for a source that has none.
    """
    begin = to_milliseconds(interval.earlier.job.came_at if interval.earlier else None) or 0.0
    parallelism = interval.later.job.vertices[vertex].parallelism
    found: list[tuple[float, float, VertexCounters]] = []
    for one in sorted([one for one in looks if one.vertex == vertex], key=tell_time):
        emitted, counters = find_emitted(one), read_metric_counters(one.values)
        if emitted is None or tell_time(one) < begin:
            continue
        seconds = counters.find_seconds(parallelism) or tell_time(one) / 1000.0
        if found and (seconds < found[-1][0] or emitted < found[-1][1]):
            return []  # it began anew
        is_new = counters.time_ms or not found or emitted > found[-1][1]
        if is_new and (not found or seconds - found[-1][0] >= SHORTEST_SECONDS):
            found.append((seconds, emitted, counters))
    if len(found) < LEAST_LOOKS:
        return []
    blocked = subtract_counters(found[-1][2], found[0][2]).back_pressured_share
    return [] if (blocked or 0.0) > HELD_BACK else [(seconds, emitted) for seconds, emitted, _ in found]


def tell_time(look: MetricSums) -> float:
    """The epoch milliseconds at which the answer of a look came; 0 if that is unknown."""
    return to_milliseconds(look.came_at) or 0.0
