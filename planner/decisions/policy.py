"""A policy: the goal of a topology, the rules of when to change processors, and the bounds on them.

Which rule decides: a target of E[T] is all that the rule `economic` needs. A policy that sets a field of the rule
`drs`, as policies of before do, keeps that rule unless it names another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from planner.decisions.state_migration import State
from planner.nodes.advice import USUAL_THRESHOLDS, Thresholds
from planner.values import DEFAULT_MODEL, Model, TimeTarget, Topology
from planner.wording import join_names

Goal = Literal["latency-target", "utilisation", "backlog", "tradeoff", "best-split"]
Rule = Literal["drs", "economic"]


@dataclass(frozen=True, slots=True)
class MaxStep:
    """The factors by which one change may multiply the processors of an operator, up and down."""

    up: float
    down: float


@dataclass(frozen=True, slots=True)
class Policy:
    """The goal and the rules of a policy.

    The goal is t_max_seconds if given (DRS, problem 8, within k_max), or `target`, a limit on another time than E[T];
    else `utilisation`, the largest share of its capacity for each instance; else `is_for_backlog`, a backlog worked off
    within catch_up_seconds; else beta (Es-Stream), else the best split of k_max (DRS, problem 6).

    `trigger`: a change of the external rate by a smaller part since the last change is ignored (Es-Stream, VI-C).
    `least_gain`: an E[T] that improves by a smaller part is not worth a change; measurements scatter.
    `look_ahead`: a target covers the upper rate of the coming cooldown, the quantile `qos_target` of its forecast.
    `horizon_seconds`: a change must pay back within this time, if no forecast shows when the next change comes.
    `most_deviation`: streams are redirected if the queue lengths of an operator's instances deviate by more.
    `catch_up_seconds`: the time within which a backlog, such as after an outage, must be worked off.
    `scale_down_window_seconds`: a scale-down keeps as many processors as any decision in this window needed.
    `least_saving`: giving up a smaller part of what runs is not worth a change.
    `rule`: economic keeps a target of E[T] for the part `promise` of the time without the rules above; a change stops
    the job for `change_pause_seconds` (None: learned).
    `late_minute_price`: the processor-minutes that a late minute counts for, in place of `promise`.
    Whatever the rule, an operator changes by `max_step` at most and has at least its processors in `floors`, those of
    the schedules in force; `is_excluded`: nothing is changed now.
    """

    k_max: int | None = None
    t_max_seconds: float | None = None
    t_min_seconds: float | None = None
    beta: float | None = None
    model: Model = DEFAULT_MODEL
    cooldown_seconds: float = 0.0
    trigger: float = 0.0
    least_gain: float = 0.05
    bounds: Mapping[str, tuple[int, int | None]] = field(default_factory=dict)
    states: Mapping[str, State] = field(default_factory=dict)
    look_ahead: bool = True
    qos_target: float = 0.95
    horizon_seconds: float | None = None
    nodes: Thresholds = USUAL_THRESHOLDS
    most_deviation: float = 0.0
    target: TimeTarget | None = None
    catch_up_seconds: float | None = None
    scale_down_window_seconds: float = 0.0
    least_saving: float = 0.0
    rule: Rule = "drs"
    promise: float = 0.97
    change_pause_seconds: float | None = None
    max_step: MaxStep | None = None
    floors: Mapping[str, int] = field(default_factory=dict)
    is_excluded: bool = False
    late_minute_price: float | None = None
    utilisation: float | None = None
    is_for_backlog: bool = False

    @property
    def is_economic(self) -> bool:
        """Whether the economic rule decides, which keeps a target of E[T]."""
        return self.rule == "economic" and self.t_max_seconds is not None

    @property
    def is_limited(self) -> bool:
        """Whether the owner forbids or demands something whatever the rule says."""
        return self.is_excluded or self.max_step is not None or bool(self.floors)

    @property
    def has_target(self) -> bool:
        """Whether the goal of the policy is a limit on a time."""
        return self.t_max_seconds is not None or self.target is not None

    @property
    def limit(self) -> TimeTarget | None:
        """The limit that the policy sets on a time; None if the goal is not a time."""
        return self.target if self.t_max_seconds is None else TimeTarget("total", self.t_max_seconds)

    @property
    def goal(self) -> Goal:
        """The kind of goal that the policy has, such as a target or the best split of a budget."""
        if self.has_target:
            return "latency-target"
        if self.utilisation is not None:
            return "utilisation"
        if self.is_for_backlog:
            return "backlog"
        return "best-split" if self.beta is None else "tradeoff"

    @property
    def is_for_highest_rate(self) -> bool:
        """Whether processors are computed for the highest rate to be ready for; the goals of the papers weigh the
        smoothed rate.
        """
        return self.goal in {"latency-target", "utilisation", "backlog"}

    @property
    def is_looking_ahead(self) -> bool:
        """Whether the policy wants a forecast of the rate."""
        return self.look_ahead and self.is_for_highest_rate


@dataclass(frozen=True, slots=True)
class LastChange:
    """How long ago the last decision changed processors, and the external rate at that time."""

    seconds_ago: float
    external_rate: float


@dataclass(frozen=True, slots=True)
class BudgetShare:
    """The processors that a topology gets of a budget which others share, and why; `is_urgent`: it misses its target,
    or others need what it gives up.
    """

    counts: Sequence[int]
    detail: str
    is_urgent: bool = False


def bound_topology(topology: Topology, policy: Policy) -> Topology:
    """Returns the topology with the bounds of the policy added, and at most as many processors as key groups."""
    operators = []
    for operator in topology.operators:
        least, most = policy.bounds.get(operator.name, (1, None))
        floor = policy.floors.get(operator.name, 1)
        state = policy.states.get(operator.name)
        ceilings = [operator.max_processors, most, state.key_groups if state else None]
        known = [one for one in ceilings if one is not None]
        operators.append(
            operator._replace(
                min_processors=max(operator.min_processors, least, min([floor, *known])),
                max_processors=min(known) if known else None,
            )
        )
    return replace(topology, operators=tuple(operators))


OF_DRS = {
    "t_min_seconds": "a lower limit of E[T]",
    "smoothing": "a smoothing",
    "cooldown_seconds": "a cooldown",
    "trigger": "a trigger",
    "least_gain": "a least gain",
    "scale_down_window_seconds": "a time for which processors are kept",
    "least_saving": "a least saving",
    "horizon_seconds": "a time within which changes pay back",
    "look_ahead": "whether to look ahead",
    "qos_target": "a probability for the forecast",
    "catch_up_seconds": "a time for what waits",
}
"""The fields of a policy, and of its goal, that only the rule `drs` needs, in words."""


def read_part(sent: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The fields of a part of a policy, whether it was checked already or not."""
    part = sent.get(name)
    if isinstance(part, Mapping):
        return part
    return getattr(part, "__dict__", {})


def list_of_drs(sent: Mapping[str, Any]) -> list[str]:
    """The terms of the rule `drs` that a policy sets, in words."""
    fields = {**read_part(sent, "goal"), **sent}
    return [words for name, words in OF_DRS.items() if fields.get(name) is not None]


def limits_mean(sent: Mapping[str, Any]) -> bool:
    """Whether the goal of a policy is a target of E[T]."""
    goal = read_part(sent, "goal")
    if goal.get("t_max_seconds") is not None:
        return True
    target = read_part(goal, "target")
    return target.get("of") == "total" and target.get("quantile") is None


def choose_rule(sent: Mapping[str, Any]) -> Rule:
    """The rule of a policy that names none."""
    return "economic" if limits_mean(sent) and not list_of_drs(sent) else "drs"


def describe_rule(stated: Mapping[str, Any], rule: Rule) -> str:
    """A sentence that says which rule decides under a policy, and why; `stated` are its fields without the usual."""
    terms = list_of_drs(stated)
    if not limits_mean(stated):
        return "The rule drs decides, since the rule economic needs a target of E[T]."
    if rule == "economic":
        unused = f" It no longer needs what else the policy sets: {join_names(terms)}." if terms else ""
        return f"The rule economic decides: a target of E[T] is all that it needs.{unused}"
    if terms:
        return f"The rule drs decides, since the policy sets {join_names(terms)}."
    return "The rule drs decides, as the policy says. Under the rule economic this target is enough."
