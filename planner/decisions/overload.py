"""The split of k_max that serves the most, where k_max is too small for all that comes: the best that a budget can do.

An operator with k processors serves the part kμ/λ of what would reach it. The least of these parts is what the whole
topology serves, and the split that makes it largest gives the next processor to the operator with the least part.
"""

from collections.abc import Sequence
from heapq import heapify, heapreplace
from math import ceil, inf

from planner.decisions.case import Case, Proposal, Reason, describe_limit, describe_signal
from planner.errors import BudgetTooSmall
from planner.situations.situation import Situation

# Bisections of the part that is served; what they leave are few processors more than operators.
HALVINGS = 60


def propose_most(case: Case, error: BudgetTooSmall) -> Proposal:
    """The split of k_max that serves the most, if it is more than what runs serves; else what runs."""
    limits, k_max = (describe_limit(error),), case.policy.k_max
    held = Proposal(case.running, (), limits)
    if k_max is None or k_max < sum(case.running):
        return held
    counts = split_most(case.peak, k_max)
    if counts is None:
        return held
    before, after = find_served(case.peak, case.running), find_served(case.peak, counts)
    if sum(counts) <= sum(case.running) and after <= before * (1.0 + case.policy.least_gain):
        return held
    detail = (
        f"{describe_signal(case)}. k_max is too small for {case.peak.load.external_rate:.6g} tuples/s: its best split "
        f"serves {min(after, 1.0):.1%} of them, what runs {min(before, 1.0):.1%}."
    )
    return Proposal(counts, (Reason("most-served", detail),), limits, urgent=True)


def find_served(situation: Situation, counts: Sequence[int]) -> float:
    """The part of what comes that the operators can serve, min kμ/λ; above 1 all of it."""
    rows = zip(counts, situation.stations.service_rate, situation.flow.arrival_rates, strict=True)
    return min((count * float(mu) / rate for count, mu, rate in rows if rate > 0.0), default=inf)


def split_most(situation: Situation, k_max: int) -> list[int] | None:
    """The split of k_max, within the bounds of operators, with the largest min kμ/λ; None: bounds take more."""
    operators = situation.topology.operators
    loads = [
        rate / float(mu)
        for rate, mu in zip(situation.flow.arrival_rates, situation.stations.service_rate, strict=True)
    ]
    ceilings = [inf if one.ceiling is None else one.ceiling for one in operators]
    least = [one.min_processors for one in operators]

    def fill(part: float) -> list[int]:
        rows = zip(least, loads, ceilings, strict=True)
        return [int(min(max(low, ceil(part * load)), most)) for low, load, most in rows]

    low, high = 0.0, 1.0
    if sum(least) > k_max:
        return None
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if sum(fill(middle)) <= k_max else (low, middle)
    counts = fill(low)
    give_rest(counts, loads, ceilings, k_max - sum(counts))
    return counts


def give_rest(counts: list[int], loads: Sequence[float], ceilings: Sequence[float], left: int) -> None:
    """Gives one processor after the other to the operator that serves the least part."""
    parts = [
        (count / load, place)
        for place, (count, load, most) in enumerate(zip(counts, loads, ceilings, strict=True))
        if load > 0.0 and count < most
    ]
    heapify(parts)
    while left > 0 and parts:
        place = parts[0][1]
        counts[place] += 1
        left -= 1
        part = counts[place] / loads[place] if counts[place] < ceilings[place] else inf
        heapreplace(parts, (part, place))
        if parts[0][0] == inf:
            return
