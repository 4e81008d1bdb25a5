"""A whole decision from gathered values, in the order of its stages.

    decide -> moves of state -> horizon -> payback -> counterfactuals -> nodes and streams

Every stage is a function of values: the caller gathers before and stores afterwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from planner.calibration.intervals import Interval
from planner.decisions.advice import StreamAdvice, advise_on_nodes, advise_on_streams
from planner.decisions.catch_up import CatchingUp, CatchUpTerms, describe_catch_up
from planner.decisions.decide import Decision, SizedBy, decide
from planner.decisions.horizon import (
    NO_OUTLOOK,
    ChangeHorizon,
    RateHistory,
    RateOutlook,
    find_horizon,
    forecast_each_step,
    scale_measured,
)
from planner.decisions.payback import Moves, is_weighed, plan_moves, weigh_change
from planner.decisions.policy import LastChange, Policy
from planner.decisions.state_migration import OwnersLeft, keep_owners
from planner.decisions.wait_correction import correct_sojourn
from planner.gates.counterfactuals import Counterfactuals, find_counterfactuals
from planner.nodes.advice import NodeAdvice
from planner.nodes.usage import MeasuredInstance, Node, find_resources
from planner.situations.situation import scale_load
from planner.targets.drawn_target import make_target
from planner.values import Diagnostic, Load, Topology

SIZED_FOR: Mapping[SizedBy, str] = {
    "smoothed": "The external rate of the snapshots, as the policy smooths them.",
    "newest": "The external rate of the newest snapshot, which is higher than the smoothed one.",
    "forecast": "The upper rate of the coming cooldown, which is higher than any measured now.",
}


@dataclass(frozen=True)
class DecisionQuestion:
    """Everything that a decision is computed from.

    `load` is smoothed from `intervals` (see `decide`), `running` are processors in the topology's order, `history` the
    rates that a horizon is forecast from (None: not known), `owners_left` what the last change did to each operator's
    state. `nodes` and `instances` (by operator) are those of the newest snapshot. `catch_up_left_seconds` remain until
    the time by which an earlier decision meant to have the backlog worked off. `wanted_before`: see `decide`.
    """

    topology: Topology
    load: Load
    running: Sequence[int]
    policy: Policy
    last: LastChange | None = None
    newest_rate: float = 0.0
    intervals: Sequence[Interval] | None = None
    outlook: RateOutlook = NO_OUTLOOK
    history: RateHistory | None = None
    owners_left: Mapping[str, OwnersLeft] = field(default_factory=dict)
    nodes: Sequence[Node] = ()
    instances: Mapping[str, Sequence[MeasuredInstance]] = field(default_factory=dict)
    catch_up_left_seconds: float | None = None
    wanted_before: int | None = None

    @property
    def catch_up(self) -> CatchUpTerms | None:
        """The terms of catching up; None where the policy has none."""
        within = self.policy.catch_up_seconds
        return None if within is None else CatchUpTerms(within, self.catch_up_left_seconds)


class SizedRate(NamedTuple):
    """Which external rate the number of processors is for, and why that one."""

    external_rate: float
    source: SizedBy
    detail: str


@dataclass(frozen=True)
class ComposedDecision:
    """The decision and what each later stage found; None: nothing to weigh, or nothing known to advise on."""

    decision: Decision
    sized_for: SizedRate
    moves: Moves
    horizon: ChangeHorizon | None
    counterfactuals: Counterfactuals
    nodes: NodeAdvice | None
    streams: StreamAdvice | None
    catching_up: CatchingUp | None
    corrected_seconds: float | None
    diagnostics: tuple[Diagnostic, ...]


def compose_decision(question: DecisionQuestion) -> ComposedDecision:
    """Decide, weigh what moving costs, and say what else would hold and what it means for nodes and streams."""
    policy = question.policy
    wanted = decide(
        question.topology,
        question.load,
        question.running,
        policy,
        question.last,
        newest_rate=question.newest_rate,
        rate_ahead=question.outlook.upper_rate,
        intervals=question.intervals,
        catch_up=question.catch_up,
        wanted_before=question.wanted_before,
    )
    moves = plan_moves(wanted, keep_owners(policy.states, wanted.current, question.owners_left))
    horizon = find_horizon_if_weighed(question, wanted, moves)
    decision = weigh_change(wanted, moves, horizon)
    running = {one.name: one.processors for one in decision.current.operators}
    resources = find_resources(running, question.nodes, question.instances)
    return ComposedDecision(
        decision=decision,
        sized_for=describe_sizing(decision, question.outlook),
        moves=moves,
        horizon=horizon,
        counterfactuals=look_around(decision, policy),
        nodes=advise_on_nodes(decision, resources, policy.nodes),
        streams=advise_on_streams(decision, resources, policy.nodes, policy.most_deviation),
        catching_up=describe_backlog(question, decision),
        corrected_seconds=correct_sojourn(
            decision.situation,
            [one.processors for one in decision.recommended.operators],
            decision.correction,
        ),
        diagnostics=decision.current.diagnostics + resources.diagnostics + question.outlook.diagnostics,
    )


def describe_backlog(question: DecisionQuestion, decision: Decision) -> CatchingUp | None:
    """What waits, at the rate of the newest interval or the smoothed one, the larger of the two."""
    rate = max(question.newest_rate, question.load.external_rate)
    return describe_catch_up(
        scale_load(decision.situation, rate),
        [one.processors for one in decision.current.operators],
        [one.processors for one in decision.recommended.operators],
        question.catch_up,
    )


def find_horizon_if_weighed(
    question: DecisionQuestion, wanted: Decision, moves: Moves
) -> ChangeHorizon | None:
    """The horizon of the change; None where no horizon could hold it back, which spares the forecast."""
    if question.history is None or not is_weighed(wanted, moves):
        return None
    coming = forecast_each_step(question.history, question.policy, len(question.topology.operators))
    return find_horizon(wanted, question.policy, coming)


def look_around(decision: Decision, policy: Policy) -> Counterfactuals:
    """Why not one processor fewer at the rate sized for, and up to which rate the recommendation holds."""
    correction = decision.correction
    counts = [one.processors for one in decision.recommended.operators]
    target = make_target(decision.situation, policy.limit)
    return find_counterfactuals(
        scale_load(decision.situation, decision.sized_rate),
        counts,
        None if target is None else target.settle(decision.situation, counts),
        policy.t_min_seconds,
        correction=correction.least_shared,
        own_correction=correction.own if correction.is_own else None,
    )


def describe_sizing(decision: Decision, outlook: RateOutlook) -> SizedRate:
    """The rate that the number of processors is for, in a sentence."""
    detail, ahead = SIZED_FOR[decision.sized_by], outlook.rate
    if decision.sized_by == "forecast" and ahead is not None:
        detail += (
            f" With probability {ahead.quantile:g} no more comes in {ahead.steps} intervals, by the {ahead.model} "
            f"of {ahead.history} intervals."
        )
    return SizedRate(decision.sized_rate, decision.sized_by, detail)


def plan_for_rate(question: DecisionQuestion, external_rate: float) -> DecisionQuestion:
    """The question at another external rate, where the goal is no target.

    For a target `decide` itself covers the outlook; the other goals are asked of the load at that rate.
    """
    load = question.load
    if question.policy.has_target or not load.external_rate or external_rate == load.external_rate:
        return question
    return replace(question, load=scale_measured(load, external_rate))
