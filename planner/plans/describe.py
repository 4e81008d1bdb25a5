"""A plan of processors that were not chosen for E[T] alone, and may leave an operator short."""

from collections.abc import Sequence
from dataclasses import replace

from planner.errors import join_names
from planner.plans.estimation import Situation, assess_counts
from planner.plans.explanation import explain_allocation, find_effects
from planner.plans.optimal import find_lower_bound
from planner.values import Diagnostic, Objective, Plan


def describe_choice(
    situation: Situation,
    counts: Sequence[int],
    throttled: Sequence[str],
    *,
    objective: Objective,
    optimal: bool,
    said: tuple[Diagnostic, ...] = (),
) -> Plan:
    """Estimate and explain `counts`; `throttled` operators cannot keep up at their max_processors."""
    answer = assess_counts(situation, counts)
    short = [name in set(throttled) for name in situation.names]
    # As if nothing arrived where more arrives than can be served: no finite gain describes an endless queue.
    rates = [
        0.0 if is_short else rate
        for rate, is_short in zip(situation.stations.arrival_rate, short, strict=True)
    ]
    calm = replace(situation.stations, arrival_rate=rates)
    _, savings, costs = find_effects(calm, counts, situation.load.external_rate)
    effects, cut = explain_allocation(
        situation.topology.operators,
        counts,
        savings,
        [float("inf") if is_short else cost for cost, is_short in zip(costs, short, strict=True)],
        expected_seconds=sum(one.visits * (one.sojourn_seconds or 0.0) for one in answer.operators),
        t_max_seconds=float("inf"),
    )
    return Plan(
        objective=objective,
        processors=dict(zip(situation.names, counts, strict=True)),
        optimal=optimal,
        unused_processors=0,
        lower_bound_seconds=find_lower_bound(situation),
        estimate=replace(answer, diagnostics=answer.diagnostics + said + describe_throttled(throttled) + cut),
        explanation=effects,
    )


def describe_throttled(throttled: Sequence[str]) -> tuple[Diagnostic, ...]:
    """Who cannot keep up, and what that does to the operators behind."""
    if not throttled:
        return ()
    detail = (
        f"{join_names(throttled)} cannot keep up even at max_processors: the queue grows without end, and operators "
        "behind receive only what is served. Raise the bound, or lower the load."
    )
    return (Diagnostic("throttled", detail, tuple(throttled)),)
