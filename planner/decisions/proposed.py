"""What is decided in a case: the proposal of a shared budget, of the economic rule or of the goal, after its rules."""

from planner.decisions.case import Case, Proposal
from planner.decisions.goals.economic_goal import decide_economically
from planner.decisions.goals.proposals import propose
from planner.decisions.limits import limit_change
from planner.decisions.policy import BudgetShare
from planner.decisions.rules import RULES, RULES_OF_SHARES, apply_rules
from planner.decisions.wording import Reason
from planner.economics.choose import WeighedChoice


def propose_decision(case: Case) -> tuple[WeighedChoice | None, Proposal]:
    """What is decided in a case: the share of a budget, the economic rule, or the goal, and what rules make of it."""
    share, policy = case.question.share, case.policy
    weighed = decide_economically(case) if policy.is_economic and share is None else None
    if weighed is not None:
        choice, proposal = weighed
    elif share is not None:
        choice, proposal = None, apply_rules(case, propose_share(case, share), RULES_OF_SHARES)
    else:
        choice, proposal = None, apply_rules(case, propose(case), RULES)
    return choice, limit_change(case, proposal) if policy.is_limited else proposal


def propose_share(case: Case, share: BudgetShare) -> Proposal:
    """The topology's part of a budget that others share, as a proposal."""
    counts = list(share.counts)
    is_for_speed = not share.is_urgent and sum(counts) >= sum(case.running)
    reason = Reason("shared-budget", share.detail)
    found = Proposal(counts, (reason,), urgent=share.is_urgent, is_for_speed=is_for_speed)
    return found.hold() if counts == case.running else found
