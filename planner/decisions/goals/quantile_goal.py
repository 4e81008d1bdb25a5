"""Proposals for a target on drawn times: a quantile of a time, or the mean time until external tuples are completed.

Processors are added until external tuples drawn at random meet the target. One draw serves all loads and allocations.
Waits are modelled, with the factors of calibration if the load has them. If the target is the mean completion, the
measured completion replaces the estimate.
"""

from dataclasses import dataclass, replace

from planner.allocation.allocate import allocate_budget
from planner.decisions.case import Case, Proposal
from planner.decisions.wording import Reason, describe_ahead, describe_limit, give_reason
from planner.errors import BoundTooSmall, QuantileUnreachable
from planner.gates.headroom import plan_counts
from planner.situations.situation import Situation
from planner.targets.drawn_target import DrawnTarget, draw_target
from planner.targets.target import is_met
from planner.values import TimeTarget
from planner.wording import write_count, write_rate


@dataclass(frozen=True, slots=True)
class QuantileSizing:
    """The processors of each operator for a target on drawn times, and the bounds that limited them."""

    counts: list[int]
    constraints: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class QuantileGoal:
    """A target on drawn times, with proposals for a target that is missed, met, or met by far."""

    case: Case
    target: DrawnTarget
    seconds: float | None

    @classmethod
    def prepare(cls, case: Case, limit: TimeTarget) -> "QuantileGoal":
        """The goal with the time that tuples take now: measured, else estimated; None if an operator cannot keep up."""
        target = draw_target(case.situation, limit).settle(case.situation, case.running)
        measured = case.situation.load.measured_completion_seconds
        if case.current.stable and limit.quantile is None and measured is not None:
            return cls(case, target, measured)
        return cls(case, target, target.find_seconds(case.situation, case.running))

    @property
    def title(self) -> str:
        """The beginning of a sentence about the present time, such as `The p99 of the time to completion`."""
        return self.target.title

    def find_total(self) -> int:
        """Returns the fewest processors that meet the target at the highest rate to be ready for."""
        return sum(self.size().counts)

    def propose_more(self, why: Reason) -> Proposal:
        """Proposes processors for a target that is or will be missed: at least as many as run."""
        sizing = self.size()
        counts = sizing.counts
        spare = sum(self.case.running) - sum(counts)
        if spare > 0 and not sizing.constraints:
            counts = add_spare(self.case.peak, counts, spare)
        return Proposal(counts, (why, self.describe_draw()), sizing.constraints, urgent=True)

    def propose_ahead(self, why: Reason) -> Proposal | None:
        """Proposes more processors in advance if the target would be missed within the coming cooldown; None: not
        needed.
        """
        ahead = self.case.ahead
        if ahead is None or is_met(self.target, ahead, self.case.running):
            return None
        proposal = self.propose_more(why)
        early = describe_ahead(ahead.load.external_rate, sum(proposal.counts), proposal.constraints)
        return replace(proposal, reasons=(why, early, *proposal.reasons[1:]))

    def propose_same(self, why: Reason) -> Proposal:
        """Proposes the processors that run already."""
        return Proposal(self.case.running, (why,))

    def propose_fewer(self, why: Reason) -> Proposal:
        """Proposes fewer processors, if fewer meet the target at the highest rate to be ready for."""
        sizing, sized = self.size(), self.case.ahead or self.case.peak
        if sum(sizing.counts) < sum(self.case.running):
            return Proposal(sizing.counts, (why, self.describe_draw()), sizing.constraints)
        rate = write_rate(sized.load.external_rate)
        no_fewer = give_reason("no-fewer", total=sum(sizing.counts), rate=rate)
        return Proposal(self.case.running, (why, no_fewer), sizing.constraints)

    def size(self) -> QuantileSizing:
        """Returns the fewest processors for the highest rate to be ready for; if bounds forbid them, the best split
        allowed.

        Raises QuantileUnreachable if no number of processors meets the target, and BudgetTooSmall if k_max is too
        small.
        """
        situation, k_max = self.case.ahead or self.case.peak, self.case.policy.k_max
        total = sum(self.case.running) if k_max is None else k_max
        try:
            counts = self.target.find_fewest(situation)
        except (QuantileUnreachable, BoundTooSmall) as error:
            if isinstance(error, QuantileUnreachable) and not error.bounded:
                raise
            return QuantileSizing(plan_counts(situation, total), (describe_limit(error),))
        if k_max is None or sum(counts) <= k_max:
            return QuantileSizing(counts)
        best = allocate_budget(situation.stations, k_max, situation.names).counts
        return QuantileSizing(best, (give_reason("k_max", total=sum(counts), most=k_max),))

    def describe_draw(self) -> Reason:
        """Returns the reason that states on how many drawn tuples the numbers of processors were tried."""
        return give_reason("target-on-a-draw", roots=write_count(self.target.draw.roots))


def add_spare(situation: Situation, counts: list[int], spare: int) -> list[int]:
    """`counts` with `spare` more processors, added where they shorten E[T] most; this makes no drawn time longer."""
    stations = replace(situation.stations, min_processors=counts)
    return allocate_budget(stations, sum(counts) + spare, situation.names).counts
