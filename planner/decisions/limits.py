"""What an owner forbids or demands whatever the rule says: no change now, small steps, and processors of a schedule.

An excluded time holds every change. Else each operator grows or shrinks by the largest step at most, and has at least
the processors of the schedules in force, which also count where the rule would hold.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, floor

from planner.decisions.case import Case, Proposal
from planner.decisions.policy import MaxStep
from planner.decisions.wording import give_reason
from planner.wording import join_counts, write_factor

ROUNDING = 1e-9


def limit_change(case: Case, proposal: Proposal) -> Proposal:
    """The proposal within what the owner allows now."""
    limited = bring_within(case, proposal)
    if case.policy.is_excluded and not limited.is_held:
        return proposal.hold(give_reason("excluded"))
    return limited


def bring_within(case: Case, proposal: Proposal) -> Proposal:
    """The proposal within the largest step and with the processors of the schedules."""
    policy = case.policy
    counts = case.running if proposal.is_held else proposal.recommended
    reasons = proposal.reasons
    stepped = limit_steps(counts, case.running, policy.max_step)
    if stepped != counts and policy.max_step is not None:
        up, down = write_factor(policy.max_step.up), write_factor(policy.max_step.down)
        reasons += (give_reason("max-step", up=up, down=down),)
    raised = raise_to_floors(case, stepped)
    if raised != stepped:
        names = case.situation.names
        lifted = [(name, most) for name, few, most in zip(names, stepped, raised, strict=True) if most > few]
        reasons += (give_reason("schedule", counts=join_counts(lifted)),)
    if raised == counts:
        return proposal
    return replace(proposal, kept=raised, reasons=reasons, is_held=raised == case.running, moves=None)


def limit_steps(counts: Sequence[int], running: Sequence[int], step: MaxStep | None) -> list[int]:
    """The counts, none of them further from what runs than one step; a step is at least one processor."""
    if step is None:
        return list(counts)
    limited = []
    for count, now in zip(counts, running, strict=True):
        most = max(now + 1, floor(step.up * now + ROUNDING))
        least = min(now - 1, ceil(step.down * now - ROUNDING))
        limited.append(min(max(count, least), most))
    return limited


def raise_to_floors(case: Case, counts: Sequence[int]) -> list[int]:
    """The counts, at least those of the schedules in force, as far as bounds allow."""
    raised = []
    for operator, count in zip(case.situation.topology.operators, counts, strict=True):
        least = case.policy.floors.get(operator.name, 0)
        raised.append(max(count, least if operator.ceiling is None else min(least, operator.ceiling)))
    return raised
