"""What each subtask of a vertex did in an interval: keys can keep one of them busy all the time while others wait."""

from collections.abc import Sequence
from typing import NamedTuple

from app.engines.flink.counters import VertexCounters, subtract_counters
from app.engines.flink.documents import VertexDetail
from app.engines.flink.samples import JobSample

SATURATED = 0.95
"""From this part of its time on, a busy subtask may have records waiting."""
LEAST_RECORDS = 10.0  # a subtask that hardly serves may be in an idle time that is not yet counted


class SubtaskActivity(NamedTuple):
    """Records that a subtask took up, and the part of its time that it was busy; None: not known."""

    taken: float | None
    busy_share: float | None

    @property
    def is_saturated(self) -> bool:
        """Whether it worked all the time."""
        return (self.taken or 0.0) >= LEAST_RECORDS and (self.busy_share or 0.0) >= SATURATED


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
    return SubtaskActivity(counted.records_in, counted.busy_share)


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
