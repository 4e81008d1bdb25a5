"""What to do now, and why: the papers' control loops as recommendations (DRS, section IV; Es-Stream, section V-B).

A decision is a function of its arguments alone: the same measurements, policy and last change give the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Literal

from planner.allocation import allocate_budget, allocate_target
from planner.errors import BoundTooSmall, BudgetTooSmall, PlannerError, TargetUnreachable
from planner.estimation import Situation, assess_counts, survey_load
from planner.headroom import scale_load
from planner.plans import allocate_idle
from planner.policy import LastChange, Policy, bound_topology
from planner.tradeoff import tradeoff
from planner.values import Estimate, Load, Topology

Action = Literal["hold", "scale_up", "scale_down", "rebalance"]
Goal = Literal["latency-target", "tradeoff", "best-split"]


LIMITS = (
    (BudgetTooSmall, "k_max"),
    (BoundTooSmall, "max_processors"),
    (TargetUnreachable, "t_max_seconds"),
)


@dataclass(frozen=True, slots=True)
class Reason:
    """One step of the argument, or one bound that cut it short."""

    code: str
    detail: str


@dataclass(frozen=True)
class Decision:
    """What to do, what it rests on, and what was considered on the way."""

    action: Action
    goal: Goal
    current: Estimate
    recommended: Estimate
    optimum: Estimate | None
    measured_sojourn_seconds: float | None
    cooldown_left_seconds: float
    rate_change: float | None
    urgent: bool
    reasons: tuple[Reason, ...]
    constraints: tuple[Reason, ...]
    situation: Situation = field(repr=False)


@dataclass(frozen=True)
class Case:
    """All that a decision looks at."""

    situation: Situation
    peak: Situation
    running: list[int]
    policy: Policy
    current: Estimate

    @property
    def signal_seconds(self) -> float:
        """E[T] as measured, else as estimated; inf where an operator cannot keep up."""
        measured = self.situation.load.measured_sojourn_seconds
        if not self.current.stable:
            return inf
        return measured if measured is not None else self.current.expected_sojourn_seconds or 0.0


@dataclass(frozen=True)
class Proposal:
    """Processors that one of the goals asks for, and why.

    `urgent`: E[T] is out of hand, the trigger does not count. `is_for_speed`: only a shorter E[T] justifies it.
    """

    counts: list[int]
    reasons: tuple[Reason, ...]
    constraints: tuple[Reason, ...] = ()
    urgent: bool = False
    is_for_speed: bool = False


def decide(
    topology: Topology,
    load: Load,
    running: Sequence[int],
    policy: Policy,
    last: LastChange | None = None,
    *,
    newest_rate: float = 0.0,
) -> Decision:
    """The decision under `load`, smoothed or not, with `running` processors per operator in topology order.

    Whether to act is asked of the smoothed load. How many processors a target takes is asked of the newest interval
    where that has more: a mean over a step is a rate that never was, and would be planned for twice.
    """
    bounded = bound_topology(topology, policy)
    situation = survey_load(bounded, load, policy.model)
    peak = scale_load(situation, max(newest_rate, load.external_rate))
    current = assess_counts(situation, running)
    case = Case(situation, peak, list(running), policy, current)
    goal, propose = choose_goal(policy)
    try:
        proposal = propose(case)
    except (BudgetTooSmall, BoundTooSmall, TargetUnreachable) as error:
        proposal = Proposal(case.running, (), (describe_limit(error),))
    optimum = assess_counts(situation, proposal.counts)
    wanted = name_action(case.running, proposal.counts)
    cooldown_left = find_cooldown(policy, last)
    change = find_rate_change(load, last)
    held = hold_back(case, proposal, wanted, cooldown_left, change)
    action: Action = "hold" if held else wanted
    return Decision(
        action=action,
        goal=goal,
        current=current,
        recommended=current if action == "hold" else optimum,
        optimum=None if proposal.counts == case.running and proposal.constraints else optimum,
        measured_sojourn_seconds=load.measured_sojourn_seconds,
        cooldown_left_seconds=cooldown_left,
        rate_change=change,
        urgent=proposal.urgent,
        reasons=proposal.reasons + held,
        constraints=proposal.constraints,
        situation=situation,
    )


def choose_goal(policy: Policy) -> tuple[Goal, Callable[[Case], Proposal]]:
    """Which of the three control loops the policy asks for."""
    if policy.t_max_seconds is not None:
        return "latency-target", propose_for_target
    if policy.beta is not None:
        return "tradeoff", propose_tradeoff
    return "best-split", propose_best_split


def propose_for_target(case: Case) -> Proposal:
    """DRS's second scheduler: more above T_max, fewer below T_min, another split in between."""
    policy, signal = case.policy, case.signal_seconds
    assert policy.t_max_seconds is not None
    seen = describe_signal(case)
    if signal > policy.t_max_seconds:
        why = Reason("target-missed", f"{seen}, above t_max_seconds = {policy.t_max_seconds:.6g}.")
        counts, constraints = find_fewest(case, policy.t_max_seconds)
        if sum(counts) <= sum(case.running) and case.current.stable:
            return insist_on_more(case, why, counts)
        return Proposal(counts, (why,), constraints, urgent=True)
    if policy.t_min_seconds is not None and signal < policy.t_min_seconds:
        why = Reason("target-exceeded", f"{seen}, below t_min_seconds = {policy.t_min_seconds:.6g}.")
        counts, constraints = find_fewest(case, policy.t_max_seconds)
        if sum(counts) < sum(case.running):
            return Proposal(counts, (why,), constraints)
        enough = Reason("no-fewer", f"No fewer than {sum(counts)} processors would meet t_max_seconds.")
        return Proposal(case.running, (why, enough), constraints)
    why = Reason("within-target", f"{seen}: the number of processors is right.")
    split = allocate_budget(case.situation.stations, sum(case.running), case.situation.names)
    return Proposal(split.counts.tolist(), (why,), is_for_speed=True)


def insist_on_more(case: Case, why: Reason, counts: list[int]) -> Proposal:
    """Where the model thinks that what runs is enough but the measurement says no: the measurement is believed.

    The target is tightened by measured/estimated, as if all of E[T] grew by that factor (DRS, Fig. 7: measured and
    estimated E[T] rise together).
    """
    policy, expected = case.policy, case.current.expected_sojourn_seconds or 0.0
    assert policy.t_max_seconds is not None
    factor = case.signal_seconds / expected if expected else 1.0
    detail = f"The model expects {expected:.6g} s of what runs: taken {factor:.3g} times as long."
    corrected = Reason("model-corrected", detail)
    try:
        counts, constraints = find_fewest(case, policy.t_max_seconds / max(factor, 1.0))
    except TargetUnreachable:
        lost = Reason(
            "waiting-is-not-it",
            "Even without any wait the target would be missed: more processors would not help.",
        )
        return Proposal(case.running, (why, corrected), (lost,))
    if sum(counts) < sum(
        case.running
    ):  # while the target is missed none are given up, even if another split took fewer
        names = case.situation.names
        counts = allocate_budget(case.peak.stations, sum(case.running), names).counts.tolist()
    return Proposal(counts, (why, corrected), constraints, urgent=True)


def find_fewest(case: Case, t_max_seconds: float) -> tuple[list[int], tuple[Reason, ...]]:
    """The fewest processors that meet the target; where k_max forbids them, its best split."""
    situation, k_max = case.peak, case.policy.k_max
    rate = situation.load.external_rate
    allocated = (
        allocate_target(situation.stations, t_max_seconds, rate, situation.names)
        if rate
        else allocate_idle(situation, t_max_seconds)
    )
    counts: list[int] = allocated.counts.tolist()
    if k_max is None or sum(counts) <= k_max:
        return counts, ()
    detail = f"t_max_seconds takes {sum(counts)} processors, k_max allows {k_max}: its best split misses the target."
    best: list[int] = allocate_budget(situation.stations, k_max, situation.names).counts.tolist()
    return best, (Reason("k_max", detail),)


def propose_best_split(case: Case) -> Proposal:
    """DRS's first scheduler: the optimum of k_max, where it is not what runs."""
    assert case.policy.k_max is not None
    stations, names = case.situation.stations, case.situation.names
    allocated = allocate_budget(stations, case.policy.k_max, names)
    counts: list[int] = allocated.counts.tolist()
    over = sum(case.running) > case.policy.k_max
    why = Reason(
        "best-split", f"{describe_signal(case)}; the best split of k_max is {join_counts(names, counts)}."
    )
    return Proposal(counts, (why,), urgent=over or not case.current.stable, is_for_speed=True)


def propose_tradeoff(case: Case) -> Proposal:
    """Es-Stream's Algorithm 1 at every operator, upstream first."""
    assert case.policy.beta is not None
    situation = case.situation
    plan = tradeoff(situation.topology, situation.load, case.policy.beta, case.policy.model)
    counts = list(plan.processors.values())
    why = Reason(
        "tradeoff", f"At beta = {case.policy.beta:.6g} the best is {join_counts(situation.names, counts)}."
    )
    short = tuple(
        Reason(said.code, said.detail) for said in plan.estimate.diagnostics if said.code == "throttled"
    )
    return Proposal(counts, (why,), short, urgent=not case.current.stable)


def hold_back(
    case: Case, proposal: Proposal, wanted: Action, cooldown_left: float, change: float | None
) -> tuple[Reason, ...]:
    """Why not to do what the goal asks for; nothing where nothing speaks against it."""
    if wanted == "hold":
        return (
            (Reason("at-optimum", "What runs is what the goal asks for."),)
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
    if proposal.urgent or not proposal.is_for_speed:
        return ()
    before = case.current.expected_sojourn_seconds
    after = assess_counts(case.situation, proposal.counts).expected_sojourn_seconds
    if before is not None and after is not None and before - after <= policy.least_gain * before:
        detail = (
            f"E[T] would go from {before:.6g} s to {after:.6g} s, which is no more than least_gain = "
            f"{policy.least_gain:.6g} of it."
        )
        return (Reason("gain-too-small", detail),)
    return ()


def name_action(running: Sequence[int], counts: Sequence[int]) -> Action:
    """More, fewer, or the same number in another split."""
    if list(running) == list(counts):
        return "hold"
    more = sum(counts) - sum(running)
    return "scale_up" if more > 0 else "scale_down" if more < 0 else "rebalance"


def find_cooldown(policy: Policy, last: LastChange | None) -> float:
    """What is left of cooldown_seconds since the last change (DRS's T_ra)."""
    return max(0.0, policy.cooldown_seconds - last.seconds_ago) if last else 0.0


def find_rate_change(load: Load, last: LastChange | None) -> float | None:
    """The external rate against that at the last change, as a part of it; None where there is nothing to compare."""
    if last is None or not last.external_rate:
        return None
    return load.external_rate / last.external_rate - 1.0


def describe_signal(case: Case) -> str:
    """What the decision looks at, in a clause."""
    if not case.current.stable:
        return "E[T] grows without end"
    measured = case.situation.load.measured_sojourn_seconds
    kind = "estimated" if measured is None else "measured"
    return f"E[T] is {case.signal_seconds:.6g} s as {kind}"


def describe_limit(error: PlannerError) -> Reason:
    """Which bound leaves no answer."""
    code = next(code for kind, code in LIMITS if isinstance(error, kind))
    return Reason(code, str(error))


def join_counts(names: Sequence[str], counts: Sequence[int]) -> str:
    """`a 3, b 5`, the first twenty."""
    shown = ", ".join(f"{name} {count}" for name, count in list(zip(names, counts, strict=True))[:20])
    return shown + (f" and {len(names) - 20} more" if len(names) > 20 else "")
