"""The waits of operators that deal out whole key groups, or whose capacity bends: a staircase that may rise.

Greedy moves along the lower convex hull of the numbers of waiting tuples, and planner.allocation.whole_groups decides
between the counts inside a stair. The hull ends at the last count, and there may be thousands; but no number of waiting
tuples is below 0, so where a step of the hull falls steeply enough, no count beyond those known can lie below it.
Counts are computed as far as an answer needs.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from math import inf
from typing import NamedTuple

import numpy as np

from planner.queueing.gain_curves import LEAST_GAIN, WaitBlocks
from planner.queueing.instances.instance_curves import InstanceCurve
from planner.queueing.instances.scaling import FARTHEST as MOST_TRIED
from planner.queueing.instances.scaling import find_first, slow_down

MOST_STEPS = 2048
FIRST_KNOWN = 16
"""The least number of counts that are computed at once."""


class Steps(NamedTuple):
    """Counts of processors in ascending order, and the mean number of tuples that wait with each."""

    counts: list[int]
    waiting: list[float]


class StairCurve(InstanceCurve):
    """The gains of an operator that deals out whole key groups: those of the lower convex hull of its waiting tuples.

    Useful counts are those with which fewer tuples wait than with any smaller count; the hull is drawn through some of
    them. `known` is the number of counts that were computed, in the order of `candidates`.
    """

    def __init__(self, blocks: WaitBlocks, place: int, arrival_rate: float, floor: int, ceiling: int) -> None:
        super().__init__(blocks, place, arrival_rate, floor)
        self.ceiling, self.known = ceiling, 0
        self.found, self.lower = Steps([], []), Steps([], [])

    @cached_property
    def candidates(self) -> range | list[int]:
        """The counts that can be useful; some of them where there are more than MOST_STEPS."""
        size = self.find_last() - self.floor + 1
        if size <= MOST_STEPS:
            return range(self.floor, self.floor + size)
        apart = np.geomspace(1.0, size, MOST_STEPS).astype(np.int64)
        return [self.floor + one - 1 for one in np.unique(apart).tolist()]

    @property
    def is_complete(self) -> bool:
        """Whether no count is left out because there are too many."""
        return isinstance(self.candidates, range)

    @property
    def is_known(self) -> bool:
        """Whether all counts were computed."""
        return self.known >= len(self.candidates)

    def find_last(self) -> int:
        """The last count that can be useful: beyond it services alone take longer than the wait at the first."""
        scaling = self.blocks.queues.scalings[self.place] if self.blocks.queues.is_bent else None
        if scaling is None:
            return self.ceiling
        longest = 1.0 + self.service_rate * self.wait_seconds(self.floor)
        beyond = find_first(
            lambda k: slow_down(scaling, float(k)) * longest < 1.0, self.floor, min(self.ceiling, MOST_TRIED)
        )
        return min(self.ceiling, MOST_TRIED) if beyond is None else beyond

    def list_further(self) -> list[int]:
        """The counts that are computed next: as many as are known, at first up to four times the fewest."""
        more = max(self.known, 3 * self.floor, FIRST_KNOWN)
        return list(self.candidates[self.known : self.known + more])

    def look_further(self) -> None:
        """Computes more counts."""
        counts = self.list_further()
        self.known += len(counts)
        self.blocks.fill_exactly([(self.place, k) for k in counts])
        rate, found, lower = self.high * self.service_rate, self.found, self.lower
        for k in counts:
            waiting = rate * self.wait_seconds(k)
            if waiting >= (found.waiting[-1] if found.waiting else inf):
                continue
            found.counts.append(k)
            found.waiting.append(waiting)
            while len(lower.counts) > 1 and is_above(lower, k, waiting):
                lower.counts.pop()
                lower.waiting.pop()
            lower.counts.append(k)
            lower.waiting.append(waiting)

    def look_to(self, k: int) -> None:
        """Computes at least the counts up to k."""
        while not self.is_known and (not self.known or self.candidates[self.known - 1] < k):
            self.look_further()

    def look_at_all(self) -> None:
        """Computes all counts."""
        while not self.is_known:
            self.look_further()

    @property
    def useful(self) -> Steps:
        """All counts with which fewer tuples wait than with any smaller count."""
        self.look_at_all()
        return self.found

    @property
    def hull(self) -> Steps:
        """All useful counts on the lower convex hull: each further processor gains no more than those before."""
        self.look_at_all()
        return self.lower

    def find_step(self, k: int) -> int:
        """The place of the last count up to k on the hull, of which this and the next are known for certain."""
        while True:
            at = bisect_right(self.lower.counts, k) - 1
            if self.is_known or (at >= 0 and self.is_certain(at + 1)):
                return at
            self.look_further()

    def is_certain(self, at: int) -> bool:
        """Whether a count of the hull so far stays on it, wherever the counts that are not known lie above 0."""
        counts, waiting = self.lower
        if at == 0 or at >= len(counts):
            return at == 0
        beyond = self.candidates[self.known]
        fall, steps = waiting[at - 1] - waiting[at], counts[at] - counts[at - 1]
        return fall * (beyond - counts[at]) > waiting[at] * steps

    def is_on_hull(self, k: int) -> bool:
        """Whether k is a count on the hull."""
        return self.lower.counts[self.find_step(k)] == k

    def climb(self, k: int) -> int:
        """The processors that are missing from k until the next count on the hull, 0 where k is one."""
        at = self.find_step(k)
        return 0 if self.lower.counts[at] == k else self.lower.counts[at + 1] - k

    def list_useful(self, base: float, theta: float, k: int, allowed: float) -> Steps:
        """The useful counts j whose waiting tuples are below `base` − θ(j − k) + `allowed`, and others."""
        while not self.is_known and (
            not self.known or theta * (self.candidates[self.known] - k) - base <= allowed
        ):
            self.look_further()
        return self.found

    def settle(self, k: int) -> int:
        """The largest useful count up to k, where no more tuples wait; k itself where it cannot keep up."""
        if k <= self.floor or not self.is_busy:
            return min(k, self.floor)
        self.look_to(k)
        return self.found.counts[bisect_right(self.found.counts, k) - 1]

    def count_waiting(self, k: int) -> float:
        """The mean number of tuples that wait with k processors, a useful count."""
        self.look_to(k)
        return self.found.waiting[bisect_left(self.found.counts, k)]

    def __missing__(self, k: int) -> float:
        """The waiting tuples that each processor saves on the hull from the last count there up to k to the next."""
        at = self.find_step(k) + 1
        counts, waiting = self.lower
        gain = 0.0 if at == len(counts) else (waiting[at - 1] - waiting[at]) / (counts[at] - counts[at - 1])
        self[k] = gain = gain if gain > LEAST_GAIN else 0.0
        return gain

    def waiting(self, k: int) -> float:
        """The mean number of waiting tuples on the hull, at most those that wait with k processors."""
        at = self.find_step(k)
        return self.lower.waiting[at] - self[k] * (k - self.lower.counts[at])

    def find_gain(self, k: int) -> float:
        """The waiting tuples that processor k + 1 saves; below 0 where more wait then, −inf where it cannot keep up."""
        here, after = self.wait_seconds(k), self.wait_seconds(k + 1)
        return inf if here == inf else self.high * self.service_rate * (here - after)

    def find_vanishing(self) -> int:
        """The count from which no processor gains anything."""
        return self.hull.counts[-1]


def look_further(curves: Sequence[StairCurve]) -> bool:
    """Computes more counts of all operators at once; False where all were known."""
    open_ended = [one for one in curves if one.is_busy and not one.is_known]
    if open_ended:
        further = [(one.place, k) for one in open_ended for k in one.list_further()]
        open_ended[0].blocks.fill_exactly(further)
    for one in open_ended:
        one.look_further()
    return bool(open_ended)


def is_above(found: Steps, k: int, waiting: float) -> bool:
    """Whether the last of the steps lies on or above the line from the one before it to (k, waiting)."""
    (first, last), (high, low) = found.counts[-2:], found.waiting[-2:]
    return (high - low) * (k - last) <= (low - waiting) * (last - first)
