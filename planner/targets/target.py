"""The protocol of a target, and the questions that gates, plans and decisions ask about every target.

A target limits one time: E[T] (SojournTarget), or a quantile or the mean of total or completion time
(planner.targets.drawn_target). Code that has a target need not know which kind it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, ulp
from typing import Literal, Protocol, Self

from planner.allocation.allocate import Allocated, allocate_target
from planner.errors import BoundTooSmall, BudgetTooSmall, TargetUnreachable
from planner.situations.situation import Situation
from planner.values import Estimate
from planner.wording import UNBOUNDED, write_seconds, write_seconds_apart

OUT_OF_REACH = (BudgetTooSmall, BoundTooSmall, TargetUnreachable)
"""What a search raises where no allowed number of processors meets a target."""
NEAR_LEAST = 0.25
"""Where no processors meet a target, waits may be longer by this part than the shortest possible ones."""
Place = Literal["target-missed", "within-target", "below-t-min"]


class Target(Protocol):
    """A limit on a time of external tuples, which must not be longer than `seconds`."""

    @property
    def seconds(self) -> float:
        """The longest time that the target allows, in seconds."""

    @property
    def title(self) -> str:
        """The name of the limited time, for the start of a sentence: `E[T]`, `The p99 of the time to completion`."""

    @property
    def field(self) -> str:
        """The name of the field of a request or a policy that holds the limit: `t_max_seconds` or `target`."""

    @property
    def tolerance(self) -> float:
        """The relative error allowed in a search for an external rate, larger where each evaluation takes
        milliseconds.
        """

    def settle(self, situation: Situation, counts: Sequence[int]) -> Self:
        """The target after simulations of these processors under the measured load, which correct drawn waits."""

    def find_seconds(self, situation: Situation, counts: Sequence[int]) -> float | None:
        """The limited time with these processors in seconds; None where an operator cannot keep up."""

    def find_fewest(self, situation: Situation) -> list[int]:
        """The fewest processors found that meet the target; raises TargetUnreachable or BoundTooSmall."""

    def add_spread(self, situation: Situation, counts: Sequence[int], answer: Estimate) -> Estimate:
        """The estimate of these processors, with the spread of the time that the target limits."""


@dataclass(frozen=True, slots=True)
class SojournTarget:
    """A target of E[T], the mean total time of an external tuple, which needs no drawn tuples."""

    seconds: float
    title = "E[T]"
    field = "t_max_seconds"
    tolerance = 0.0

    def settle(self, _situation: Situation, _counts: Sequence[int]) -> "SojournTarget":
        """The unchanged target, since E[T] needs no simulations."""
        return self

    def find_seconds(self, situation: Situation, counts: Sequence[int]) -> float | None:
        """E[T] with these processors in seconds; None where an operator cannot keep up."""
        waits = situation.wait_seconds(counts)
        return None if inf in waits else situation.sum_sojourns(waits)

    def find_fewest(self, situation: Situation) -> list[int]:
        """The fewest processors with which E[T] is within the target."""
        return allocate_fewest(situation, self.seconds).counts

    def add_spread(self, _situation: Situation, _counts: Sequence[int], answer: Estimate) -> Estimate:
        """The unchanged estimate, since E[T] is a mean and has no spread of drawn times."""
        return answer


def allocate_fewest(situation: Situation, t_max_seconds: float) -> Allocated:
    """The fewest processors with E[T] ≤ `t_max_seconds`; where no stream enters, the least stable processors."""
    stations, rate = situation.stations, situation.load.external_rate
    if rate:
        return allocate_target(stations, t_max_seconds, rate, situation.names)
    lower_bound_seconds = situation.find_lower_bound()
    if not t_max_seconds >= lower_bound_seconds:
        raise TargetUnreachable(t_max_seconds, lower_bound_seconds)
    return Allocated(list(stations.min_processors), optimal=True)


def find_nearest(situation: Situation, unreachable: TargetUnreachable) -> float:
    """E[T] that stands for a target out of reach: its waits are near the shortest possible ones."""
    least = unreachable.lower_bound_seconds
    return least + NEAR_LEAST * (least - situation.find_lower_bound())


def find_margin(target: Target, situation: Situation, counts: Sequence[int]) -> float:
    """How far these processors are within the target, 1/seconds − 1/limit: at least 0 where the target is met.

    The margin is smooth and nearly linear in the external rate, which helps a search for a rate.
    """
    seconds = target.find_seconds(situation, counts)
    if seconds is None:
        return -1.0 / target.seconds
    if not seconds > 0.0:
        return 1.0
    return take_sign(1.0 / seconds - 1.0 / target.seconds, holds=seconds <= target.seconds)


def is_met(target: Target, situation: Situation, counts: Sequence[int]) -> bool:
    """Whether the limited time with these processors is within the target."""
    return find_margin(target, situation, counts) >= 0.0


def take_sign(value: float, *, holds: bool) -> float:
    """The value if its sign agrees with `holds` (at least 0 where the target holds), else the nearest number of that
    sign.
    """
    return max(value, 0.0) if holds else min(value, -ulp(0.0))


def compare_seconds(target: Target, seconds: float | None) -> str:
    """Compares an estimate with its target in a clause: `E[T] is 180 ms by the estimate, within the target of 1 s`."""
    if seconds is None or seconds == inf:
        return (
            f"{target.title} grows without limit, as by the estimate an operator cannot keep up: "
            f"{relate_seconds(target, seconds)}"
        )
    found = write_beside(seconds, target.seconds)[0]
    return f"{target.title} is {found} by the estimate, {relate_seconds(target, seconds)}"


def relate_seconds(target: Target, seconds: float | None) -> str:
    """The end of a clause on how a time lies to its target: `within the target of 200 ms`."""
    relation = "within" if seconds is not None and seconds <= target.seconds else "above"
    return f"{relation} the target of {write_beside(seconds, target.seconds)[1]}"


def place_seconds(
    target: Target, seconds: float | None, t_min_seconds: float | None
) -> tuple[Place, str, str]:
    """Whether a time is above the target, below t_min_seconds, or between them, and texts of the time and
    that limit.
    """
    if seconds is None or seconds > target.seconds:
        return "target-missed", *write_beside(seconds, target.seconds)
    if t_min_seconds is not None and seconds < t_min_seconds:
        return "below-t-min", *write_beside(seconds, t_min_seconds)
    return "within-target", *write_beside(seconds, target.seconds)


def write_beside(seconds: float | None, limit_seconds: float) -> tuple[str, str]:
    """The texts of a time and of its limit, with enough digits to show which is longer; None and inf are unbounded."""
    if seconds is None or seconds == inf:
        return UNBOUNDED, write_seconds(limit_seconds)
    return write_seconds_apart(seconds, limit_seconds)
