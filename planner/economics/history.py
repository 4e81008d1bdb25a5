"""What the stored intervals say: changes of processors, the pauses that they cost, and how much of a promise is kept.

There is no memory but these intervals: a change is where the processors of two intervals differ, and an interval is
late where its measured time is above the target. All times of the economic rule are in units: what a change costs grows
with its pause, so a job that pauses for less can be changed as much more often at the same cost. A unit is three pauses
long, at least an interval and at most a minute; shorter intervals are taken together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import exp, fsum, log, sqrt
from statistics import median

from planner.workloads.accuracy import bound_share

MINUTE = 60.0
UNIT_PAUSES = 3.0
AFTER_CHANGE = 3.0
"""Units after a change in which its pause and its backlog make intervals late."""
USUAL_LATE, USUAL_LATE_COUNT = 1.2, 3
"""The late units that a change costs until changes were seen, and for how many changes this guess counts."""
USUAL_PAUSE = 20.0
"""The longest guess of a pause in seconds until changes were seen."""
SHORTEST_PAUSE, LONGEST_PAUSE = 1.0, 600.0
USUAL_BUSY = 0.7
"""The utilisation at which pauses are told where none is known."""
STRETCH = 5.0
"""Minutes that are late together: only minutes further apart count as independent of each other."""


@dataclass(frozen=True, slots=True)
class SeenInterval:
    """One interval as it was measured; None is not measured.

    `counts` are the processors at its end and `backlog` the tuples that waited then, both in the topology's order.
    `seconds` is the mean time of an external tuple.
    """

    rate: float
    counts: tuple[int, ...]
    seconds: float | None = None
    backlog: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """How many of the judged minutes were within the target, and how many minutes that is more or less than promised.

    `debt` is the number of late minutes beyond those that the promise allows; below 0, so many more were allowed. The
    first judged minute began `ago` minutes before the end of the newest.
    """

    minutes: float
    late_minutes: float
    debt: float
    ago: float = 0.0

    @property
    def share(self) -> float | None:
        """The share of the minutes within the target; None if no minute was judged."""
        return 1.0 - self.late_minutes / self.minutes if self.minutes else None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The 95% interval of the share, where late minutes come in stretches; None if no minute was judged."""
        if self.share is None:
            return None
        return bound_share(self.share, max(1, round(self.minutes / STRETCH)))


@dataclass(frozen=True, slots=True)
class ChangeCost:
    """What a change costs: late units, and seconds of pause, with the number of changes whose pause was seen."""

    late: float
    pause_seconds: float
    changes: int


def join_intervals(some: Sequence[SeenInterval]) -> SeenInterval:
    """Several intervals as one: mean rate, mean time of the tuples, processors and backlog of the last."""
    if len(some) == 1:
        return some[0]
    known = [(one.seconds, one.rate) for one in some if one.seconds is not None]
    tuples = fsum([rate for _, rate in known])
    seconds = fsum([time * rate for time, rate in known]) / tuples if tuples else None
    return SeenInterval(
        fsum([one.rate for one in some]) / len(some), some[-1].counts, seconds, some[-1].backlog
    )


def join_each(intervals: Sequence[SeenInterval], size: int) -> list[SeenInterval]:
    """So many intervals each as one, counted from the newest; the oldest ones that are left over are dropped."""
    return [
        join_intervals(intervals[at : at + size]) for at in range(len(intervals) % size, len(intervals), size)
    ]


@dataclass(frozen=True)
class History:
    """The newest intervals, oldest first, all `step` units long, with the target in seconds.

    `judged` are the intervals by which a promise is judged, if they are others; they ended `judged_ago` units before
    the newest. Whole units of the clock stay the same as new intervals come, those counted from the newest do not.
    `measured` are the intervals as they were measured, where each of `intervals` joins `size` of them.
    """

    intervals: Sequence[SeenInterval]
    step: float
    target_seconds: float
    judged: Sequence[SeenInterval] | None = None
    judged_ago: float = 0.0
    unit_seconds: float = MINUTE
    size: int = 1
    measured: "History | None" = None

    @classmethod
    def gather(
        cls,
        intervals: Sequence[SeenInterval],
        step_seconds: float,
        target_seconds: float,
        end_seconds: float = 0.0,
        pause_seconds: float | None = None,
    ) -> "History":
        """The history of intervals, oldest first, where intervals shorter than a unit are taken together.

        The newest ended at `end_seconds` by the clock. `pause_seconds` is the owner's word on the pause of a change.
        """
        measured = cls(intervals, step_seconds / MINUTE, target_seconds)
        learned = measured.average_pause(measured.list_pauses(USUAL_BUSY))
        pause = learned if pause_seconds is None else pause_seconds
        unit = min(MINUTE, max(step_seconds, UNIT_PAUSES * pause))
        size = max(1, round(unit / step_seconds))
        whole = join_each(intervals, size)
        begun = round(end_seconds % (size * step_seconds) / step_seconds) % size
        judged = join_each(intervals[: len(intervals) - begun], size) if begun else None
        step, ago = size * step_seconds / unit, begun * step_seconds / unit
        return cls(whole or intervals[-1:], step, target_seconds, judged, ago, unit, size, measured)

    def place(self, ago: int) -> int:
        """The place of the interval that joins a measured one: `ago` is 1 for the newest measured one."""
        return len(self.intervals) - 1 - (ago - 1) // self.size

    @property
    def step_seconds(self) -> float:
        """The length of an interval in seconds."""
        return self.step * self.unit_seconds

    @property
    def unit_minutes(self) -> float:
        """The length of a unit in minutes."""
        return self.unit_seconds / MINUTE

    @cached_property
    def changes(self) -> list[int]:
        """The places of the intervals in which the processors were changed."""
        pairs = enumerate(pairwise(self.intervals), 1)
        return [place for place, (before, after) in pairs if before.counts != after.counts]

    @property
    def steps_after_change(self) -> int:
        """The number of intervals that a change may make late, itself included."""
        return max(1, round(AFTER_CHANGE / self.step))

    @property
    def since_change(self) -> int:
        """The number of whole intervals since the newest change; all if there was none."""
        return len(self.intervals) - (self.changes[-1] + 1 if self.changes else 0)

    def is_late(self, place: int) -> bool:
        """Whether an interval was measured to take longer than the target."""
        seconds = self.intervals[place].seconds
        return seconds is not None and seconds > self.target_seconds

    def is_steady(self, place: int) -> bool:
        """Whether an interval ran with one number of processors, and without the backlog of an earlier change."""
        if place in self.changes:
            return False
        last = max((one for one in self.changes if one < place), default=None)
        if last is None or place - last > self.steps_after_change:
            return True
        return not any(self.is_late(one) for one in range(last, place + 1))

    def find_kept(self, promise: float) -> Kept:
        """How much of the promise was kept in the intervals whose time was measured."""
        every = self.intervals if self.judged is None else self.judged
        known = [(place, one.seconds) for place, one in enumerate(every) if one.seconds is not None]
        length = self.step * self.unit_minutes
        late = length * sum(1 for _, seconds in known if seconds > self.target_seconds)
        minutes = length * len(known)
        ago = self.unit_minutes * self.judged_ago + length * (len(every) - known[0][0]) if known else 0.0
        return Kept(minutes, late, late - (1.0 - promise) * minutes, ago)

    def find_change_cost(self, utilisation: float) -> ChangeCost:
        """What past changes cost that were made when no interval was late; `utilisation` is that of now."""
        late = []
        for place in self.changes:
            after = range(place, min(place + self.steps_after_change, len(self.intervals)))
            if self.is_late(place - 1) or len(after) < self.steps_after_change:
                continue
            if not any(one in self.changes for one in after[1:]):
                late.append(self.step * sum(1 for one in after if self.is_late(one)))
        pauses = self.list_pauses(utilisation)
        late_units = (USUAL_LATE_COUNT * USUAL_LATE + fsum(late)) / (USUAL_LATE_COUNT + len(late))
        return ChangeCost(late_units, self.average_pause(pauses), len(pauses))

    def list_pauses(self, utilisation: float) -> list[float]:
        """The pauses in seconds of past changes that were made when no interval was late."""
        if self.measured is not None:
            return self.measured.list_pauses(utilisation)
        found = []
        for place, following in pairwise([*self.changes, len(self.intervals)]):
            after = range(place, min(place + self.steps_after_change, following))
            if not self.is_late(place - 1) and len(after) > 1:
                found.append(self.find_pause(place, after, utilisation))
        return [one for one in found if one is not None]

    def average_pause(self, pauses: Sequence[float]) -> float:
        """The geometric mean of pauses, since those of jobs differ by factors; a guess counts as one of them.

        The guess is not above an interval: who measures more often than usual has a job that is changed in less time.
        """
        guess = min(USUAL_PAUSE, (self.measured or self).step_seconds)
        logs = [log(max(one, SHORTEST_PAUSE) / guess) for one in pauses]
        return guess * exp(fsum(logs) / (1 + len(logs)))

    def find_pause(self, place: int, after: range, utilisation: float) -> float | None:
        """The pause of a change in seconds, from how much longer the tuples after it took than before and in the end.

        In a pause of P seconds λP tuples gather, and they are worked off at the spare rate: all of them together wait
        λP²/(2(1 − ρ)) longer. λ is the rate and ρ the utilisation.
        """
        before = self.intervals[place - 1].seconds
        times = [self.intervals[one].seconds for one in after]
        seen = [one for one in times if one is not None]
        if before is None or len(seen) < len(times):
            return None
        usual = max(before, median(seen[-max(1, len(seen) // 3) :]))
        longer = fsum([max(0.0, one - usual) for one in seen]) * self.step_seconds
        return min(sqrt(2.0 * max(0.05, 1.0 - utilisation) * longer), LONGEST_PAUSE)
