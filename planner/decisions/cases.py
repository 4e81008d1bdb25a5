"""What a decision looks at, and what its goals propose."""

from dataclasses import dataclass
from math import inf

from planner.decisions.owner_terms import Policy
from planner.decisions.wait_correction import Correction
from planner.errors import BoundTooSmall, BudgetTooSmall, PlannerError, TargetUnreachable
from planner.plans.estimation import Situation
from planner.values import Estimate

LIMITS = (
    (BudgetTooSmall, "k_max"),
    (BoundTooSmall, "max_processors"),
    (TargetUnreachable, "t_max_seconds"),
)


@dataclass(frozen=True, slots=True)
class Reason:
    """One step of the argument, or one bound that cut it short."""

    code: str
    detail: str


@dataclass(frozen=True)
class Case:
    """All that a decision looks at.

    `situation` is under the smoothed load, `peak` under that of the newest interval where it has more, `ahead` under
    the upper rate of the coming cooldown where that is forecast and more still; None without a forecast.
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
    """Processors that one of the goals asks for, and why.

    `urgent`: E[T] is, or is about to be, out of hand: the trigger does not count. `is_for_speed`: only a shorter
    E[T] justifies it.
    """

    counts: list[int]
    reasons: tuple[Reason, ...]
    constraints: tuple[Reason, ...] = ()
    urgent: bool = False
    is_for_speed: bool = False


def describe_signal(case: Case) -> str:
    """What the decision looks at, in a clause."""
    if not case.current.stable:
        return "E[T] grows without end"
    measured = case.situation.load.measured_sojourn_seconds
    kind = "estimated" if measured is None else "measured"
    return f"E[T] is {case.signal_seconds:.6g} s as {kind}"


def describe_limit(error: PlannerError) -> Reason:
    """Which bound leaves no answer."""
    code = next(code for kind, code in LIMITS if isinstance(error, kind))
    return Reason(code, str(error))
