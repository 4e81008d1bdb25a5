"""Counts of the records that sources emitted in short spans, from looks at their counters between two samples.

A question about metrics is answered with what Flink fetched before, and starts a fetch. So the numbers of a look are of
the time of the question before it, while a sample asks until its numbers are new.
"""

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
from app.engines.looks import LEAST_LOOKS, LEAST_NEW, WIDEST
from app.load.bodies.load import CountedSpan

HELD_BACK = 0.05
"""A source that is blocked for a larger part of the time emits what it may, not what comes."""


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

    The time is that of the source's own clock. For a source that has none it is the time of the fetch that the metrics
    are from; empty if Flink fetches too seldom to tell it.
    """
    begin = to_milliseconds(interval.earlier.job.came_at if interval.earlier else None) or 0.0
    parallelism = interval.later.job.vertices[vertex].parallelism
    found: list[tuple[float, float, VertexCounters]] = []
    asked = fetched_ms = 0.0
    for one in sorted([one for one in looks if one.vertex == vertex], key=tell_time):
        emitted, counters = find_emitted(one), read_metric_counters(one.values)
        before_ms, fetched_ms = fetched_ms, tell_time(one)
        own, of_fetch = (
            counters.find_seconds(parallelism),
            (before_ms if one.is_look else fetched_ms) / 1000.0,
        )
        if emitted is None or fetched_ms < begin or not (own or of_fetch):
            continue
        asked += 1
        seconds = own or of_fetch
        if found and (emitted < found[-1][1] or (own and seconds < found[-1][0])):
            return []  # it began anew
        is_new = counters.time_ms or not found or emitted > found[-1][1]
        if is_new and (not found or seconds - found[-1][0] >= SHORTEST_SECONDS):
            found.append((seconds, emitted, counters))
    has_clock = all(counters.time_ms for _, _, counters in found)
    if len(found) < LEAST_LOOKS or (not has_clock and len(found) < LEAST_NEW * asked):
        return []
    blocked = subtract_counters(found[-1][2], found[0][2]).back_pressured_share
    return [] if (blocked or 0.0) > HELD_BACK else [(seconds, emitted) for seconds, emitted, _ in found]


def tell_time(look: MetricSums) -> float:
    """The epoch milliseconds at which the answer of a look came; 0 if that is unknown."""
    return to_milliseconds(look.came_at) or 0.0
