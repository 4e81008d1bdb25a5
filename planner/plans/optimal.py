"""The two questions of elastic scaling: the best split of a budget, and the fewest processors for a target.

    min_latency      min E[T](k)  subject to  Σ kᵢ ≤ K_max         (DRS, problem 6)
    min_processors   min Σ kᵢ     subject to  E[T](k) ≤ T_max      (DRS, problem 8)

within min_processors ≤ kᵢ ≤ max_processors of each operator. A plan runs straight through four files: survey_load
(situations/situation) turns topology and load into queues, allocate_budget or allocate_target (allocation/allocate)
finds the counts, explain_plan (explanation) estimates and explains them.
"""

from math import inf

from planner.allocation.allocate import Allocated, allocate_budget
from planner.plans.explanation import explain_plan
from planner.situations.situation import Situation, survey_load
from planner.targets.target import allocate_fewest
from planner.values import DEFAULT_MODEL, Diagnostic, Load, Model, Plan, Topology


def min_latency(topology: Topology, load: Load, k_max: int, model: Model = DEFAULT_MODEL) -> Plan:
    """Plans at most k_max processors with the least E[T]; among equal plans, earlier operators have more processors."""
    situation = survey_load(topology, load, model, is_open=True)
    allocated = allocate_budget(situation.stations, k_max, situation.names)
    return explain_allocated(situation, allocated, "min-latency")


def min_processors(
    topology: Topology, load: Load, t_max_seconds: float, model: Model = DEFAULT_MODEL
) -> Plan:
    """Plans the fewest processors with which E[T] is at most t_max_seconds."""
    situation = survey_load(topology, load, model, is_open=True)
    allocated = allocate_fewest(situation, t_max_seconds)
    return explain_allocated(situation, allocated, "min-processors", t_max_seconds)


def explain_allocated(
    situation: Situation, allocated: Allocated, objective: str, t_max_seconds: float = inf
) -> Plan:
    """Returns the plan of the processors that the search found, with its estimate and explanation."""
    return explain_plan(
        situation,
        allocated.counts,
        objective=objective,
        optimal=allocated.optimal,
        unused_processors=allocated.unused_processors,
        t_max_seconds=t_max_seconds,
        said=describe_allocated(allocated),
    )


def describe_allocated(allocated: Allocated) -> tuple[Diagnostic, ...]:
    """Returns diagnostics of the search for a plan: processors left over, and an answer that may not be the best."""
    diagnostics: tuple[Diagnostic, ...] = ()
    if allocated.unused_processors:
        detail = (
            f"{allocated.unused_processors} processors are left over: every operator is at its max_processors, or its "
            "wait is so short that one more would change no digit."
        )
        diagnostics += (Diagnostic("unused-processors", detail),)
    if not allocated.optimal:
        detail = (
            "A better split may exist: near this one, a second further processor at an operator helps more than the "
            "first, and the search adds processors one by one."
        )
        diagnostics += (Diagnostic("optimality-not-shown", detail),)
    return diagnostics
