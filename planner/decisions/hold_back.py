"""The rules of a policy that hold a change back, and what a change is called."""

from collections.abc import Sequence
from typing import Literal

from planner.decisions.case import Case, Proposal, Reason
from planner.decisions.policy import LastChange, Policy
from planner.decisions.scale_down import keep_running
from planner.situations.estimate import assess_counts
from planner.values import Load

Action = Literal["hold", "scale_up", "scale_down", "rebalance"]


def hold_back(  # noqa: PLR0917 - what the rules look at
    case: Case,
    proposal: Proposal,
    wanted: Action,
    cooldown_left: float,
    change: float | None,
    wanted_before: int | None,
) -> tuple[Reason, ...]:
    """The rule that forbids the change, the first that applies; empty without one."""
    if wanted == "hold":
        return (
            (Reason("at-optimum", "The running processors are what the goal asks for."),)
            if not proposal.constraints
            else ()
        )
    if cooldown_left > 0.0:
        detail = f"The last change is too recent: {cooldown_left:.6g} s of cooldown_seconds are left."
        return (Reason("cooldown", detail),)
    policy = case.policy
    if not proposal.urgent and change is not None and abs(change) < policy.trigger:
        detail = (
            f"The external rate changed by {change:+.1%} since the last change, less than trigger = "
            f"{policy.trigger:.6g}."
        )
        return (Reason("trigger", detail),)
    kept = keep_running(case, proposal, wanted_before) if wanted == "scale_down" else None
    found = kept or find_little_gain(case, proposal)
    return (found,) if found else ()


def find_little_gain(case: Case, proposal: Proposal) -> Reason | None:
    """Why a change for speed alone is not worth it; None: it is, or it has another purpose."""
    policy = case.policy
    if proposal.urgent or not proposal.is_for_speed:
        return None
    before = case.current.expected_sojourn_seconds
    after = assess_counts(case.situation, proposal.counts).expected_sojourn_seconds
    if before is not None and after is not None and before - after <= policy.least_gain * before:
        detail = (
            f"E[T] would go from {before:.6g} s to {after:.6g} s, which is no more than least_gain = "
            f"{policy.least_gain:.6g} of it."
        )
        return Reason("gain-too-small", detail)
    return None


def name_action(running: Sequence[int], counts: Sequence[int]) -> Action:
    """The action that leads from the running to the wanted processors."""
    if list(running) == list(counts):
        return "hold"
    more = sum(counts) - sum(running)
    return "scale_up" if more > 0 else "scale_down" if more < 0 else "rebalance"


def find_cooldown(policy: Policy, last: LastChange | None) -> float:
    """The seconds that are left of the cooldown since the last change (DRS's T_ra)."""
    return max(0.0, policy.cooldown_seconds - last.seconds_ago) if last else 0.0


def find_rate_change(load: Load, last: LastChange | None) -> float | None:
    """The relative change of the external rate since the last change; None without one."""
    if last is None or not last.external_rate:
        return None
    return load.external_rate / last.external_rate - 1.0
