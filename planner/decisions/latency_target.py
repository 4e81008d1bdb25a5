"""DRS's second scheduler: more processors above T_max, fewer below T_min, another split in between.

Modelled waits are corrected by measured ones (planner.decisions.wait_correction). With a forecast of the external rate
the recommendation covers the upper quantile over the coming cooldown. The number recommended never falls when an
interval is measured to take longer. As long as the bounds let the target be met, it does not fall either when the rate
to be ready for is higher or the target is stricter.
"""

from dataclasses import replace

from planner.allocation.allocate import allocate_budget
from planner.decisions.case import Case, Proposal, Reason, describe_limit, describe_signal
from planner.decisions.sizing import (
    Factors,
    Sizing,
    fill_shared,
    find_corrected_sojourn,
    find_factors,
    find_factors_as_measured,
    size_for_target,
    split_total,
)
from planner.errors import BudgetTooSmall
from planner.targets.target import OUT_OF_REACH


def propose_for_target(case: Case) -> Proposal:
    """The processors that the target asks for, and why."""
    policy, signal = case.policy, case.signal_seconds
    assert policy.t_max_seconds is not None
    seen = describe_signal(case)
    if signal > policy.t_max_seconds:
        why = Reason("target-missed", f"{seen}, above t_max_seconds = {policy.t_max_seconds:.6g}.")
        return propose_more(case, why)
    exceeded = policy.t_min_seconds is not None and signal < policy.t_min_seconds
    if exceeded:
        why = Reason("target-exceeded", f"{seen}, below t_min_seconds = {policy.t_min_seconds:.6g}.")
    else:
        why = Reason("within-target", f"{seen}: the number of processors is right.")
    ahead = propose_ahead(case, why)
    if ahead is not None:
        return ahead
    if not exceeded:
        return replace(propose_split(case, why), fewest=find_needed(case))
    try:
        return propose_fewer(case, why)
    except OUT_OF_REACH as error:
        return replace(propose_split(case, why), constraints=(describe_limit(error),))


def propose_more(case: Case, why: Reason) -> Proposal:
    """The proposal for a missed target: at least as many processors as run, even if a better split took fewer."""
    sizing = size_with_ahead(case, find_factors(case))
    reasons = (why, *describe_correction(case, sizing))
    if sizing.total > sum(case.running):
        return Proposal(sizing.counts, reasons, sizing.constraints, urgent=True)
    return insist(case, sizing, reasons)


def insist(case: Case, sizing: Sizing, reasons: tuple[Reason, ...]) -> Proposal:
    """The proposal where as many processors as run should meet the target, and yet it is missed."""
    target, total, correction = case.policy.t_max_seconds, sum(case.running), case.correction
    assert target is not None
    expected = find_corrected_sojourn(sizing, case.running)
    if expected > target or sizing.is_bounded:
        counts = split_total(sizing, total)
        if sum(counts) == total:
            return Proposal(counts, reasons, sizing.constraints, urgent=True)
        return Proposal(case.running, reasons, sizing.constraints)
    if not correction.intervals and not correction.calm:
        detail = (
            "By the model the running processors are enough, and no interval shows how long tuples waited with them: "
            "the excess is taken for waiting, and one more processor is tried."
        )
        k_max = case.policy.k_max
        allowed = total + 1 if k_max is None else max(total, min(total + 1, k_max))
        counts = fill_shared(sizing.situation, allowed) if allowed > total else case.running
        tried = Reason("model-contradicted", detail)
        limits = (
            sizing.constraints if allowed > total else (Reason("k_max", f"k_max = {k_max} allows no more."),)
        )
        more = counts if sum(counts) > total else case.running
        return Proposal(more, (*reasons, tried), limits, urgent=True)
    if correction.calm_missed:
        detail = (
            f"Of the intervals with these processors and hardly any wait, {correction.calm_missed} measured E[T] above "
            "t_max_seconds: more processors would not help."
        )
        return Proposal(case.running, reasons, (Reason("waiting-is-not-it", detail),))
    rate = sizing.situation.load.external_rate
    detail = (
        f"With the waits as measured, E[T] of the running processors is {expected:.6g} s at {rate:.6g} tuples/s: the "
        "target was missed under other processors or a higher rate."
    )
    return Proposal(case.running, (*reasons, Reason("enough-by-now", detail)))


def propose_ahead(case: Case, why: Reason) -> Proposal | None:
    """More processors in advance, where the target would be missed within the coming cooldown; None: not needed."""
    if case.ahead is None:
        return None
    seen, modelled = find_factors_as_measured(case), find_factors(case)
    try:
        sizing = size_with_ahead(case, seen)
        if seen != modelled:  # never more than a target that is missed would get
            sizing = min(sizing, size_with_ahead(case, modelled), key=lambda one: one.total)
    except OUT_OF_REACH:
        return None
    if sizing.total <= sum(case.running):
        return None
    enough = "are what the bounds allow" if sizing.constraints else "take it"
    detail = (
        f"For {case.ahead.load.external_rate:.6g} tuples/s, to be ready for within the coming cooldown, the "
        f"running processors are too few: {sizing.total} processors {enough}."
    )
    reasons = (why, Reason("ahead-of-load", detail), *describe_correction(case, sizing))
    return Proposal(sizing.counts, reasons, sizing.constraints, urgent=True)


def propose_fewer(case: Case, why: Reason) -> Proposal:
    """Fewer processors, where fewer meet the target now and at the rate of the coming cooldown."""
    sizing = size_with_ahead(case, find_factors(case))
    reasons = (why, *describe_correction(case, sizing))
    if sizing.total < sum(case.running):
        return Proposal(sizing.counts, reasons, sizing.constraints)
    rate = sizing.situation.load.external_rate
    detail = f"No fewer than {sizing.total} processors would meet t_max_seconds at {rate:.6g} tuples/s."
    return Proposal(case.running, (*reasons, Reason("no-fewer", detail)), sizing.constraints)


def find_needed(case: Case) -> int | None:
    """The fewest processors for the target, at most what runs; None: not asked for, or out of reach."""
    if not case.policy.scale_down_window_seconds:
        return None
    try:
        return min(size_with_ahead(case, find_factors(case)).total, sum(case.running))
    except OUT_OF_REACH:
        return None


def propose_split(case: Case, why: Reason) -> Proposal:
    """As many processors as run, in their best split."""
    factors = find_factors(case)
    sizing = Sizing(case.running, case.situation, factors, is_own=factors.own is not None)
    counts = split_total(sizing, sum(case.running))
    return Proposal(counts, (why,), is_for_speed=True)


def size_with_ahead(case: Case, factors: Factors) -> Sizing:
    """The sizing for the rate of the coming cooldown; where k_max forbids that, for the rate now with all of k_max."""
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
    """The reason that says by how much the waits were corrected; empty where they were not."""
    correction, factors = case.correction, sizing.factors
    if factors.shared == 1.0 and factors.own is None:
        return ()
    detail = f"In {correction.intervals} intervals the wait was measured {factors.shared:.3g} times as long as modelled"
    if correction.own is not None:
        detail += " with shared queues"
    if factors.own is not None:
        detail += f", {factors.own:.3g} times with a queue for each processor"
        detail += ", which takes more processors" if sizing.is_own else ""
    return (Reason("model-corrected", f"{detail}: the modelled wait is multiplied by that."),)
