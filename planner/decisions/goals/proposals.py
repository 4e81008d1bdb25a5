"""The proposals of all goals: a target of time, room in each instance, the least cost of queues and processors, or the
best split of k_max.

A target follows the second scheduler of DRS (section IV): more processors if the target is missed, fewer if the time is
below t_min_seconds, else another split. The goal k_max alone follows the first scheduler of DRS, the goal beta
Algorithm 1 of Es-Stream. The goals of a utilisation and of a backlog are in capacity_goal.

For a target of E[T] modelled waits are corrected by measured ones, and with a forecast of the external rate the
recommendation covers the upper quantile over the coming cooldown. The number recommended never falls when an interval
is measured to take longer. As long as the bounds let the target be met, it does not fall either when the rate to be
ready for is higher or the target is stricter.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from planner.allocation.allocate import allocate_budget
from planner.decisions.case import Case, Proposal
from planner.decisions.goals.capacity_goal import propose_for_backlog, propose_for_utilisation
from planner.decisions.goals.quantile_goal import QuantileGoal
from planner.decisions.goals.sizing import (
    Factors,
    Sizing,
    fill_shared,
    find_corrected_sojourn,
    find_factors,
    find_factors_as_measured,
    size_for_target,
    split_total,
)
from planner.decisions.policy import Goal
from planner.decisions.wording import (
    Reason,
    describe_ahead,
    describe_limit,
    describe_lower_limit,
    describe_overload,
    give_reason,
)
from planner.errors import BudgetTooSmall
from planner.plans.tradeoff import tradeoff
from planner.targets.target import OUT_OF_REACH, SojournTarget, place_seconds
from planner.values import TimeTarget
from planner.wording import UNBOUNDED, join_counts, write_counted, write_factor, write_rate, write_seconds


@dataclass(frozen=True)
class SojournGoal:
    """A target of E[T], the mean time of a tuple in the topology, with the proposals for this target.

    There is a proposal for a missed target, for a target that is met, and for a target that is met by far.
    """

    case: Case
    target: SojournTarget

    @classmethod
    def prepare(cls, case: Case, limit: TimeTarget) -> "SojournGoal":
        """Returns the goal of a case whose policy limits E[T] by t_max_seconds."""
        return cls(case, SojournTarget(limit.seconds))

    @property
    def seconds(self) -> float:
        """The present time E[T] of a tuple: as measured, else as estimated; inf if an operator cannot keep up."""
        return self.case.signal_seconds

    @property
    def title(self) -> str:
        """The beginning of a sentence about the present time, such as `The measured E[T]`."""
        return self.case.signal_title

    def find_total(self) -> int:
        """Returns the fewest processors that meet the target at the highest rate to be ready for."""
        return size_with_ahead(self.case, find_factors(self.case)).total

    def propose_more(self, why: Reason) -> Proposal:
        """Proposes processors for a missed target: at least as many as run, even if a better split needs fewer."""
        sizing = size_with_ahead(self.case, find_factors(self.case))
        reasons = (why, *describe_correction(self.case, sizing))
        if sizing.total > sum(self.case.running):
            return Proposal(sizing.counts, reasons, sizing.constraints, urgent=True)
        return explain_miss(self.case, sizing, reasons)

    def propose_ahead(self, why: Reason) -> Proposal | None:
        """Proposes more processors in advance if the target would be missed within the coming cooldown; None: not
        needed.
        """
        case = self.case
        if case.ahead is None:
            return None
        measured, modelled = find_factors_as_measured(case), find_factors(case)
        try:
            sizing = size_with_ahead(case, measured)
            if measured != modelled:  # never more than for a missed target
                sizing = min(sizing, size_with_ahead(case, modelled), key=lambda one: one.total)
        except OUT_OF_REACH:
            return None
        if sizing.total <= sum(case.running):
            return None
        early = describe_ahead(case.ahead.load.external_rate, sizing.total, sizing.constraints)
        reasons = (why, early, *describe_correction(case, sizing))
        return Proposal(sizing.counts, reasons, sizing.constraints, urgent=True)

    def propose_same(self, why: Reason) -> Proposal:
        """Proposes as many processors as run, in the split with the least E[T]."""
        factors, running = find_factors(self.case), self.case.running
        sizing = Sizing(running, self.case.situation, factors, is_own=factors.own is not None)
        return Proposal(split_total(sizing, sum(running)), (why,), is_for_speed=True)

    def propose_fewer(self, why: Reason) -> Proposal:
        """Proposes fewer processors, if fewer meet the target now and at the rate forecast for the coming cooldown."""
        try:
            sizing = size_with_ahead(self.case, find_factors(self.case))
        except OUT_OF_REACH as error:
            return replace(self.propose_same(why), constraints=(describe_limit(error),))
        reasons = (why, *describe_correction(self.case, sizing))
        if sizing.total < sum(self.case.running):
            return Proposal(sizing.counts, reasons, sizing.constraints)
        rate = write_rate(sizing.situation.load.external_rate)
        no_fewer = give_reason("no-fewer", total=sizing.total, rate=rate)
        return Proposal(self.case.running, (*reasons, no_fewer), sizing.constraints)


def explain_miss(case: Case, sizing: Sizing, reasons: tuple[Reason, ...]) -> Proposal:
    """Returns the proposal for a missed target that, by the model, the running number of processors should meet."""
    target, total, correction = case.policy.t_max_seconds, sum(case.running), case.correction
    assert target is not None
    expected = find_corrected_sojourn(sizing, case.running)
    if expected > target or sizing.is_bounded:
        counts = split_total(sizing, total)
        if sum(counts) == total:
            return Proposal(counts, reasons, sizing.constraints, urgent=True)
        return Proposal(case.running, reasons, sizing.constraints)
    if not correction.intervals and not correction.calm:
        return try_one_more(case, sizing, reasons)
    if correction.calm_missed:
        intervals = write_counted(correction.calm_missed, "interval")
        return Proposal(case.running, reasons, (give_reason("waiting-is-not-it", intervals=intervals),))
    rate = write_rate(sizing.situation.load.external_rate)
    enough = give_reason("enough-by-now", expected=write_seconds(expected), rate=rate)
    return Proposal(case.running, (*reasons, enough))


def try_one_more(case: Case, sizing: Sizing, reasons: tuple[Reason, ...]) -> Proposal:
    """Proposes one more processor, within k_max, so that the next measurement shows whether waiting caused the miss."""
    k_max, total, limits = case.policy.k_max, sum(case.running), sizing.constraints
    counts = case.running
    if k_max is None or total < k_max:
        counts = fill_shared(sizing.situation, total + 1)
    else:
        limits = (give_reason("k_max", "k_max-full", most=k_max),)
    more = counts if sum(counts) > total else case.running
    return Proposal(more, (*reasons, give_reason("model-contradicted")), limits, urgent=True)


def size_with_ahead(case: Case, factors: Factors) -> Sizing:
    """Returns the processors for the rate forecast for the coming cooldown.

    If this rate needs more than k_max, returns the processors for the present rate with all of k_max.
    """
    if case.ahead is None:
        return size_for_target(case, case.peak, factors)
    try:
        return size_for_target(case, case.ahead, factors)
    except OUT_OF_REACH as error:
        sizing = size_for_target(case, case.peak, factors)
        limit = describe_limit(error)
        if isinstance(error, BudgetTooSmall) and case.policy.k_max is not None:
            counts = allocate_budget(case.peak.stations, case.policy.k_max, case.peak.names).counts
            sizing = replace(sizing, counts=counts)
        return replace(sizing, constraints=(*sizing.constraints, limit))


def describe_correction(case: Case, sizing: Sizing) -> tuple[Reason, ...]:
    """The reason that states how far measured waits differ from modelled ones; empty if waits are not corrected."""
    correction, factors = case.correction, sizing.factors
    if factors.shared == 1.0 and factors.own is None:
        return ()
    intervals, factor = write_counted(correction.intervals, "interval"), write_factor(factors.shared)
    if factors.own is None and factor == "1 times":
        return ()
    if factors.own is None:
        return (give_reason("model-corrected", intervals=intervals, factor=factor),)
    chosen = "the second, which needs more" if sizing.is_own else "the first, which needs more"
    own = write_factor(factors.own)
    parts = {"intervals": intervals, "factor": factor, "own_factor": own, "chosen": chosen}
    return (give_reason("model-corrected", "model-corrected-own", **parts),)


def describe_optimum(case: Case, proposal: Proposal) -> Reason:
    """Returns the reason that no other processors are better; within the target only other splits were compared."""
    limit = case.policy.limit
    if limit is None or not proposal.reasons or proposal.reasons[0].code != "within-target":
        return give_reason("at-optimum")
    lower = describe_lower_limit(case.policy.t_min_seconds)
    split = ". The split that runs is already the best one" if limit.is_expected_sojourn else ""
    return give_reason("at-optimum", "at-optimum-within", lower=lower[0].upper() + lower[1:], split=split)


def propose(case: Case) -> Proposal:
    """Returns the proposal of the policy's goal; if bounds forbid the goal, the running processors and the bound."""
    try:
        return GOALS[case.policy.goal](case)
    except OUT_OF_REACH as error:
        is_over = isinstance(error, BudgetTooSmall)
        return Proposal(case.running, (), (describe_limit(error),), is_over_budget=is_over)


def propose_for_target(case: Case) -> Proposal:
    """Proposes more processors if the target is or will be missed, and fewer if the time is below t_min_seconds."""
    limit = case.policy.limit
    assert limit is not None
    goal = (SojournGoal if limit.is_expected_sojourn else QuantileGoal).prepare(case, limit)
    code, found, beside = place_seconds(goal.target, goal.seconds, case.policy.t_min_seconds)
    why = give_reason(code, time=goal.title, found=found, limit=beside)
    if code == "target-missed":
        is_overload = found == UNBOUNDED
        return goal.propose_more(describe_missed_overload(case, goal, beside) if is_overload else why)
    now = (
        give_reason(code, f"{code}-now", time=goal.title, found=found, limit=beside)
        if code == "below-t-min"
        else why
    )
    ahead = goal.propose_ahead(now)
    if ahead is not None:
        return ahead
    if code == "below-t-min":
        return goal.propose_fewer(why)
    return replace(goal.propose_same(why), fewest=find_needed(case, goal))


def describe_missed_overload(case: Case, goal: SojournGoal | QuantileGoal, limit: str) -> Reason:
    """The reason that the target is missed because an operator cannot keep up."""
    is_mean = isinstance(goal, SojournGoal)
    measured = case.situation.load.measured_sojourn_seconds if is_mean else None
    overload = describe_overload(goal.title.replace("The ", "the ", 1), measured)
    return give_reason("target-missed", "target-missed-overload", overload=overload, limit=limit)


def find_needed(case: Case, goal: SojournGoal | QuantileGoal) -> int | None:
    """The fewest processors for the target, at most as many as run; None if none are needed or bounds forbid it."""
    if not case.policy.scale_down_window_seconds:
        return None
    try:
        return min(goal.find_total(), sum(case.running))
    except OUT_OF_REACH:
        return None


def propose_best_split(case: Case) -> Proposal:
    """Proposes the split of k_max processors with the least E[T] (the first scheduler of DRS)."""
    assert case.policy.k_max is not None
    stations, names = case.situation.stations, case.situation.names
    counts = allocate_budget(stations, case.policy.k_max, names).counts
    is_over = sum(case.running) > case.policy.k_max
    why = give_reason(
        "best-split",
        signal=case.signal_sentence,
        total=case.policy.k_max,
        counts=join_counts(list(zip(names, counts, strict=True))),
    )
    return Proposal(counts, (why,), urgent=is_over or not case.current.stable, is_for_speed=True)


def propose_tradeoff(case: Case) -> Proposal:
    """Proposes for every operator, upstream first, the best tradeoff of processors and queue (Algorithm 1 of
    Es-Stream).
    """
    assert case.policy.beta is not None
    situation = case.situation
    plan = tradeoff(situation.topology, situation.load, case.policy.beta, case.policy.model)
    why = give_reason("tradeoff", counts=join_counts(list(plan.processors.items())))
    throttled = tuple(
        [Reason(one.code, one.detail) for one in plan.estimate.diagnostics if one.code == "throttled"]
    )
    return Proposal(list(plan.processors.values()), (why,), throttled, urgent=not case.current.stable)


GOALS: Mapping[Goal, Callable[[Case], Proposal]] = {
    "latency-target": propose_for_target,
    "utilisation": propose_for_utilisation,
    "backlog": propose_for_backlog,
    "tradeoff": propose_tradeoff,
    "best-split": propose_best_split,
}
