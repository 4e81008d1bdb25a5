"""The course of a job over stored intervals with processors that need not have run: modelled times, backlog, late time.

A change stops the job for a pause, in which all arrivals wait. Afterwards, as in an overload, the number of waiting
external tuples w follows a fluid with the external rate λ and the rate s at which the busiest instance is full:

    dw/dt = λ in a pause, λ − s after it, w ≥ 0;   mean time = E[T] + (mean of w)/λ   (Little's law)

An interval is late as a whole if its mean time is above the target, else for the time of its pause.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from planner.economics.needs import Needs
from planner.situations.situation import Situation
from planner.targets.target import Target

HOUR = 3600.0


@dataclass(frozen=True)
class Ground:
    """One interval, whatever runs in it: its load, the target (None: the policy has none), and its length.

    `correction` is the factor of modelled waits that measurements of this time ask for.
    """

    situation: Situation
    target: Target | None
    correction: float
    seconds: float

    @property
    def rate(self) -> float:
        """The external rate."""
        return self.situation.load.external_rate

    def find_seconds(self, counts: Sequence[int]) -> float | None:
        """The modelled time that the target limits, else E[T]; None where an operator cannot keep up."""
        if self.target is not None and self.target.field != "t_max_seconds":
            return self.target.find_seconds(self.situation, counts)
        speed = Needs(self.situation, 1.0).find_speed(counts, self.rate)
        service = self.situation.find_lower_bound()
        return service + self.correction * (1.0 / speed - service) if speed else None

    def find_full(self, counts: Sequence[int]) -> tuple[float, ...]:
        """The external rate at which the busiest instance of each operator is full."""
        return Needs(self.situation, 1.0).find_full(counts, self.rate)


@dataclass(frozen=True, slots=True)
class Ran:
    """How one interval ran: the mean time of its tuples, and the tuples that waited at its end at each operator."""

    seconds: float
    backlog: tuple[float, ...]


@dataclass
class Course:
    """A job from interval to interval, with the sums of what it cost."""

    counts: tuple[int, ...]
    pause_seconds: float
    waiting: float = 0.0
    paused: float = 0.0
    """The seconds of a pause that are still to come."""
    total_seconds: float = 0.0
    late_seconds: float = 0.0
    processor_seconds: float = 0.0
    changes: int = 0

    @property
    def processor_hours(self) -> float:
        """The processor-hours of all intervals."""
        return self.processor_seconds / HOUR

    def run(self, ground: Ground, counts: Sequence[int]) -> Ran:
        """Runs one interval with these processors, after the pause of a change if others ran before."""
        if tuple(counts) != self.counts:
            self.counts = tuple(counts)
            self.changes += 1
            self.paused = self.pause_seconds
        length, rate = ground.seconds, ground.rate
        pause = min(self.paused, length)
        self.paused -= pause
        full = ground.find_full(counts)
        spare = min(full) - rate
        before, peak = self.waiting, self.waiting + rate * pause
        running = length - pause
        busy = min(running, peak / spare) if spare > 0.0 else running
        self.waiting = max(0.0, peak - spare * busy) if rate else 0.0
        waited = 0.5 * (pause * (before + peak) + busy * (peak + self.waiting))
        modelled = ground.find_seconds(counts)
        base = ground.situation.find_lower_bound() if modelled is None else modelled
        seconds = base + (waited / length / rate if rate else 0.0)
        target = ground.target
        is_late = target is not None and rate > 0.0 and (modelled is None or seconds > target.seconds)
        self.total_seconds += length
        self.late_seconds += length if is_late else pause
        self.processor_seconds += sum(counts) * length
        busiest = full.index(min(full))
        visits = enumerate(ground.situation.flow.visits)
        return Ran(seconds, tuple([self.waiting * one if at == busiest else 0.0 for at, one in visits]))
