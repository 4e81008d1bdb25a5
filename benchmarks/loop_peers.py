"""The controllers beside which the loop is measured: DS2 and Flink's autoscaler, HPA, KEDA on lag, and static peak.

A controller reads the minutes that were measured and returns the processors to run. None of them knows what comes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil
from statistics import fmean

from benchmarks.loop_platform import Job, Minute

Counts = tuple[int, ...]
Controller = Callable[[Sequence[Minute]], Counts]
CATCH_UP = 1_800.0
"""Seconds in which Flink's autoscaler plans to work a backlog off."""


def find_true_rates(job: Job, minutes: Sequence[Minute]) -> list[float]:
    """The measured services per second of one instance of each operator, as means of the minutes."""
    found = []
    for part in job.parts:
        known = [m.load.operators[part.name].service_rate for m in minutes]
        rates = [one for one in known if one is not None]
        found.append(fmean(rates) if rates else 1.0 / part.service)
    return found


@dataclass
class Ds2:
    """DS2 as in Flink's autoscaler: the processors for a utilisation, from rates of a window.

    Nothing is changed while every operator is within `boundary` of the utilisation, for `settle` minutes after a
    change, and down within `down` minutes of the last change.
    """

    job: Job
    utilisation: float = 0.7
    window: int = 15
    boundary: float = 0.3
    settle: int = 5
    down: int = 60
    changed: int = -10_000

    def __call__(self, minutes: Sequence[Minute]) -> Counts:
        """The processors to run after these minutes."""
        now, here = len(minutes), minutes[-1].counts
        since = now - self.changed
        if now < self.window or since < self.settle + min(self.window, 3):
            return here
        used = minutes[-min(self.window, since) :]
        rate = fmean([m.load.external_rate for m in used])
        wanted, is_outside = [], False
        for i, (mu, visits) in enumerate(zip(find_true_rates(self.job, used), self.job.visits, strict=True)):
            backlog = minutes[-1].load.operators[self.job.parts[i].name].backlog_tuples or 0.0
            asked = rate * visits + backlog / CATCH_UP
            used_part = asked / mu / here[i]
            low, high = self.utilisation - self.boundary, min(1.0, self.utilisation + self.boundary)
            is_outside = is_outside or not low <= used_part <= high
            wanted.append(max(1, ceil(asked / mu / self.utilisation)))
        if not is_outside or (sum(wanted) < sum(here) and since < self.down):
            return here
        if tuple(wanted) != here:
            self.changed = now
        return tuple(wanted)


@dataclass
class Hpa:
    """Kubernetes' HPA for each operator: processors in proportion to utilisation, down by the most of five minutes."""

    job: Job
    utilisation: float
    tolerance: float = 0.1
    window: int = 5
    wished: list[Counts] = field(default_factory=list)

    def wish(self, minute: Minute) -> Counts:
        """The processors that the newest minute asks for."""
        found = []
        for part, count in zip(self.job.parts, minute.counts, strict=True):
            one = minute.load.operators[part.name]
            used = min(1.0, (one.arrival_rate or 0.0) / (one.service_rate or 1.0) / count)
            if (one.backlog_tuples or 0.0) > 10.0 * count:
                used = 1.0
            ratio = used / self.utilisation
            found.append(count if abs(ratio - 1.0) <= self.tolerance else max(1, ceil(count * ratio)))
        return tuple(found)

    def __call__(self, minutes: Sequence[Minute]) -> Counts:
        """The processors to run after these minutes."""
        self.wished.append(self.wish(minutes[-1]))
        recent, here = self.wished[-self.window :], minutes[-1].counts
        most = [max(column) for column in zip(*recent, strict=True)]
        return tuple(
            new if new > old else min(old, top)
            for new, old, top in zip(self.wished[-1], here, most, strict=True)
        )


@dataclass
class KedaOnLag(Hpa):
    """KEDA with a lag threshold: processors in proportion to the tuples that wait."""

    threshold: float = 5.0
    utilisation: float = 1.0

    def wish(self, minute: Minute) -> Counts:
        """The processors that the lag asks for."""
        found = []
        for part, count in zip(self.job.parts, minute.counts, strict=True):
            lag = minute.load.operators[part.name].backlog_tuples or 0.0
            ratio = lag / self.threshold / count
            wanted = max(1, ceil(lag / self.threshold))
            found.append(count if abs(ratio - 1.0) <= self.tolerance else min(2 * count, wanted))
        return tuple(found)


@dataclass
class Static:
    """The same processors all the time."""

    counts: Counts

    def __call__(self, _minutes: Sequence[Minute]) -> Counts:
        """The processors to run."""
        return self.counts
