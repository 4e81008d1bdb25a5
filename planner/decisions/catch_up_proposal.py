"""A proposal with the processors that a backlog takes: never fewer than without it, the rest of k_max as proposed."""

from collections.abc import Sequence
from dataclasses import replace

from planner.decisions.case import Case, Proposal, Reason
from planner.decisions.catch_up import Backlog, CatchUp, CatchUpTerms, find_backlog, plan_catch_up


def lift_proposal(case: Case, proposal: Proposal, terms: CatchUpTerms | None) -> Proposal:
    """The proposal with at least the processors that have the work done in time; the rest of k_max as proposed."""
    backlog = find_backlog(case.peak)
    if backlog is None or terms is None:
        return proposal
    planned = plan_catch_up(case.peak, backlog, terms.find_seconds(), case.policy.k_max)
    limits = proposal.constraints
    if planned is None or planned.is_bounded:
        limits = (*limits, describe_bound(backlog, planned, terms))
    if planned is None:
        return replace(proposal, constraints=limits)
    is_short = any(floor > runs for floor, runs in zip(planned.floors, case.running, strict=True))
    counts = lift_counts(case, proposal, planned.floors, is_short=is_short)
    if counts == proposal.counts and not is_short:
        return replace(proposal, constraints=limits)
    within = terms.find_seconds() if planned.seconds is None else planned.seconds
    detail = (
        f"{backlog.tuples:.6g} tuples wait: to work them off within {within:.6g} s takes at least "
        f"{describe_floors(case, planned.floors)}."
    )
    return replace(
        proposal,
        counts=counts,
        reasons=(*proposal.reasons, Reason("catch-up", detail)),
        constraints=limits,
        urgent=proposal.urgent or is_short,
        fewest=None,
        is_for_speed=proposal.is_for_speed and not is_short,
    )


def lift_counts(case: Case, proposal: Proposal, floors: Sequence[int], *, is_short: bool) -> list[int]:
    """The proposed counts where these and what runs reach the floors; else what is wanted with them, within k_max.

    What runs is given back after the work is done: until then the floors fall with every interval. So a proposal of no
    more processors than run, which nothing urges, counts as one for what runs.
    """
    if not is_short and all(count >= floor for count, floor in zip(proposal.counts, floors, strict=True)):
        return proposal.counts
    grows = proposal.urgent or sum(proposal.counts) > sum(case.running)
    wanted = proposal.counts if grows else case.running
    counts = [max(three) for three in zip(wanted, floors, case.running, strict=True)]
    k_max = case.policy.k_max
    if k_max is None or sum(counts) <= max(k_max, sum(wanted)):
        return counts
    return give_up(wanted, floors, max(k_max, sum(wanted)))


def give_up(wanted: Sequence[int], floors: Sequence[int], k_max: int) -> list[int]:
    """The floors, and what is left of k_max where most is wanted above them."""
    counts = list(floors)
    left = k_max - sum(counts)
    above = [max(want - floor, 0) for want, floor in zip(wanted, floors, strict=True)]
    for i in sorted(range(len(counts)), key=lambda i: -above[i]):
        more = min(above[i], left)
        counts[i] += more
        left -= more
    return counts


def describe_bound(backlog: Backlog, planned: CatchUp | None, terms: CatchUpTerms) -> Reason:
    """The constraint that bounds, or the time of one service, make catching up take longer than asked for."""
    if planned is None or planned.seconds is None:
        detail = f"{backlog.tuples:.6g} tuples wait, and no allocation within the bounds works them off."
        return Reason("catch-up-impossible", detail)
    detail = (
        f"The backlog takes {planned.seconds:.6g} s, longer than the {terms.find_seconds():.6g} s of catch_up_seconds "
        "that are left: bounds (max_processors, max_parallelism, k_max) or the time of one service allow no less."
    )
    return Reason("catch-up-bounded", detail)


def describe_floors(case: Case, floors: Sequence[int]) -> str:
    """`a 3, b 5`: the operators that need more than what runs, or all; at most ten are listed."""
    pairs = list(zip(case.situation.names, floors, case.running, strict=True))
    short = [(name, floor) for name, floor, runs in pairs if floor > runs] or [
        (name, one) for name, one, _ in pairs
    ]
    listed = ", ".join(f"{name} {floor}" for name, floor in short[:10])
    return listed + (f" and {len(short) - 10} more" if len(short) > 10 else "")
