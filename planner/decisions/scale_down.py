"""When processors are given up: not before decisions have done without them for a while, and not a few at a time.

Each decision wants a number of processors for its goal. A scale-down goes to the largest number that decisions of the
last `scale_down_window_seconds` wanted, as Kubernetes' HorizontalPodAutoscaler does with stabilizationWindowSeconds,

    recommended = max( wanted now, max { wanted_j : decision j in the window } )    and no more than what runs

and it is not made where it gives up a smaller part than `least_saving` of what runs. What is urgent is never held back.
Both rules map more wanted processors to no fewer recommended ones: more load never takes fewer.
"""

from dataclasses import replace

from planner.allocation.allocate import allocate_budget
from planner.decisions.case import Case, Proposal, Reason
from planner.errors import BoundTooSmall, BudgetTooSmall


def lift_to_wanted(case: Case, proposal: Proposal, wanted_before: int | None) -> Proposal:
    """The proposal to give processors up, with at least as many as decisions of the window wanted."""
    total, running = sum(proposal.counts), sum(case.running)
    if wanted_before is None or proposal.urgent or not total < wanted_before < running:
        return proposal
    counts = add_best(case, proposal.counts, wanted_before)
    detail = (
        f"The goal takes {total} processors now. It took {wanted_before} within the last "
        f"{case.policy.scale_down_window_seconds:.6g} s (scale_down_window_seconds): as many are kept."
    )
    return replace(proposal, counts=counts, reasons=(*proposal.reasons, Reason("scale-down-window", detail)))


def add_best(case: Case, counts: list[int], total: int) -> list[int]:
    """The counts with so many more processors that they are `total`, where they shorten E[T] most; or what runs."""
    situation = case.ahead or case.peak
    stations = replace(situation.stations, min_processors=counts)
    try:
        added = allocate_budget(stations, total, situation.names).counts
    except (BoundTooSmall, BudgetTooSmall):  # the goal is out of reach within the bounds
        return case.running
    # Processors that shorten nothing are not allocated: what runs is kept then, since fewer were not wanted.
    return added if sum(added) == total else case.running


def keep_running(case: Case, proposal: Proposal, wanted_before: int | None) -> Reason | None:
    """Why processors are not given up although the goal takes fewer; None: they are."""
    if proposal.urgent:
        return None
    policy, running = case.policy, sum(case.running)
    if wanted_before is not None and wanted_before >= running:
        detail = (
            f"The goal takes fewer processors now, but {wanted_before} within the last "
            f"{policy.scale_down_window_seconds:.6g} s (scale_down_window_seconds)."
        )
        return Reason("scale-down-window", detail)
    saved = running - sum(proposal.counts)
    if saved / running >= policy.least_saving:
        return None
    detail = (
        f"{saved} of {running} processors could be given up, less than the part least_saving = "
        f"{policy.least_saving:.6g}."
    )
    return Reason("saving-too-small", detail)
