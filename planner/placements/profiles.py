"""Task profiles: the rate that one slot sustains, by the number of a task's threads (Shukla and Simmhan, section 5).

I(τ) peak rate, C(τ) cpu, M(τ) memory of τ threads on one slot; τ̂ = argmax I, Î = I(τ̂)
"""

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil, isfinite
from typing import NamedTuple

from planner.placements.errors import InvalidProfile

# Rates are products of selectivities: rounding errors must not add a thread.
RATE_TOLERANCE = 1e-12


class ProfilePoint(NamedTuple):
    """The highest rate, cpu and memory of `threads` threads alone on a slot; cpu and memory are
    fractions of the slot.
    """

    threads: int
    peak_rate: float
    cpu: float
    memory: float


@dataclass(frozen=True)
class Profile:
    """The measured points of a task by ascending threads, beginning with one thread.

    Between measured numbers of threads all values are interpolated linearly. Above the last one its values are used,
    and `is_measured` is false.
    """

    task: str
    points: tuple[ProfilePoint, ...]

    def __post_init__(self) -> None:
        points = tuple(sorted(self.points, key=lambda point: point.threads))
        object.__setattr__(self, "points", points)
        if not points:
            raise InvalidProfile(self.task, "it has no points: measure it with one thread at least.")
        for point in points:
            check_point(self.task, point)
        if points[0].threads != 1:
            raise InvalidProfile(
                self.task,
                "its first row is here, but the last part of a rate may need one thread: measure one thread too.",
                points[0].threads,
                points[0].threads,
            )
        for before, after in pairwise(points):
            if before.threads == after.threads:
                raise InvalidProfile(
                    self.task, "two points have this number of threads: keep one.", after.threads
                )

    @cached_property
    def measured_threads(self) -> list[int]:
        """The numbers of threads at which the task was measured, in ascending order."""
        return [point.threads for point in self.points]

    @cached_property
    def single(self) -> ProfilePoint:
        """The measured point of a single thread."""
        return self.points[0]

    @cached_property
    def best(self) -> ProfilePoint:
        """The measured point with the highest rate; of equal rates the point with the fewest threads."""
        return max(self.points, key=lambda point: (point.peak_rate, -point.threads))

    def is_measured(self, threads: int) -> bool:
        """Returns whether `threads` lies within the measured numbers of threads."""
        return 1 <= threads <= self.points[-1].threads

    def interpolate(self, threads: int) -> ProfilePoint:
        """Rate, cpu and memory of this number of threads; above the largest measured number, those of that number."""
        if threads >= self.points[-1].threads:
            last = self.points[-1]
            return ProfilePoint(threads, last.peak_rate, last.cpu, last.memory)
        above = bisect_left(self.measured_threads, threads)
        right = self.points[above]
        if right.threads == threads:
            return right
        left = self.points[above - 1]
        share = (threads - left.threads) / (right.threads - left.threads)
        return ProfilePoint(
            threads,
            left.peak_rate + share * (right.peak_rate - left.peak_rate),
            left.cpu + share * (right.cpu - left.cpu),
            left.memory + share * (right.memory - left.memory),
        )

    def threads_for(self, rate: float) -> int:
        """The fewest threads on one slot that sustain the rate; if none do, the number with the highest rate."""
        wanted = rate * (1.0 - RATE_TOLERANCE)
        above = next((at for at, point in enumerate(self.points) if point.peak_rate >= wanted), None)
        if above is None:
            return self.best.threads
        right = self.points[above]
        if not above:
            return right.threads
        left = self.points[above - 1]
        slope = (right.peak_rate - left.peak_rate) / (right.threads - left.threads)
        threads = left.threads + max(1, ceil((wanted - left.peak_rate) / slope))
        while threads - 1 > left.threads and self.interpolate(threads - 1).peak_rate >= wanted:
            threads -= 1  # the division was rounded up past an integer
        while threads < right.threads and self.interpolate(threads).peak_rate < wanted:
            threads += 1
        return min(threads, right.threads)


def check_point(task: str, point: ProfilePoint) -> None:
    """Raises InvalidProfile unless the rate is above 0, cpu and memory are at least 0, and memory fits the slot."""
    if point.threads < 1:
        raise InvalidProfile(task, "give a number of threads of at least 1.", point.threads, point.threads)
    if not (isfinite(point.peak_rate) and point.peak_rate > 0.0):
        raise InvalidProfile(
            task,
            f"peak_rate is {point.peak_rate:g}, so these threads would sustain nothing: give a finite rate "
            "above 0, or leave the point out.",
            point.threads,
            point.peak_rate,
        )
    for resource, value in (("cpu", point.cpu), ("memory", point.memory)):
        if not (isfinite(value) and value >= 0.0):
            raise InvalidProfile(
                task,
                f"{resource} is {value:g}: give a finite fraction of one slot, of at least 0.",
                point.threads,
                value,
            )
    if point.memory > 1.0:
        raise InvalidProfile(
            task,
            f"memory is {point.memory:g} of a slot, more than a slot has: give a fraction up to 1 (45% is "
            "0.45), or measure on a larger slot.",
            point.threads,
            point.memory,
        )
