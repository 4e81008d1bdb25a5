"""The ladder of allocations: for rising external rates the fewest processors that meet the target, and what they carry.

need(g) is the fewest processors with a time within the target at the rate g; a rung of the ladder is such an allocation
with its capacity, the highest rate at which it meets the target, and the rate at which its busiest instance is full.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, log

from planner.allocation.allocate import allocate_budget
from planner.situations.situation import Situation, scale_load
from planner.targets.target import OUT_OF_REACH, SojournTarget

STEP, FINE = 1.1, 1.03
MOST_RUNGS = 40
TRIES = 14
NEAR = 0.008
"""Capacities are found to this part of themselves."""
MOST_LINES = 2
"""Lines are followed so often, then the range of a capacity is halved once."""


@dataclass(frozen=True, slots=True)
class Rung:
    """An allocation: the highest rate that meets the target, and the rate at which each operator is full."""

    counts: tuple[int, ...]
    capacity: float
    full: tuple[float, ...]

    @property
    def total(self) -> int:
        """The number of processors of all operators together."""
        return sum(self.counts)

    @property
    def saturation(self) -> float:
        """The rate at which the busiest instance is full."""
        return min(self.full)


@dataclass(frozen=True)
class Needs:
    """The question how many processors a rate needs: a load, a target of corrected waits, and a budget."""

    situation: Situation
    target_seconds: float
    k_max: int | None = None

    def correct(self, factor: float) -> "Needs":
        """The same needs where waits take `factor` times as long as modelled: S + c·W ≤ T is W ≤ (T − S)/c."""
        service = self.situation.find_lower_bound()
        return replace(self, target_seconds=service + max(0.0, self.target_seconds - service) / factor)

    def find(self, external_rate: float) -> tuple[int, ...]:
        """The fewest processors for a rate; if bounds forbid the target, the best split of what they allow."""
        there = scale_load(self.situation, external_rate)
        counts = SojournTarget(self.target_seconds).find_fewest(there)
        if self.k_max is not None and sum(counts) > self.k_max:
            counts = allocate_budget(there.stations, self.k_max, there.names).counts
        return tuple(counts)

    def measure(self, counts: Sequence[int], near: float) -> Rung:
        """The rung of an allocation whose capacity is somewhere near a rate."""
        full = self.find_full(counts, near)
        return Rung(tuple(counts), self.find_capacity(counts, near, min(full)), full)

    def find_full(self, counts: Sequence[int], near: float) -> tuple[float, ...]:
        """The external rate at which the busiest instance of each operator is full."""
        busy = scale_load(self.situation, near).stations.find_utilisations(counts)
        return tuple([near / one if one > 0.0 else inf for one in busy])

    def find_speed(self, counts: Sequence[int], external_rate: float) -> float:
        """1/seconds at a rate; 0 where an operator cannot keep up."""
        there = scale_load(self.situation, external_rate)
        seconds = SojournTarget(self.target_seconds).find_seconds(there, counts)
        return 1.0 / seconds if seconds else 0.0

    def find_wait(self, counts: Sequence[int], external_rate: float) -> float:
        """The modelled time that an external tuple waits at a rate; inf where an operator cannot keep up."""
        there = scale_load(self.situation, external_rate)
        seconds = SojournTarget(self.target_seconds).find_seconds(there, counts)
        return inf if seconds is None else max(0.0, seconds - self.situation.find_lower_bound())

    def find_capacity(self, counts: Sequence[int], near: float, saturation: float) -> float:
        """The highest rate at which these processors meet the target.

        With the rate λ, the wait W and the longest wait V that the target allows, λ/W is nearly a line that is 0 at
        saturation. So is λ/W − λ/V, which is 0 at the capacity: lines through two rates around it lead there.
        """
        longest = self.target_seconds - self.situation.find_lower_bound()
        if longest <= 0.0:
            return 0.0
        low, high, low_room, high_room = 0.0, saturation, inf, -saturation / longest
        rate, beyond = near if near < 0.9 * saturation else 0.7 * saturation, 0.25 * NEAR
        for turn in range(TRIES):
            wait = self.find_wait(counts, rate)
            room = (rate / wait if wait else inf) - rate / longest
            if wait <= longest:
                low, low_room = rate, room
            else:
                high, high_room = rate, room
            if high - low <= NEAR * high:
                break
            aimed = 0.5 * (low + high)
            if not low and wait < inf:
                slope = rate / wait / (saturation - rate)
                aimed = slope * saturation / (slope + 1.0 / longest)
            elif low_room < inf and turn % 3 < MOST_LINES:
                aimed = low + (high - low) * low_room / (low_room - high_room)
            # A step beyond the line brackets the capacity from the other side.
            aimed *= 1.0 + beyond if wait <= longest else 1.0 - beyond
            rate = min(max(aimed, low + 0.02 * (high - low)), high - 0.02 * (high - low))
        return low


def climb(needs: Needs, low: float, high: float, step: float = STEP) -> list[Rung]:
    """The rungs for rates from `low` to `high`, each at least a step above the one before."""
    rungs: list[Rung] = []
    rate = low
    step = max(step, (high / low) ** (1.0 / MOST_RUNGS))
    while len(rungs) < MOST_RUNGS:
        try:
            counts = needs.find(rate)
        except OUT_OF_REACH:
            break
        if not rungs or counts != rungs[-1].counts:
            rungs.append(needs.measure(counts, rate))
        if rate >= high:
            break
        rate = min(max(rate * step, rungs[-1].capacity * (1.0 + NEAR)), high)
    return rungs


def find_log(rate: float) -> float:
    """The logarithm of a rate; −inf for 0."""
    return log(rate) if rate > 0.0 else -inf
