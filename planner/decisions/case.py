"""The values that pass between the stages of a decision: question, case and proposal.

The smoothed load, and the upper rate forecast for the coming cooldown, decide whether to act. The number of processors
for a target is sized for the largest of the forecast, the newest and the smoothed rate: after a step of the load the
smoothed rate lies between the old and the new one, and sizing for it would need a second change.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import Literal

from planner.calibration.modelled_waits import Interval, as_interval
from planner.calibration.wait_correction import UNCORRECTED, Correction, correct_waits
from planner.decisions.catch_up import Backlog, CatchUpTerms, find_backlog, find_owed
from planner.decisions.horizon import NO_OUTLOOK, ChangeHorizon, RateHistory, RateOutlook, SizedBy, limit_rate
from planner.decisions.policy import BudgetShare, LastChange, Policy, bound_topology
from planner.decisions.state_migration import Moves, OwnersLeft
from planner.decisions.wording import Reason, describe_overload
from planner.economics.history import History
from planner.economics.steady import see_newest
from planner.nodes.usage import MeasuredInstance, Node
from planner.situations.disagreements import compare_sojourn
from planner.situations.situation import Situation, assess_counts, scale_load, survey_load
from planner.values import Estimate, Load, Topology
from planner.wording import write_rate, write_seconds

SETTLING_STEPS, MINUTE = 2, 60.0
"""Intervals after a decision in which its change may not be seen yet."""
Action = Literal["hold", "scale_up", "scale_down", "rebalance"]


@dataclass(frozen=True)
class DecisionQuestion:
    """Everything that a decision is computed from: the same question always has the same answer.

    `load` is smoothed from `intervals` (oldest first, each with the processors that ran); without intervals, `load`
    counts as one interval with the processors `running`, in the topology's order. The horizon is forecast from
    `history` (None: unknown). `owners_left`: the owners of key groups after the last change, by operator. `nodes` and
    `instances` (by operator) come from the newest snapshot. `catch_up_left_seconds`: the time left until the end that
    an earlier decision promised for the backlog. `wanted_before`: the largest number of processors that any decision
    of the last scale_down_window_seconds needed, `wanted_seconds_ago` before the end of the data, for the external rate
    `wanted_rate` (None: not known).
    `seen`: processors and times of the newest intervals, for the economic rule; None: not all of them were measured.
    `share`: the topology's part of a fleet's budget, which is the proposal then; None: it is decided about alone.
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
    wanted_seconds_ago: float | None = None
    wanted_rate: float | None = None
    seen: History | None = None
    share: BudgetShare | None = None

    @property
    def weighed(self) -> History | None:
        """The intervals that the economic rule weighs; None where other rules decide."""
        return self.seen if self.policy.is_economic and self.share is None else None

    @property
    def wanted_then(self) -> str:
        """A sentence on the decision that needed `wanted_before` processors: when, and for which rate."""
        if self.wanted_rate is None:
            return f"{self.wanted_by} needed {self.wanted_before}."
        needed = f"{self.wanted_by} found that at least {self.wanted_before:,} were needed"
        return f"{needed} for {write_rate(self.wanted_rate)}, by what was measured then."

    @property
    def wanted_by(self) -> str:
        """The beginning of a sentence on the decision that needed `wanted_before` processors."""
        ago, window = self.wanted_seconds_ago, self.policy.scale_down_window_seconds
        return (
            f"The decision {write_seconds(ago)} earlier"
            if ago
            else f"A decision in the last {write_seconds(window)}"
        )

    @property
    def catch_up(self) -> CatchUpTerms | None:
        """The time within which a backlog must be worked off, and what remains of it; None if the policy sets no such
        time.
        """
        within = self.policy.catch_up_seconds
        return None if within is None else CatchUpTerms(within, self.catch_up_left_seconds)


@dataclass(frozen=True)
class Case:
    """A question with its loads as queues, the estimate of the running processors and the correction of modelled waits.

    `situation` is under the smoothed load. `peak` is under the rate of the newest interval, where this rate is higher.
    `ahead` is under the upper rate of the coming cooldown, where this rate is higher still; None without a forecast.
    The correction is that of `intervals`.
    """

    question: DecisionQuestion
    situation: Situation
    peak: Situation
    ahead: Situation | None
    running: list[int]
    current: Estimate
    intervals: Sequence[Interval] = ()
    known: dict[tuple[int, ...], Estimate] = field(default_factory=dict, compare=False, repr=False)

    @property
    def policy(self) -> Policy:
        """The policy that the decision follows."""
        return self.question.policy

    @cached_property
    def correction(self) -> Correction:
        """The correction of modelled waits where the goal limits E[T], worked out where an answer needs it."""
        target = self.policy.t_max_seconds
        if target is None or not self.intervals:
            return UNCORRECTED
        question, bounded = self.question, self.situation.topology
        return correct_waits(bounded, question.load, self.running, self.intervals, self.policy.model, target)

    @property
    def signal_seconds(self) -> float:
        """The time E[T] that a tuple spends in the topology: as measured, else as estimated; inf if an operator cannot
        keep up.
        """
        measured = self.situation.load.measured_sojourn_seconds
        if not self.current.stable:
            return inf
        return measured if measured is not None else self.current.expected_sojourn_seconds or 0.0

    @property
    def signal_title(self) -> str:
        """The beginning of a sentence about the present time E[T], such as `The measured E[T]`."""
        if not self.current.stable:
            return "E[T]"
        kind = "estimated" if self.situation.load.measured_sojourn_seconds is None else "measured"
        return f"The {kind} E[T]"

    @property
    def signal_sentence(self) -> str:
        """A sentence on the present time E[T]; where an operator cannot keep up, it says that, beside a measured
        time.
        """
        if not self.current.stable:
            return describe_overload("E[T]", self.situation.load.measured_sojourn_seconds)
        return f"{self.signal_title} is {write_seconds(self.signal_seconds)}."

    @property
    def cooldown_left_seconds(self) -> float:
        """The seconds in which nothing may be changed yet, because the last change is too recent (T_ra in DRS)."""
        last, seen = self.question.last, self.question.weighed
        waits = self.policy.cooldown_seconds if seen is None else SETTLING_STEPS * seen.step_seconds
        return max(0.0, waits - last.seconds_ago) if last else 0.0

    @property
    def rate_change(self) -> float | None:
        """The change of the external rate since the last change of processors, as a part of the rate then; None: no
        change yet.
        """
        last = self.question.last
        if last is None or not last.external_rate:
            return None
        return self.situation.load.external_rate / last.external_rate - 1.0

    @property
    def sized(self) -> tuple[Situation, SizedBy]:
        """The load for which processors are computed, with its source: for most goals that of the highest rate."""
        if not self.policy.is_for_highest_rate:
            return self.situation, "smoothed"
        now = self.peak.load.external_rate
        if self.ahead is not None and self.ahead.load.external_rate > now:
            return self.ahead, "forecast"
        is_newest = self.question.weighed or now > self.situation.load.external_rate
        return self.peak, "newest" if is_newest else "smoothed"

    @property
    def backlog(self) -> Backlog | None:
        """What waits and must be worked off in time; None: nothing."""
        last = self.question.last
        if last is None or not self.policy.is_for_backlog:
            return find_backlog(self.peak)
        return find_owed(self.peak, self.running, last.seconds_ago)

    @property
    def is_settling(self) -> bool:
        """Whether the last change is so new that its effect, and the rate that led to it, were hardly measured yet."""
        last, history = self.question.last, self.question.history
        step = MINUTE if history is None else history.step_seconds
        return last is not None and last.seconds_ago < SETTLING_STEPS * step

    def assess(self, counts: Sequence[int]) -> Estimate:
        """The estimate of times with these processors under the smoothed load; each estimate is worked out once."""
        key = tuple(counts)
        if key not in self.known:
            self.known[key] = assess_counts(self.situation, counts)
        return self.known[key]


@dataclass(frozen=True)
class Proposal:
    """The processors that a goal proposes, with reasons; rules change the proposal or hold it back.

    `urgent`: the goal is missed or soon will be, so the trigger does not count. `is_for_speed`: the only reason is a
    shorter E[T]. `fewest`: the number of processors that would meet the target, if more run and none is given up yet.
    `is_over_budget`: k_max is too small for any stable allocation. `kept`: the counts recommended instead of `counts`,
    to give up fewer. `is_held`: nothing is changed. `moves` and `horizon`: the cost of the change, and its duration.
    """

    counts: list[int]
    reasons: tuple[Reason, ...]
    constraints: tuple[Reason, ...] = ()
    urgent: bool = False
    is_for_speed: bool = False
    fewest: int | None = None
    is_over_budget: bool = False
    kept: list[int] | None = None
    is_held: bool = False
    moves: Moves | None = None
    horizon: ChangeHorizon | None = None

    @property
    def needed(self) -> int:
        """The number of processors that the goal needs now; later decisions in the scale-down window read it."""
        return sum(self.counts) if self.fewest is None else self.fewest

    @property
    def recommended(self) -> list[int]:
        """The number of processors of each operator to run, if no rule holds the change back."""
        return self.counts if self.kept is None else self.kept

    def hold(self, *reasons: Reason) -> "Proposal":
        """Returns the proposal with these reasons for changing nothing."""
        return replace(self, is_held=True, reasons=(*self.reasons, *reasons))


def survey_case(question: DecisionQuestion) -> Case:
    """The case of a question: its loads as queues, and the intervals that correct modelled waits."""
    policy, load, running = question.policy, question.load, list(question.running)
    bounded = bound_topology(question.topology, policy)
    situation = survey_load(bounded, load, policy.model)
    planned = survey_load(bounded, load, policy.model, is_open=True)
    peak = scale_load(planned, max(question.newest_rate, load.external_rate))
    ahead, rate_ahead = None, question.outlook.upper_rate
    if question.weighed is not None:
        situation = see_newest(situation, question.newest_rate, question.weighed)
        peak = scale_load(planned, question.newest_rate)
    elif rate_ahead is not None:
        ahead = scale_load(planned, limit_rate(planned, max(rate_ahead, peak.load.external_rate)))
    intervals = question.intervals
    if intervals is None:
        intervals = (as_interval(load, bounded, running),)
    current = add_disagreement(situation, running, intervals, assess_counts(situation, running))
    return Case(question, situation, peak, ahead, running, current, intervals)


def add_disagreement(
    situation: Situation, running: Sequence[int], intervals: Sequence[Interval], current: Estimate
) -> Estimate:
    """Returns the estimate with a diagnostic if E[T] was measured far from it while the same processors ran."""
    counts = dict(zip(situation.names, running, strict=True))
    seen = [(one.load.operators.get(name), count) for one in intervals for name, count in counts.items()]
    if any(measured is None or measured.processors != count for measured, count in seen):
        return current
    found = compare_sojourn(situation.topology, current, situation.load)
    return current._replace(diagnostics=current.diagnostics + found)


def foresee(case: Case, counts: list[int], external_rate: float, seconds: float) -> Case:
    """The case as it will be `seconds` after a change to these processors, at another rate and not measured yet."""
    terms = replace(case.policy, catch_up_seconds=None, scale_down_window_seconds=0.0)
    last = LastChange(seconds, case.situation.load.external_rate)
    question = DecisionQuestion(case.question.topology, case.question.load, counts, terms, last)
    situation = scale_load(case.situation, external_rate)
    unmeasured = replace(situation.load, measured_sojourn_seconds=None, measured_completion_seconds=None)
    situation = situation._replace(load=unmeasured)
    peak = scale_load(case.peak, external_rate)
    return Case(question, situation, peak, None, counts, assess_counts(situation, counts))


def name_action(running: Sequence[int], counts: Sequence[int]) -> Action:
    """Returns the action that leads from the running to the wanted processors, such as adding or removing some."""
    if list(running) == list(counts):
        return "hold"
    more = sum(counts) - sum(running)
    return "scale_up" if more > 0 else "scale_down" if more < 0 else "rebalance"
