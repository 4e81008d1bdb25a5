"""What each subtask of a vertex did in an interval: keys can keep one of them busy all the time while others wait."""

from collections.abc import Sequence
from typing import NamedTuple

from app.engines.flink.counters import VertexCounters, subtract_counters
from app.engines.flink.documents import VertexDetail
from app.engines.flink.samples import JobSample

SATURATED = 0.95
"""A subtask that is busy or blocked for this part of its time may have records waiting."""
LEAST_RECORDS = 10.0
HALF = 0.5


class SubtaskActivity(NamedTuple):
    """Records that a subtask took up; and whether it had no idle time left, so that records may wait for it."""

    taken: float | None
    is_saturated: bool


def is_saturated(counted: VertexCounters, taken: float | None) -> bool:
    """Whether there was no idle time left: busy, or blocked with the next record at hand.

    What hardly serves is not: it may be in an idle time that is not yet counted.
    """
    working, blocked = counted.working_share, counted.back_pressured_share
    is_at_work = (taken or 0.0) >= LEAST_RECORDS or (blocked or 0.0) >= HALF
    return is_at_work and working is not None and working >= SATURATED


def list_subtasks(vertex: str, earlier: JobSample | None, later: JobSample) -> tuple[SubtaskActivity, ...]:
    """The subtasks of a vertex; over their whole life where they were not asked for before, or did not move since."""
    after = later.details.get(vertex)
    before = None if earlier is None else earlier.details.get(vertex)
    if after is None:
        return ()
    if before is None or len(before.subtasks) != len(after.subtasks):
        return tuple(observe_subtask(one.counters) for one in after.subtasks)
    counted = subtract_details(after, before)
    if not any(one.records_in for one in counted) or any((one.records_in or 0.0) < 0.0 for one in counted):
        return tuple(observe_subtask(one.counters) for one in after.subtasks)
    return tuple(observe_subtask(one) for one in counted)


def subtract_details(after: VertexDetail, before: VertexDetail) -> Sequence[VertexCounters]:
    """What each subtask counted between two documents."""
    pairs = zip(after.subtasks, before.subtasks, strict=True)
    return [subtract_counters(new.counters, old.counters) for new, old in pairs]


def observe_subtask(counted: VertexCounters) -> SubtaskActivity:
    """The activity of a subtask from what it counted."""
    return SubtaskActivity(counted.records_in, is_saturated(counted, counted.records_in))


def find_shares(
    subtasks: Sequence[SubtaskActivity], served: float | None, offered: float | None
) -> list[float]:
    """The part of the offered records that each subtask gets; empty where that is not known.

    What was offered and not served is that of the subtasks that worked all the time.
    """
    taken = [one.taken for one in subtasks]
    total = sum(filter(None, taken))
    if total <= 0.0 or None in taken:
        return []
    counts = [one or 0.0 for one in taken]
    hot = sum(one for one, subtask in zip(counts, subtasks, strict=True) if subtask.is_saturated)
    if hot > 0.0 and served and offered is not None and offered > served:
        waiting = total * (offered / served - 1.0)
        counts = [
            one * (1.0 + waiting / hot) if subtask.is_saturated else one
            for one, subtask in zip(counts, subtasks, strict=True)
        ]
    return [one / sum(counts) for one in counts]
