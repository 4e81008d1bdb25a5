"""The two questions of elastic scaling: the best split of a budget, and the fewest processors for a target.

    min_latency      min E[T](k)  subject to  Σ kᵢ ≤ K_max         (DRS, problem 6)
    min_processors   min Σ kᵢ     subject to  E[T](k) ≤ T_max      (DRS, problem 8)

within min_processors ≤ kᵢ ≤ max_processors of each operator. `planner.allocation.allocate` finds the counts; here they
are estimated and explained. The lower bound is T_L = Σ vᵢ/μᵢ, with visits: the paper's Algorithm 2, line 5 sums
1/μᵢ, which accepts targets that cannot be met and refuses some that can.
"""

from dataclasses import replace
from math import inf

import numpy as np

from planner.allocation.allocate import Allocated, allocate_budget, allocate_target
from planner.errors import TargetUnreachable
from planner.plans.estimation import Situation, evaluate_allocation, sum_sojourn, survey_load
from planner.plans.explanation import explain_allocation, find_effects
from planner.values import DEFAULT_MODEL, Diagnostic, Load, Model, Objective, Plan, Topology


def min_latency(topology: Topology, load: Load, k_max: int, model: Model = DEFAULT_MODEL) -> Plan:
    """The allocation of at most k_max processors with the least E[T]; on ties the earlier operator has more."""
    situation = survey_load(topology, load, model)
    allocated = allocate_budget(situation.stations, k_max, situation.names)
    return describe_plan(situation, allocated, objective="min-latency")


def min_processors(
    topology: Topology, load: Load, t_max_seconds: float, model: Model = DEFAULT_MODEL
) -> Plan:
    """The fewest processors with E[T] ≤ t_max_seconds: greedy's first allocation that meets it."""
    situation = survey_load(topology, load, model)
    if load.external_rate:
        allocated = allocate_target(situation.stations, t_max_seconds, load.external_rate, situation.names)
    else:
        allocated = allocate_idle(situation, t_max_seconds)
    return describe_plan(situation, allocated, objective="min-processors", t_max_seconds=t_max_seconds)


def allocate_idle(situation: Situation, t_max_seconds: float) -> Allocated:
    """Where nothing arrives nothing waits: the least processors attain the lower bound itself."""
    lower_bound_seconds = find_lower_bound(situation)
    if not t_max_seconds >= lower_bound_seconds:
        raise TargetUnreachable(t_max_seconds, lower_bound_seconds)
    return Allocated(np.asarray(situation.stations.min_processors, np.int64), optimal=True)


def describe_plan(
    situation: Situation,
    allocated: Allocated,
    *,
    objective: Objective,
    t_max_seconds: float = inf,
) -> Plan:
    """Estimate and explain what was allocated."""
    counts = allocated.counts.tolist()
    operators = situation.topology.operators
    waits, savings, costs = find_effects(situation.stations, counts, situation.load.external_rate)
    answer = evaluate_allocation(situation, counts, waits)
    expected = answer.expected_sojourn_seconds
    assert expected is not None  # an allocation is stable or an error
    effects, cut = explain_allocation(
        operators,
        counts,
        savings,
        costs,
        expected_seconds=expected,
        t_max_seconds=t_max_seconds,
    )
    said = describe_allocated(allocated) + cut
    return Plan(
        objective=objective,
        processors={operator.name: count for operator, count in zip(operators, counts, strict=True)},
        optimal=allocated.optimal,
        unused_processors=allocated.unused_processors,
        lower_bound_seconds=find_lower_bound(situation),
        estimate=replace(answer, diagnostics=answer.diagnostics + said) if said else answer,
        explanation=effects,
    )


def find_lower_bound(situation: Situation) -> float:
    """T_L = Σ vᵢ/μᵢ, what is left of E[T] when nothing ever waits."""
    return sum_sojourn(situation, [0.0] * len(situation.names))


def describe_allocated(allocated: Allocated) -> tuple[Diagnostic, ...]:
    """What the search for the counts has to say about them."""
    diagnostics: tuple[Diagnostic, ...] = ()
    if allocated.unused_processors:
        detail = (
            f"{allocated.unused_processors} processors are left over: every operator is at its max_processors or "
            "waits so little that one more would change no digit."
        )
        diagnostics += (Diagnostic("unused-processors", detail),)
    if not allocated.optimal:
        detail = (
            "The gains around this allocation do not fall from one processor to the next, so that the best found "
            "one by one may not be the best of all."
        )
        diagnostics += (Diagnostic("optimality-not-shown", detail),)
    return diagnostics
