"""What to do now, and why: the papers' control loops as recommendations (DRS, section IV; Es-Stream, section V-B).

A decision is a function of its arguments alone: the same measurements, policy and last change give the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from planner.allocation.allocate import allocate_budget
from planner.calibration.intervals import Interval
from planner.decisions.case import Case, Proposal, Reason, describe_limit, describe_signal
from planner.decisions.catch_up import CatchUpTerms
from planner.decisions.catch_up_proposal import lift_proposal
from planner.decisions.hold_back import Action, find_cooldown, find_rate_change, hold_back, name_action
from planner.decisions.latency_target import propose_for_target
from planner.decisions.overload import propose_most
from planner.decisions.policy import LastChange, Policy, bound_topology
from planner.decisions.quantile_goal import propose_for_quantile
from planner.decisions.scale_down import lift_to_wanted
from planner.decisions.wait_correction import Correction, correct_waits
from planner.errors import BoundTooSmall, BudgetTooSmall, TargetUnreachable
from planner.plans.tradeoff import tradeoff
from planner.situations.disagreements import compare_sojourn
from planner.situations.estimate import assess_counts
from planner.situations.situation import Situation, scale_load, survey_load
from planner.topology.loads import MOST_PROCESSORS
from planner.values import Estimate, Load, Topology

Goal = Literal["latency-target", "tradeoff", "best-split"]
SizedBy = Literal["smoothed", "newest", "forecast"]


@dataclass(frozen=True)
class Decision:
    """The action, the estimates before and after, and the reasons and bounds that led to it.

    `needed`: the processors that the goal takes now, which a scale-down within the policy's window goes by.
    """

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
    sized_rate: float
    sized_by: SizedBy
    correction: Correction
    needed: int
    situation: Situation = field(repr=False)


def decide(
    topology: Topology,
    load: Load,
    running: Sequence[int],
    policy: Policy,
    last: LastChange | None = None,
    *,
    newest_rate: float = 0.0,
    rate_ahead: float | None = None,
    intervals: Sequence[Interval] | None = None,
    catch_up: CatchUpTerms | None = None,
    wanted_before: int | None = None,
) -> Decision:
    """The decision under `load`, smoothed or not, with `running` processors per operator in topology order.

    The smoothed load says whether to act, as does `rate_ahead`, the forecast rate to be ready for over the coming
    cooldown. How many processors a target takes is sized for the largest of `rate_ahead`, `newest_rate` and the
    smoothed rate: after a step of the load the smoothed rate lies between the old and the new one, and sizing for it
    would take a second change. `intervals` are those that `load` was smoothed from, oldest first, each with the
    processors that it ran with; without them `load` counts as one interval that ran with `running`. `catch_up` says
    within which time the tuples that wait are to be worked off. `wanted_before` is the largest number of processors
    that decisions of the last scale_down_window_seconds wanted.
    """
    case = gather_case(topology, load, running, policy, newest_rate, rate_ahead, intervals)
    goal, propose = choose_goal(policy)
    try:
        proposal = propose(case)
    except BudgetTooSmall as error:
        proposal = propose_most(case, error)
    except (BoundTooSmall, TargetUnreachable) as error:
        proposal = Proposal(case.running, (), (describe_limit(error),))
    return conclude(case, goal, lift_proposal(case, proposal, catch_up), last, wanted_before)


def conclude(
    case: Case, goal: Goal, proposal: Proposal, last: LastChange | None, wanted_before: int | None
) -> Decision:
    """The decision: what the goal proposes, or to hold where a rule forbids the change."""
    situation, current, load = case.situation, case.current, case.situation.load
    optimum = assess_counts(situation, proposal.counts)
    sized, sized_by = find_sized(case, goal)
    cooldown_left = find_cooldown(case.policy, last)
    change = find_rate_change(load, last)
    kept = lift_to_wanted(case, proposal, wanted_before)
    wanted = name_action(case.running, kept.counts)
    held = hold_back(case, kept, wanted, cooldown_left, change, wanted_before)
    action: Action = "hold" if held else wanted
    then = optimum if kept is proposal else assess_counts(situation, kept.counts)
    return Decision(
        action=action,
        goal=goal,
        current=current,
        recommended=current if action == "hold" else then,
        optimum=None if proposal.counts == case.running and proposal.constraints else optimum,
        measured_sojourn_seconds=load.measured_sojourn_seconds,
        cooldown_left_seconds=cooldown_left,
        rate_change=change,
        urgent=proposal.urgent,
        reasons=kept.reasons + held,
        constraints=proposal.constraints,
        sized_rate=sized.load.external_rate,
        sized_by=sized_by,
        correction=case.correction,
        needed=proposal.needed,
        situation=situation,
    )


def gather_case(  # noqa: PLR0917 - the arguments of a decision
    topology: Topology,
    load: Load,
    running: Sequence[int],
    policy: Policy,
    newest_rate: float,
    rate_ahead: float | None,
    intervals: Sequence[Interval] | None,
) -> Case:
    """The case: its loads as queueing situations, and the correction of waits where the goal is a target."""
    bounded = bound_topology(topology, policy)
    situation = survey_load(bounded, load, policy.model)
    planned = survey_load(bounded, load, policy.model, is_open=True)
    peak = scale_load(planned, max(newest_rate, load.external_rate))
    ahead = None
    if rate_ahead is not None:
        ahead = scale_load(planned, limit_rate(planned, max(rate_ahead, peak.load.external_rate)))
    current = assess_counts(situation, running)
    correction = Correction()
    if intervals is None:
        intervals = (as_interval(load, bounded, running),)
    current = add_disagreement(bounded, load, running, intervals, current)
    if policy.t_max_seconds is not None:
        correction = correct_waits(bounded, load, running, intervals, policy.model, policy.t_max_seconds)
    return Case(situation, peak, ahead, list(running), policy, current, correction)


def add_disagreement(
    topology: Topology, load: Load, running: Sequence[int], intervals: Sequence[Interval], current: Estimate
) -> Estimate:
    """The estimate, with a diagnostic where E[T] was measured far from it; not over intervals of other processors."""
    counts = dict(zip([operator.name for operator in topology.operators], running, strict=True))
    seen = [(one.load.operators.get(name), count) for one in intervals for name, count in counts.items()]
    if any(measured is None or measured.processors != count for measured, count in seen):
        return current
    return current._replace(diagnostics=current.diagnostics + compare_sojourn(topology, current, load))


def limit_rate(situation: Situation, external_rate: float) -> float:
    """The rate, or the largest rate below it that can be planned for."""
    busiest = max(
        visits / service
        for visits, service in zip(situation.flow.visits, situation.stations.service_rate, strict=True)
    )
    return min(external_rate, MOST_PROCESSORS / busiest) if busiest else external_rate


def as_interval(load: Load, topology: Topology, running: Sequence[int]) -> Interval:
    """The load as one interval that ran with the processors `running`."""
    counts = dict(zip([operator.name for operator in topology.operators], running, strict=True))
    operators = {
        name: one._replace(processors=counts.get(name, one.processors))
        for name, one in load.operators.items()
    }
    return Interval(replace(load, operators=operators))


def find_sized(case: Case, goal: Goal) -> tuple[Situation, SizedBy]:
    """The situation that the processors are sized for: for a target, the one with the highest rate."""
    if goal != "latency-target":
        return case.situation, "smoothed"
    now = case.peak.load.external_rate
    if case.ahead is not None and case.ahead.load.external_rate > now:
        return case.ahead, "forecast"
    return case.peak, "newest" if now > case.situation.load.external_rate else "smoothed"


def choose_goal(policy: Policy) -> tuple[Goal, Callable[[Case], Proposal]]:
    """The control loop that the policy asks for."""
    if policy.t_max_seconds is not None:
        return "latency-target", propose_for_target
    if policy.target is not None:
        return "latency-target", propose_for_quantile
    if policy.beta is not None:
        return "tradeoff", propose_tradeoff
    return "best-split", propose_best_split


def propose_best_split(case: Case) -> Proposal:
    """DRS's first scheduler: the best split of k_max."""
    assert case.policy.k_max is not None
    stations, names = case.situation.stations, case.situation.names
    counts = allocate_budget(stations, case.policy.k_max, names).counts
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


def join_counts(names: Sequence[str], counts: Sequence[int]) -> str:
    """`a 3, b 5`: at most twenty operators are listed."""
    shown = ", ".join(f"{name} {count}" for name, count in list(zip(names, counts, strict=True))[:20])
    return shown + (f" and {len(names) - 20} more" if len(names) > 20 else "")
