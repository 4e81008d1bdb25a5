"""What source operators emitted, by metrics of their own: a chain shows no records in, and at its end none out."""

from app.engines.flink.counters import (
    SHORTEST_SECONDS,
    ZERO,
    read_metric_counters,
    subtract_counters,
)
from app.engines.flink.documents import MetricSums
from app.engines.flink.naming import METRIC_PREFIX
from app.engines.flink.samples import JobSample
from app.engines.numbers import divide, find_rate


def count_at_source(
    vertex: str, sent: float | None, busy: float | None, earlier: JobSample | None, later: JobSample
) -> float | None:
    """Records per second that the source operators of a vertex emitted.

    Metrics are fetched at another time than the job's document, so only ratios inside one answer are used: to the
    records that the vertex sent on, or else, where its chain ends in a sink, to the time that its subtasks counted; and
    where those are the same twice, to all its busy time. `busy` is the vertex's busy seconds per second.
    """
    after = later.metrics.get(vertex)
    if after is None:
        return None
    before = None if earlier is None else earlier.metrics.get(vertex)
    old = ZERO if before is None else read_metric_counters(before.values)
    counted = subtract_counters(read_metric_counters(after.values), old)
    emitted = subtract(find_emitted(after), 0.0 if before is None else find_emitted(before))
    since_start = divide(find_emitted(after), read_metric_counters(after.values).records_out)
    per_sent = divide(emitted, counted.records_out) or since_start  # the same metrics twice differ by 0
    if sent and per_sent:
        return find_rate(sent * per_sent, 1.0)
    seconds = counted.find_seconds(later.job.vertices[vertex].parallelism)
    if seconds is not None and seconds >= SHORTEST_SECONDS:
        return find_rate(emitted, seconds)
    per_busy = divide(find_emitted(after), read_metric_counters(after.values).busy_ms)
    return None if per_busy is None or busy is None else find_rate(1000.0 * per_busy * busy, 1.0)


def subtract(later: float | None, earlier: float | None) -> float | None:
    """later - earlier; None where one is unknown or the count fell."""
    return None if later is None or earlier is None or later < earlier else later - earlier


def find_emitted(metrics: MetricSums | None) -> float | None:
    """Records that the source operators of a chain emitted."""
    return sum_metrics(metrics, ".numRecordsOut")


def find_pending(metrics: MetricSums | None) -> float | None:
    """Records that a source knows to wait outside, such as the lag in Kafka."""
    return sum_metrics(metrics, ".pendingRecords")


def find_pending_growth(vertex: str, earlier: JobSample | None, later: JobSample) -> float | None:
    """By how many records per second the pending ones grew, by the clock of the same answers; below 0: they shrank."""
    after, before = later.metrics.get(vertex), None if earlier is None else earlier.metrics.get(vertex)
    now, then = find_pending(after), find_pending(before)
    if after is None or before is None or now is None or then is None:
        return None
    counted = subtract_counters(read_metric_counters(after.values), read_metric_counters(before.values))
    seconds = counted.find_seconds(later.job.vertices[vertex].parallelism)
    return None if seconds is None or seconds < SHORTEST_SECONDS else (now - then) / seconds


def sum_metrics(metrics: MetricSums | None, suffix: str) -> float | None:
    """The sum of the metrics of source operators with this ending; None where there is none."""
    if metrics is None:
        return None
    found = [
        value
        for name, value in metrics.values.items()
        if name.startswith(METRIC_PREFIX) and name.endswith(suffix)
    ]
    return sum(found) if found else None
