"""The two questions of elastic scaling: the best split of a budget, and the fewest processors for a target.

    min_latency      min E[T](k)  subject to  Σ kᵢ ≤ K_max         (DRS, problem 6)
    min_processors   min Σ kᵢ     subject to  E[T](k) ≤ T_max      (DRS, problem 8)

within min_processors ≤ kᵢ ≤ max_processors of each operator. `planner.allocation` finds the counts; here they
are estimated and explained. The lower bound is T_L = Σ vᵢ/μᵢ, with visits: the paper's Algorithm 2, line 5 sums
1/μᵢ, which accepts targets that cannot be met and refuses some that can.
"""

from dataclasses import replace
from math import fsum, inf

from planner.allocation import Allocated, allocate_budget, allocate_target
from planner.estimation import collect_stations, evaluate_allocation
from planner.explanation import explain_allocation, find_effects
from planner.flow import Flow, measure_flow
from planner.stations import Stations
from planner.values import DEFAULT_MODEL, Diagnostic, Load, Model, Objective, Plan, Topology


def min_latency(topology: Topology, load: Load, k_max: int, model: Model = DEFAULT_MODEL) -> Plan:
    """The allocation of at most k_max processors with the least E[T]; of equal ones that of the earlier operators."""
    flow = measure_flow(topology, load)
    stations = collect_stations(topology, load, flow, model)
    allocated = allocate_budget(stations, k_max, [operator.name for operator in topology.operators])
    return describe_plan("min-latency", topology, load, flow, stations, allocated)


def min_processors(
    topology: Topology, load: Load, t_max_seconds: float, model: Model = DEFAULT_MODEL
) -> Plan:
    """The fewest processors with E[T] ≤ t_max_seconds: greedy's first allocation that meets it."""
    flow = measure_flow(topology, load)
    stations = collect_stations(topology, load, flow, model)
    names = [operator.name for operator in topology.operators]
    allocated = allocate_target(stations, t_max_seconds, load.external_rate, names)
    return describe_plan("min-processors", topology, load, flow, stations, allocated, t_max_seconds)


def describe_plan(
    objective: Objective,
    topology: Topology,
    load: Load,
    flow: Flow,
    stations: Stations,
    allocated: Allocated,
    t_max_seconds: float = inf,
) -> Plan:
    """Estimate and explain what was allocated."""
    counts = allocated.counts.tolist()
    answer = evaluate_allocation(topology, load, flow, stations, counts)
    expected = answer.expected_sojourn_seconds
    assert expected is not None  # an allocation is stable or an error
    savings, costs = find_effects(stations, counts, load.external_rate)
    effects, cut = explain_allocation(topology.operators, counts, savings, costs, expected, t_max_seconds)
    return Plan(
        objective=objective,
        processors={operator.name: count for operator, count in zip(topology.operators, counts, strict=True)},
        optimal=allocated.optimal,
        unused_processors=allocated.unused_processors,
        lower_bound_seconds=find_lower_bound(flow, stations),
        estimate=replace(answer, diagnostics=answer.diagnostics + describe_allocated(allocated) + cut),
        explanation=effects,
    )


def find_lower_bound(flow: Flow, stations: Stations) -> float:
    """T_L = Σ vᵢ/μᵢ, what is left of E[T] when nothing ever waits."""
    return fsum([visits / mu for visits, mu in zip(flow.visits, stations.service_rate, strict=True)])


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
