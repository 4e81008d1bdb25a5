"""Activity of the source operators and the subtasks of one vertex in an interval."""

from collections.abc import Sequence
from typing import NamedTuple

from app.engines.flink.counters import (
    SHORTEST_SECONDS,
    ZERO,
    VertexCounters,
    read_metric_counters,
    subtract_counters,
)
from app.engines.flink.documents import METRIC_PREFIX, MetricSums
from app.engines.flink.samples import JobSample
from app.engines.numbers import divide, find_growth, find_rate

SATURATED = 0.95
"""A subtask that is busy or blocked for this part of its time counts as saturated: records may wait for it."""
LEAST_RECORDS = 10.0
HALF = 0.5


def count_at_source(
    vertex: str, sent: float | None, busy: float | None, earlier: JobSample | None, later: JobSample
) -> float | None:
    """Records per second that the source operators of a vertex emitted, by metrics of their own.

    A chain shows no records in, and none out at its end. Metrics are fetched at another time than the job's document,
    so only ratios inside one answer are used: emitted records per record that the vertex sent on; where the chain ends
    in a sink, per second that its subtasks counted; where two answers hold the same metrics, per busy time. `busy` is
    the vertex's busy seconds per second.
    """
    after = later.metrics.get(vertex)
    if after is None:
        return None
    before = None if earlier is None else earlier.metrics.get(vertex)
    life = read_metric_counters(after.values)
    counted = subtract_counters(life, ZERO if before is None else read_metric_counters(before.values))
    emitted = find_growth(0.0 if before is None else find_emitted(before), find_emitted(after))
    since_start = divide(find_emitted(after), life.records_out)
    per_sent = divide(emitted, counted.records_out) or since_start  # the same metrics twice differ by 0
    if sent and per_sent:
        return find_rate(sent * per_sent, 1.0)
    seconds = counted.find_seconds(later.job.vertices[vertex].parallelism)
    if seconds is not None and seconds >= SHORTEST_SECONDS:
        return find_rate(emitted, seconds)
    per_busy = divide(find_emitted(after), life.busy_ms)
    return None if per_busy is None or busy is None else find_rate(1000.0 * per_busy * busy, 1.0)


def find_emitted(metrics: MetricSums | None) -> float | None:
    """The records that the source operators of a vertex emitted, counted by metrics of the operators."""
    return sum_metrics(metrics, ".numRecordsOut")


def find_pending(metrics: MetricSums | None) -> float | None:
    """The records that a source reports as waiting outside the job, such as the lag in Kafka."""
    return sum_metrics(metrics, ".pendingRecords")


def find_pending_growth(vertex: str, earlier: JobSample | None, later: JobSample) -> float | None:
    """The growth of pending records per second, by the clock of the answers that hold them; negative if they became
    fewer.
    """
    after, before = later.metrics.get(vertex), None if earlier is None else earlier.metrics.get(vertex)
    now, then = find_pending(after), find_pending(before)
    if after is None or before is None or now is None or then is None:
        return None
    counted = subtract_counters(read_metric_counters(after.values), read_metric_counters(before.values))
    seconds = counted.find_seconds(later.job.vertices[vertex].parallelism)
    return None if seconds is None or seconds < SHORTEST_SECONDS else (now - then) / seconds


def sum_metrics(metrics: MetricSums | None, suffix: str) -> float | None:
    """The sum of the source operators' metrics with this ending; None if there are none."""
    values = {} if metrics is None else metrics.values
    found = [
        value for name, value in values.items() if name.startswith(METRIC_PREFIX) and name.endswith(suffix)
    ]
    return sum(found) if found else None


class SubtaskActivity(NamedTuple):
    """The records that a subtask took up, and whether it had no idle time left, so that records may wait for it."""

    taken: float | None
    is_saturated: bool


def is_saturated(counted: VertexCounters, taken: float | None) -> bool:
    """Whether a subtask had no idle time left: it was busy, or blocked with the next record at hand.

    A subtask that served fewer than 10 records does not count as saturated: it may be in an idle time that is not
    counted yet.
    """
    working, blocked = counted.working_share, counted.back_pressured_share
    is_at_work = (taken or 0.0) >= LEAST_RECORDS or (blocked or 0.0) >= HALF
    return is_at_work and working is not None and working >= SATURATED


def list_subtasks(vertex: str, earlier: JobSample | None, later: JobSample) -> tuple[SubtaskActivity, ...]:
    """The subtasks of a vertex in the interval, or over their whole life if the earlier sample lacks them or has
    the same counters.
    """
    after = later.details.get(vertex)
    before = None if earlier is None else earlier.details.get(vertex)
    if after is None:
        return ()
    counted = [one.counters for one in after.subtasks]
    if before is not None and len(before.subtasks) == len(after.subtasks):
        pairs = zip(counted, before.subtasks, strict=True)
        grown = [subtract_counters(new, old.counters) for new, old in pairs]
        taken = [one.records_in or 0.0 for one in grown]
        if any(taken) and min(taken) >= 0.0:
            counted = grown
    return tuple(SubtaskActivity(one.records_in, is_saturated(one, one.records_in)) for one in counted)


def find_shares(
    subtasks: Sequence[SubtaskActivity], served: float | None, offered: float | None
) -> list[float]:
    """The share of each subtask in the records offered to a vertex; an empty list if it is unknown.

    Records that were offered and not served are taken to wait for the subtasks that had no idle time left.
    """
    if any(one.taken is None for one in subtasks):
        return []
    counts = [one.taken or 0.0 for one in subtasks]
    hot = sum(one.taken or 0.0 for one in subtasks if one.is_saturated)
    if hot > 0.0 and served and offered is not None and offered > served:
        growth = 1.0 + sum(counts) * (offered / served - 1.0) / hot
        counts = [
            count * growth if one.is_saturated else count for count, one in zip(counts, subtasks, strict=True)
        ]
    total = sum(counts)
    return [one / total for one in counts] if total > 0.0 else []
