"""What would another load, budget or target change? The verdict on the running processors, the
plan, and the frontier.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from planner.allocation.allocate import allocate_budget
from planner.errors import InvalidAllocation
from planner.gates.verdict import Verdict, judge_capacity
from planner.plans.frontier import FrontierPoint, sweep_frontier
from planner.plans.optimal import explain_allocated
from planner.situations.situation import Situation, check_rate, scale_load, survey_load
from planner.targets.target import OUT_OF_REACH, allocate_fewest
from planner.topology.loads import find_counts
from planner.values import DEFAULT_MODEL, Diagnostic, Estimate, Load, Model, Plan, TimeTarget, Topology
from planner.wording import write_counted

Found = TypeVar("Found")
# The frontier goes on beyond the largest requested or running number of processors.
BEYOND = 1.5
LEAST_BEYOND = 8


@dataclass(frozen=True, slots=True)
class WhatIfTerms:
    """The load to explore, as a multiple of the measured load, and a target, a budget, or neither."""

    load_factor: float = 1.0
    t_max_seconds: float | None = None
    k_max: int | None = None


@dataclass(frozen=True)
class Explored:
    """The answer for another load; None: the running processors are unknown, or no plan exists; a
    diagnostic says why.
    """

    external_rate: float
    k_max: int | None
    current: Estimate | None
    verdict: Verdict | None
    planned: Plan | None
    frontier: list[FrontierPoint]
    diagnostics: tuple[Diagnostic, ...]


def explore(topology: Topology, load: Load, terms: WhatIfTerms, model: Model = DEFAULT_MODEL) -> Explored:
    """Returns the verdict, the plan and the frontier for a multiple of the measured load.

    The plan is ready for bursts that no operator holds back, as every plan.
    """
    rate = terms.load_factor * load.external_rate
    measured = survey_load(topology, load, model, is_open=True)
    check_rate(measured, rate)
    situation = scale_load(measured, rate)
    said: list[Diagnostic] = []
    verdict = refuse(lambda: judge_running(topology, load, terms, situation), "running-unknown", said)
    running = None if verdict is None else verdict.estimate.processors_total
    k_max = terms.k_max if terms.k_max is not None or terms.t_max_seconds is not None else running
    planned = refuse(lambda: plan(situation, terms.t_max_seconds, k_max), "no-plan", said)
    totals = [one for one in (running, k_max, planned and planned.estimate.processors_total) if one]
    most = max([0, *totals])
    frontier = refuse(
        lambda: sweep_frontier(situation, max(int(BEYOND * most), most + LEAST_BEYOND)), "no-frontier", said
    )
    said += describe_distance(frontier or [])
    current = None if verdict is None else verdict.estimate
    points = lower_to_plan(frontier or [], planned)
    said += describe_held_bursts(current, points)
    return Explored(rate, k_max, current, verdict, planned, points, tuple(said))


def judge_running(topology: Topology, load: Load, terms: WhatIfTerms, situation: Situation) -> Verdict:
    """Returns the gate's verdict on the running processors; raises InvalidAllocation if they are unknown."""
    find_counts(topology, load, None)  # a gate would judge the best split of k_max instead
    return judge_capacity(
        topology,
        load,
        external_rate=situation.load.external_rate,
        limit=None if terms.t_max_seconds is None else TimeTarget("total", terms.t_max_seconds),
        k_max=terms.k_max,
        model=situation.stations.model,
        opened=situation,
    )


def plan(situation: Situation, t_max_seconds: float | None, k_max: int | None) -> Plan | None:
    """The fewest processors for the target, within the budget; without a target, the best split of the budget."""
    if t_max_seconds is not None:
        found = explain_allocated(
            situation, allocate_fewest(situation, t_max_seconds), "min-processors", t_max_seconds
        )
        if k_max is None or found.estimate.processors_total <= k_max:
            return found
    if k_max is None:
        return None
    return explain_allocated(
        situation, allocate_budget(situation.stations, k_max, situation.names), "min-latency"
    )


def lower_to_plan(frontier: list[FrontierPoint], planned: Plan | None) -> list[FrontierPoint]:
    """Returns the frontier with no E[T] longer than the plan's, from the plan's number of processors on.

    Where gains rise with a further processor, as near measured keys, the search for a plan may find more than single
    steps do.
    """
    seconds = None if planned is None else planned.estimate.expected_sojourn_seconds
    if planned is None or seconds is None:
        return frontier
    total = planned.estimate.processors_total
    return [
        replace(point, expected_sojourn_seconds=seconds)
        if point.processors_total >= total and point.expected_sojourn_seconds > seconds
        else point
        for point in frontier
    ]


HELD = 0.005
"""The part by which what runs may be quicker than the best split of as many processors without a word on it."""


def describe_held_bursts(current: Estimate | None, frontier: Sequence[FrontierPoint]) -> list[Diagnostic]:
    """Returns a diagnostic if what runs is estimated to be quicker than the best split of as many processors."""
    if current is None or current.expected_sojourn_seconds is None:
        return []
    best = {one.processors_total: one.expected_sojourn_seconds for one in frontier}
    seconds = best.get(current.processors_total, 0.0)
    if seconds <= (1.0 + HELD) * current.expected_sojourn_seconds:
        return []
    counted = write_counted(current.processors_total, "processor")
    detail = (
        f"E[T] of the {counted} that run is estimated with bursts as upstream operators hold them back. The curve and "
        f"the plan must be ready for bursts that nothing holds back: so their best split of {counted} takes longer."
    )
    return [Diagnostic("bursts-held-back", detail)]


def describe_distance(frontier: Sequence[FrontierPoint]) -> list[Diagnostic]:
    """Returns a diagnostic if the frontier leaves out some numbers of processors."""
    if not frontier or frontier[-1].processors_total - frontier[0].processors_total < len(frontier):
        return []
    detail = (
        f"The curve has {len(frontier)} points for {frontier[0].processors_total} to "
        f"{write_counted(frontier[-1].processors_total, 'processor')}, further apart towards the end."
    )
    return [Diagnostic("frontier-thinned", detail)]


def refuse(compute: Callable[[], Found], code: str, said: list[Diagnostic]) -> Found | None:
    """Returns the result of `compute`; on an error returns None, and adds a diagnostic with the reason to `said`."""
    try:
        return compute()
    except (*OUT_OF_REACH, InvalidAllocation) as error:
        said.append(Diagnostic(code, str(error)))
        return None
