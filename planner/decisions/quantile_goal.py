"""The goal of a quantile, or of the mean of completion: processors until drawn external tuples meet it.

All loads and all allocations are timed on one draw. Waits are the modelled ones, with the factors of calibration where
the load has them; measured completion stands for the estimate where the target is its mean.
"""

from dataclasses import dataclass, replace

from planner.allocation.allocate import allocate_budget
from planner.decisions.case import Case, Proposal, Reason, describe_limit
from planner.errors import BoundTooSmall, QuantileUnreachable
from planner.gates.verdict import plan_counts
from planner.quantiles.times import TimeTarget
from planner.situations.situation import Situation
from planner.targets.drawn_target import DrawnTarget, draw_target
from planner.targets.target import OUT_OF_REACH, is_met


@dataclass(frozen=True, slots=True)
class QuantileSizing:
    """Processors for a target, and the bounds that limited them."""

    counts: list[int]
    constraints: tuple[Reason, ...] = ()


def propose_for_quantile(case: Case) -> Proposal:
    """The processors that the target asks for, and why."""
    policy, target = case.policy, case.policy.target
    assert target is not None
    limit = draw_target(case.situation, target)  # a target of E[T] is t_max_seconds: owner_terms.Policy
    limit = limit.settle(case.situation, case.running)
    seconds = find_signal(case, limit)
    seen = describe_seconds(target, seconds)
    if seconds is None or seconds > target.seconds:
        why = Reason("target-missed", f"{seen}, above {target.seconds:.6g} s.")
        return propose_enough(case, limit, why)
    if case.ahead is not None and not is_met(limit, case.ahead, case.running):
        rate = case.ahead.load.external_rate
        detail = f"{seen}; at {rate:.6g} tuples/s, to be ready for within the coming cooldown, it is above the target."
        return propose_enough(case, limit, Reason("ahead-of-load", detail))
    if policy.t_min_seconds is None or seconds >= policy.t_min_seconds:
        why = Reason("within-target", f"{seen}: the number of processors is right.")
        return Proposal(case.running, (why,), fewest=find_needed(case, limit))
    why = Reason("target-exceeded", f"{seen}, below t_min_seconds = {policy.t_min_seconds:.6g}.")
    sizing = size_for_quantile(case, limit)
    if sum(sizing.counts) < sum(case.running):
        return Proposal(sizing.counts, (why, describe_draw(limit)), sizing.constraints)
    detail = f"No fewer than {sum(sizing.counts)} processors would meet the target."
    return Proposal(case.running, (why, Reason("no-fewer", detail)), sizing.constraints)


def find_needed(case: Case, limit: DrawnTarget) -> int | None:
    """The fewest processors for the target, at most what runs; None: not asked for, or out of reach."""
    if not case.policy.scale_down_window_seconds:
        return None
    try:
        return min(sum(size_for_quantile(case, limit).counts), sum(case.running))
    except OUT_OF_REACH:
        return None


def find_signal(case: Case, limit: DrawnTarget) -> float | None:
    """What the target limits, as measured, else as estimated; None where an operator cannot keep up."""
    measured = case.situation.load.measured_completion_seconds
    if case.current.stable and limit.target.quantile is None and measured is not None:
        return measured
    return limit.find_seconds(case.situation, case.running)


def describe_seconds(target: TimeTarget, seconds: float | None) -> str:
    """What was found, as a clause."""
    found = "grows without end" if seconds is None else f"is {seconds:.6g} s"
    return f"{target.measured[:1].upper()}{target.measured[1:]} {found}"


def describe_draw(limit: DrawnTarget) -> Reason:
    """Says what the number of processors rests on."""
    roots = limit.drawn.draw.roots if limit.drawn.draw is not None else 0
    detail = (
        f"The processors were searched on {roots:,} external tuples drawn at random, all on the same ones."
    )
    return Reason("target-on-a-draw", detail)


def propose_enough(case: Case, limit: DrawnTarget, why: Reason) -> Proposal:
    """The proposal for a target that is missed, or will be: at least as many processors as run."""
    sizing = size_for_quantile(case, limit)
    counts = sizing.counts
    spare = sum(case.running) - sum(counts)
    if spare > 0 and not sizing.constraints:
        counts = add_spare(case.peak, counts, spare)
    return Proposal(counts, (why, describe_draw(limit)), sizing.constraints, urgent=True)


def add_spare(situation: Situation, counts: list[int], spare: int) -> list[int]:
    """The counts with so many more processors, where they shorten E[T] most: no drawn time gets longer."""
    stations = replace(situation.stations, min_processors=counts)
    return allocate_budget(stations, sum(counts) + spare, situation.names).counts


def size_for_quantile(case: Case, limit: DrawnTarget) -> QuantileSizing:
    """The fewest processors for the rate to be ready for; where bounds forbid them, the best split that they allow.

    Raises QuantileUnreachable where no number of processors meets the target, and BudgetTooSmall.
    """
    situation, k_max = case.ahead or case.peak, case.policy.k_max
    total = sum(case.running) if k_max is None else k_max
    try:
        counts = limit.find_fewest(situation)
    except (QuantileUnreachable, BoundTooSmall) as error:
        if isinstance(error, QuantileUnreachable) and not error.bounded:
            raise
        return QuantileSizing(plan_counts(situation, total), (describe_limit(error),))
    if k_max is None or sum(counts) <= k_max:
        return QuantileSizing(counts)
    detail = (
        f"The target takes {sum(counts)} processors, k_max allows {k_max}: its best split misses the target."
    )
    return QuantileSizing(
        allocate_budget(situation.stations, k_max, situation.names).counts, (Reason("k_max", detail),)
    )
