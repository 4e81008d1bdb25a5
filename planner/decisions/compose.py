"""A decision is composed from its question, one stage after the other.

    question -> case -> proposal of the goal -> rules -> decision -> counterfactuals, advice on nodes and streams

Every stage is a function of values: the caller reads the database before and stores afterwards. The control loops of
the papers become recommendations here (DRS, section IV; Es-Stream, section V-B).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from planner.calibration.wait_correction import Correction, correct_sojourn
from planner.decisions.case import (
    Action,
    Case,
    DecisionQuestion,
    Proposal,
    name_action,
    survey_case,
)
from planner.decisions.catch_up import CatchingUp, describe_catch_up
from planner.decisions.goals.economic_goal import decide_economically
from planner.decisions.goals.proposals import propose
from planner.decisions.goals.sizing import list_futile, list_notes
from planner.decisions.horizon import ChangeHorizon, SizedBy, SizedRate, SizedTotals, describe_sizing
from planner.decisions.limits import limit_change
from planner.decisions.policy import BudgetShare, Goal
from planner.decisions.rules import RULES, RULES_OF_SHARES, apply_rules, find_moves
from planner.decisions.state_migration import Moves
from planner.decisions.wording import DIFFERENCES, WEIGHED, Reason, describe_lower_limit
from planner.economics.choose import WeighedChoice
from planner.gates.headroom import Counterfactuals, find_counterfactuals
from planner.nodes.advice import NodeAdvice, Thresholds, advise_nodes
from planner.nodes.instance_moves import Deployment
from planner.nodes.packing import Wanted, list_loads
from planner.nodes.streams import RedirectWeights, Spot, find_hot_and_cold, find_redirect_weights
from planner.nodes.usage import Resources, find_resources
from planner.situations.situation import Situation, scale_load
from planner.targets.drawn_target import make_target
from planner.values import Diagnostic, Estimate, Load, Topology
from planner.wording import join_names, write_seconds

HELD_BY = ("cooldown", "trigger", "saving-too-small", "payback")
"""The rules that can keep a processor without which the target would be met."""
# Above this number of new instances the advice does not place them one by one: nobody would read it.
MOST_PLACED = 10_000


@dataclass(frozen=True)
class StreamAdvice:
    """How to spread the tuples of each operator over its instances, and the hot and cold instances."""

    redirect: Sequence[RedirectWeights]
    spots: Sequence[Spot]


@dataclass(frozen=True)
class Decision:
    """A decision: the action, the estimates before and after it, and the reasons and bounds that led to it.

    `needed` is the number of processors that the goal needs now; later scale-downs in the policy's window read it.
    `horizon` is None where no horizon could hold the change back. `choice` is what the economic rule weighed.
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
    needed: int
    moves: Moves
    horizon: ChangeHorizon | None
    case: Case = field(repr=False)
    choice: WeighedChoice | None = field(default=None, repr=False)

    @property
    def situation(self) -> Situation:
        """The smoothed load as queues."""
        return self.case.situation

    @property
    def correction(self) -> Correction:
        """The factors of measured over modelled waits, as the rule that decided knows them."""
        return self.case.correction if self.choice is None else self.choice.correction


@dataclass(frozen=True)
class ComposedDecision:
    """A decision with the results of the later stages; a result is None if the stage had no measurements to work on."""

    decision: Decision
    sized_for: SizedRate
    counterfactuals: Counterfactuals
    nodes: NodeAdvice | None
    streams: StreamAdvice | None
    catching_up: CatchingUp | None
    corrected_seconds: float | None
    diagnostics: tuple[Diagnostic, ...]


def compose_decision(question: DecisionQuestion) -> ComposedDecision:
    """Returns the decision of a question, with counterfactuals and with advice on nodes and streams."""
    decision, policy = decide(question), question.policy
    running = {one.name: one.processors for one in decision.current.operators}
    counts = [one.processors for one in decision.recommended.operators]
    resources = find_resources(running, question.nodes, question.instances)
    return ComposedDecision(
        decision=decision,
        sized_for=describe_sizing(
            SizedRate(decision.sized_rate, decision.sized_by),
            SizedTotals(decision.needed, decision.recommended.processors_total, decision.choice is not None),
            question.outlook,
            question.history,
        ),
        counterfactuals=look_around(decision, question, counts),
        nodes=advise_on_nodes(decision.current, decision.recommended, resources, policy.nodes),
        streams=advise_on_streams(
            decision.situation.topology, decision.current, resources, policy.nodes, policy.most_deviation
        ),
        catching_up=describe_catch_up(
            scale_load(decision.situation, max(question.newest_rate, question.load.external_rate)),
            list(running.values()),
            counts,
            question.catch_up,
        ),
        corrected_seconds=correct_sojourn(decision.situation, counts, decision.correction),
        diagnostics=list_notes(decision.situation, decision.current, decision.recommended)
        + resources.diagnostics
        + (question.outlook.diagnostics if decision.choice is None else ()),
    )


def decide(question: DecisionQuestion) -> Decision:
    """Returns the decision of a question: the proposal of the policy's goal, changed or held back by the rules."""
    case = survey_case(question)
    choice, proposal = propose_decision(case)
    return replace(conclude(case, proposal), choice=choice)


def propose_decision(case: Case) -> tuple[WeighedChoice | None, Proposal]:
    """What is decided in a case: the share of a budget, the economic rule, or the goal, and what rules make of it."""
    share, policy, seen = case.question.share, case.policy, case.question.weighed
    weighed = None if seen is None else decide_economically(case, seen)
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


def conclude(case: Case, proposal: Proposal) -> Decision:
    """Returns the decision of a proposal, with estimates for the recommended processors and for those that the goal
    proposes.
    """
    sized, sized_by = case.sized
    recommended = case.current if proposal.is_held else case.assess(proposal.recommended)
    is_out_of_reach = proposal.counts == case.running and bool(proposal.constraints)
    return Decision(
        action="hold" if proposal.is_held else name_action(case.running, proposal.recommended),
        goal=case.policy.goal,
        current=case.current,
        recommended=recommended,
        optimum=None if is_out_of_reach else case.assess(proposal.counts),
        measured_sojourn_seconds=case.situation.load.measured_sojourn_seconds,
        cooldown_left_seconds=case.cooldown_left_seconds,
        rate_change=case.rate_change,
        urgent=proposal.urgent,
        reasons=proposal.reasons,
        constraints=(*proposal.constraints, *list_futile(case, recommended)),
        sized_rate=sized.load.external_rate,
        sized_by=sized_by,
        needed=proposal.needed,
        moves=proposal.moves or find_moves(case, recommended),
        horizon=proposal.horizon,
        case=case,
    )


def look_around(decision: Decision, question: DecisionQuestion, counts: list[int]) -> Counterfactuals:
    """Returns E[T] with one processor fewer than `counts`, and the highest rate for which `counts` are enough."""
    correction, policy, situation = decision.correction, question.policy, decision.situation
    target = make_target(situation, policy.limit)
    return find_counterfactuals(
        scale_load(situation, decision.sized_rate),
        counts,
        None if target is None else target.settle(situation, counts),
        why_not_fewer(decision, question),
        correction=correction.least_shared,
        own_correction=correction.own if correction.is_own else None,
    )


def why_not_fewer(decision: Decision, question: DecisionQuestion) -> str:
    """Returns a clause on why the policy keeps a processor without which the target would still be met, or ""."""
    codes, policy = {one.code for one in decision.reasons}, question.policy
    if "cheapest" in codes:
        return "at the rates that may come it would cost more, late minutes included"
    if policy.is_economic:
        return next((DIFFERENCES[code] for code in sorted(WEIGHED & codes)), "")
    if "within-target" in codes:
        return describe_lower_limit(policy.t_min_seconds)
    if "schedule" in codes:
        return "a schedule of the policy keeps it"
    if "scale-down-window" not in codes:
        return next((DIFFERENCES[code] for code in HELD_BY if code in codes), "")
    window, needed = write_seconds(policy.scale_down_window_seconds), question.wanted_then.removesuffix(".")
    return f"the policy keeps processors for {window} after they were needed. {needed}"


def plan_for_rate(question: DecisionQuestion, external_rate: float) -> DecisionQuestion:
    """Returns the question with its load at `external_rate`, unless the policy's goal is for the highest rate anyway.

    Then `decide` itself allows for coming rates; the other goals are computed for the load at this rate.
    """
    load = question.load
    if question.policy.is_for_highest_rate or not load.external_rate or external_rate == load.external_rate:
        return question
    part = external_rate / load.external_rate
    operators = {
        name: one._replace(arrival_rate=None if one.arrival_rate is None else one.arrival_rate * part)
        for name, one in load.operators.items()
    }
    return replace(question, load=Load(external_rate, operators, external_idc=load.external_idc))


def advise_on_nodes(
    before: Estimate, after: Estimate, resources: Resources, thresholds: Thresholds
) -> NodeAdvice | None:
    """Advises whether to use more nodes, fewer or as many, for the instances that a decision adds.

    Returns None if no node was measured. `before` and `after` are the estimates of the running and recommended
    processors.
    """
    if not resources.nodes:
        return None
    wanted = list_wanted(before, after, resources)
    loads = list_loads(resources.nodes, resources.all_instances, before.processors_total)
    advice = advise_nodes(resources.nodes, thresholds, wanted, loads)
    taken = {one.operator: resources.usages[one.operator] for one in wanted}
    unmeasured = [name for name, one in taken.items() if not one.measured]
    reason = advice.reason
    if unmeasured:
        reason += f" No instance of {join_names(unmeasured)} was measured: the mean of all measured instances is used."
    return replace(advice, new_instances=taken, reason=reason)


def list_wanted(current: Estimate, recommended: Estimate, resources: Resources) -> list[Wanted]:
    """Returns the instances that a decision adds to each operator, at most MOST_PLACED of them."""
    wanted, left = list[Wanted](), MOST_PLACED
    for before, after in zip(current.operators, recommended.operators, strict=True):
        count = min(after.processors - before.processors, left)
        if count > 0:
            wanted.append(Wanted(after.name, count, resources.usages[after.name].usage))
            left -= count
    return wanted


def advise_on_streams(
    topology: Topology, current: Estimate, resources: Resources, thresholds: Thresholds, most_deviation: float
) -> StreamAdvice | None:
    """Advises how to spread tuples over instances, and which instances to move; None if no instance was measured."""
    if not resources.instances:
        return None
    redirect = [
        find_redirect_weights(operator, listed, most_deviation)
        for operator, listed in resources.instances.items()
    ]
    rates = {one.name: one.arrival_rate for one in current.operators}
    edges = {(edge.source, edge.target): rates[edge.source] * edge.selectivity for edge in topology.edges}
    usages = {name: one.usage for name, one in resources.usages.items()}
    instances = resources.all_instances
    deployment = Deployment(resources.nodes, instances, usages, edges, thresholds.fullest)
    return StreamAdvice(redirect, find_hot_and_cold(instances, edges, deployment))
