"""What a goal proposes: a target of time, the least cost of queues and processors, or the best split of k_max.

A target is DRS's second scheduler (section IV): more processors where it is missed, fewer where the time is below
t_min_seconds, another split in between. A budget is its first scheduler. A weight is Es-Stream's Algorithm 1.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from planner.allocation.allocate import allocate_budget
from planner.decisions.case import Case, Proposal, Reason, describe_limit, describe_signal
from planner.decisions.policy import Goal
from planner.decisions.quantile_goal import QuantileGoal
from planner.decisions.sojourn_goal import SojournGoal
from planner.errors import BudgetTooSmall
from planner.plans.tradeoff import tradeoff
from planner.targets.target import OUT_OF_REACH, place_seconds
from planner.wording import join_counts, write_number


def propose(case: Case) -> Proposal:
    """What the goal asks for; where that is out of reach, what runs, with the bound that forbids more."""
    try:
        return GOALS[case.policy.goal](case)
    except OUT_OF_REACH as error:
        is_over = isinstance(error, BudgetTooSmall)
        return Proposal(case.running, (), (describe_limit(error),), is_over_budget=is_over)


def propose_for_target(case: Case) -> Proposal:
    """More processors above the target, fewer below t_min_seconds, and what the coming cooldown needs."""
    limit = case.policy.limit
    assert limit is not None
    goal = (SojournGoal if limit.is_expected_sojourn else QuantileGoal).prepare(case, limit)
    code, clause = place_seconds(goal.target, goal.seconds, case.policy.t_min_seconds, goal.basis)
    why = Reason(code, f"{clause}.")
    if code == "target-missed":
        return goal.propose_more(why)
    ahead = goal.propose_ahead(why)
    if ahead is not None:
        return ahead
    if code == "below-t-min":
        return goal.propose_fewer(why)
    return replace(goal.propose_same(why), fewest=find_needed(case, goal))


def find_needed(case: Case, goal: SojournGoal | QuantileGoal) -> int | None:
    """The fewest processors for the target, at most what runs; None: not asked for, or out of reach."""
    if not case.policy.scale_down_window_seconds:
        return None
    try:
        return min(goal.find_total(), sum(case.running))
    except OUT_OF_REACH:
        return None


def propose_best_split(case: Case) -> Proposal:
    """DRS's first scheduler: the best split of k_max."""
    assert case.policy.k_max is not None
    stations, names = case.situation.stations, case.situation.names
    counts = allocate_budget(stations, case.policy.k_max, names).counts
    is_over = sum(case.running) > case.policy.k_max
    listed = join_counts(list(zip(names, counts, strict=True)))
    why = Reason("best-split", f"{describe_signal(case)}; the best split of k_max is {listed}.")
    return Proposal(counts, (why,), urgent=is_over or not case.current.stable, is_for_speed=True)


def propose_tradeoff(case: Case) -> Proposal:
    """Es-Stream's Algorithm 1 at every operator, upstream first."""
    assert case.policy.beta is not None
    situation = case.situation
    plan = tradeoff(situation.topology, situation.load, case.policy.beta, case.policy.model)
    listed = join_counts(list(plan.processors.items()))
    why = Reason("tradeoff", f"At beta = {write_number(case.policy.beta)} the best is {listed}.")
    throttled = tuple(
        [Reason(one.code, one.detail) for one in plan.estimate.diagnostics if one.code == "throttled"]
    )
    return Proposal(list(plan.processors.values()), (why,), throttled, urgent=not case.current.stable)


GOALS: Mapping[Goal, Callable[[Case], Proposal]] = {
    "latency-target": propose_for_target,
    "tradeoff": propose_tradeoff,
    "best-split": propose_best_split,
}
