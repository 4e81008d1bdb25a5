"""The values that pass between the stages of a decision: the case it looks at, and what a goal proposes."""

from dataclasses import dataclass
from math import inf

from planner.decisions.policy import Policy
from planner.decisions.wait_correction import Correction
from planner.errors import BoundTooSmall, BudgetTooSmall, PlannerError, QuantileUnreachable, TargetUnreachable
from planner.situations.situation import Situation
from planner.values import Estimate

LIMITS = (
    (BudgetTooSmall, "k_max"),
    (BoundTooSmall, "max_processors"),
    (QuantileUnreachable, "target"),
    (TargetUnreachable, "t_max_seconds"),
)


@dataclass(frozen=True, slots=True)
class Reason:
    """A code and a sentence: one step of the argument, or one bound that limits the answer."""

    code: str
    detail: str


@dataclass(frozen=True)
class Case:
    """Everything that a decision looks at.

    `situation` is under the smoothed load. `peak` is under the newest interval's rate, where that is higher. `ahead` is
    under the upper rate of the coming cooldown, where that is higher still; None without a forecast.
    """

    situation: Situation
    peak: Situation
    ahead: Situation | None
    running: list[int]
    policy: Policy
    current: Estimate
    correction: Correction

    @property
    def signal_seconds(self) -> float:
        """E[T] as measured, else as estimated; inf where an operator cannot keep up."""
        measured = self.situation.load.measured_sojourn_seconds
        if not self.current.stable:
            return inf
        return measured if measured is not None else self.current.expected_sojourn_seconds or 0.0


@dataclass(frozen=True)
class Proposal:
    """The processors that a goal asks for, and why.

    `urgent`: the goal is missed, or is about to be, so that the trigger does not count. `is_for_speed`: the only reason
    is a shorter E[T]. `fewest`: with so many the target would be met, where more run and none is given up yet.
    """

    counts: list[int]
    reasons: tuple[Reason, ...]
    constraints: tuple[Reason, ...] = ()
    urgent: bool = False
    is_for_speed: bool = False
    fewest: int | None = None

    @property
    def needed(self) -> int:
        """The processors that the goal takes, which a later scale-down remembers."""
        return sum(self.counts) if self.fewest is None else self.fewest


def describe_signal(case: Case) -> str:
    """The E[T] that the decision looks at, as a clause."""
    if not case.current.stable:
        return "E[T] grows without end"
    measured = case.situation.load.measured_sojourn_seconds
    kind = "estimated" if measured is None else "measured"
    return f"E[T] is {case.signal_seconds:.6g} s as {kind}"


def describe_limit(error: PlannerError) -> Reason:
    """The reason that names the bound which leaves no answer."""
    code = next(code for kind, code in LIMITS if isinstance(error, kind))
    return Reason(code, str(error))
