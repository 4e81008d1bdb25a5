"""Why an allocation is this one: what one processor more and one fewer at each operator would do to E[T]."""

from collections.abc import Sequence
from heapq import nsmallest
from math import inf

import numpy as np

from planner.queueing.erlang import LEAST_LOAD
from planner.queueing.stations import (
    FEW_OPERATORS,
    Queues,
    Stations,
    find_least_stable_counts,
    look_at,
    wait_seconds_each,
)
from planner.values import Diagnostic, Effect, Operator

# A person reads an explanation; past this many operators nobody does, and the answer would only be long.
EFFECTS_SHOWN = 200


def explain_allocation(
    operators: Sequence[Operator],
    counts: Sequence[int],
    savings: Sequence[float],
    costs: Sequence[float],
    *,
    expected_seconds: float,
    t_max_seconds: float,
) -> tuple[tuple[Effect, ...], tuple[Diagnostic, ...]]:
    """The effects, largest first and ties in topology order.

    `savings` and `costs` come from the gain without a subtraction of waits, so that a saving of 1e-15 of E[T]
    is still right to eleven digits.
    """
    weights = [cost if saving < cost < inf else saving for saving, cost in zip(savings, costs, strict=True)]
    shown = (
        sorted(range(len(weights)), key=weights.__getitem__, reverse=True)  # which leaves ties as they are
        if len(weights) <= EFFECTS_SHOWN
        else nsmallest(EFFECTS_SHOWN, range(len(weights)), key=lambda i: (-weights[i], i))
    )
    effects = tuple(
        [
            describe_effect(
                operators[i],
                counts[i],
                savings[i],
                costs[i],
                expected_seconds=expected_seconds,
                t_max_seconds=t_max_seconds,
            )
            for i in shown
        ]
    )
    if len(effects) == len(operators):
        return effects, ()
    detail = f"The explanation holds the {len(effects)} largest effects of {len(operators)} operators."
    return effects, (Diagnostic("explanation-cut", detail),)


def find_effects(
    stations: Stations, counts: Sequence[int], external_rate: float
) -> tuple[list[float], list[float], list[float]]:
    """The waits, what one more takes off E[T] and what one fewer adds: vᵢ(Wᵢ(k) − Wᵢ(k+1)) = gainᵢ(k)/λ0.

    A cost is infinite where the operator would be unstable. Where nothing arrives nothing waits.
    """
    if len(counts) > FEW_OPERATORS:
        return find_many_effects(stations, counts, external_rate)
    scale = external_rate or inf  # without input every gain is 0
    waits: list[float] = []
    savings: list[float] = []
    costs: list[float] = []
    for curve, count in zip(stations.curves, counts, strict=True):
        waits.append(curve.wait_seconds(count))
        savings.append(curve[count] / scale)
        costs.append(curve[count - 1] / scale if count > curve.floor else inf)
    return waits, savings, costs


def find_many_effects(
    stations: Stations, counts: Sequence[int], external_rate: float
) -> tuple[list[float], list[float], list[float]]:
    """As find_effects, on arrays; where nothing arrives or nothing varies, nothing is gained."""
    queues = Queues.prepare(stations)
    k = np.asarray(counts, np.int64)
    least = find_least_stable_counts(queues.high, queues.low)
    savings, costs = np.zeros(len(k)), np.where(k > least, 0.0, inf)
    at = np.flatnonzero((queues.high >= LEAST_LOAD) & (queues.weights.level > 0.0))
    seen = look_at(queues.select(at), k[at], least[at])
    savings[at] = np.exp(seen.log_next) / external_rate
    costs[at] = np.exp(seen.log_last) / external_rate  # log_last is infinite at the least stable count
    return np.asarray(wait_seconds_each(stations, counts)).tolist(), savings.tolist(), costs.tolist()


def describe_effect(
    operator: Operator,
    count: int,
    saving: float,
    cost: float,
    *,
    expected_seconds: float,
    t_max_seconds: float,
) -> Effect:
    """One operator's effect in numbers, and in a sentence."""
    name, _, least, most = operator
    at_most = most is not None and count >= most
    at_least = count <= least
    if at_most:
        more = f"one more is forbidden by max_processors = {most}"
    elif saving:
        more = f"one more would save {describe_share(saving, expected_seconds)}"
    else:
        more = "one more would save nothing"
    if at_least:
        fewer = (
            "an operator needs at least one"
            if least == 1
            else f"one fewer is forbidden by min_processors = {least}"
        )
    elif cost == inf:
        fewer = "one fewer could not keep up with the load"
    else:
        fewer = (
            f"one fewer would cost {describe_share(cost, expected_seconds)}"
            if cost
            else "one fewer would cost nothing"
        )
        if expected_seconds + cost > t_max_seconds:
            fewer += f" and miss t_max_seconds = {t_max_seconds:.6g}"
    return Effect(
        name,
        count,
        None if at_most else 0.0 - saving,  # not -0.0, which JSON would show
        None if at_least or cost == inf else cost,
        "max_processors" if at_most else None,
        "min_processors" if at_least else None,
        f"{name} has {count}: {more}; {fewer}.",
    )


def describe_share(seconds: float, expected_seconds: float) -> str:
    """A change of E[T] in seconds and as part of it, for reading."""
    share = 100.0 * seconds / expected_seconds
    return f"{seconds:.3g} s ({share:.2g}%)" if share < 99.0 else f"{seconds:.3g} s ({share:.0f}%)"
