"""The suggestion of a gate: the fewest processors for a target, else the best split of a budget."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from planner.allocation.allocate import allocate_budget
from planner.errors import BoundTooSmall, BudgetTooSmall, TargetUnreachable
from planner.gates.checks import Limits, fit_bounds
from planner.situations.estimate import NEAR_SATURATION, assess_counts
from planner.situations.situation import Situation
from planner.wording import join_names


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Processors to run instead; None where no number of processors suffices, with the reason in `detail`."""

    processors: Mapping[str, int] | None
    processors_total: int | None
    expected_sojourn_seconds: float | None
    detail: str


def suggest_counts(
    situation: Situation,
    counts: Sequence[int],
    limits: Limits,
    *,
    passed: bool,
) -> Suggestion:
    """The fewest processors that meet the target; without one the best split of k_max; without either the
    best split of the current total, or of what keeps every operator below 95%, whichever is more.
    """
    try:
        found = find_sufficient_counts(situation, counts, limits)
    except (TargetUnreachable, BoundTooSmall) as error:
        return Suggestion(None, None, None, str(error))
    answer = assess_counts(situation, found)
    changes = [
        f"{name} {before} → {after}"
        for name, before, after in zip(situation.names, counts, found, strict=True)
        if before != after
    ]
    total, k_max = sum(found), limits.k_max
    over = f" ({total - k_max} more than k_max)" if k_max is not None and total > k_max else ""
    also = " too" if passed else ""
    detail = f"{total} processors{over} would do{also}: {join_names(changes)}." if changes else "As it is."
    return Suggestion(situation.name_counts(found), total, answer.expected_sojourn_seconds, detail)


def find_sufficient_counts(situation: Situation, counts: Sequence[int], limits: Limits) -> list[int]:
    """As suggest_counts says; raises TargetUnreachable or BoundTooSmall where nothing suffices."""
    if limits.target is not None:
        return limits.target.find_fewest(situation)
    k_max = limits.k_max
    budget = k_max if k_max is not None else max(sum(counts), count_unhurried(situation))
    try:
        return allocate_budget(situation.stations, budget, situation.names).counts
    except BudgetTooSmall as error:
        return list(error.per_operator.values())


def count_unhurried(situation: Situation) -> int:
    """Processors that keep every operator at or below 95% utilisation, within its bounds."""
    stations = situation.stations
    rates = zip(stations.arrival_rate, stations.service_rate, strict=True)
    least = stations.list_least_stable()
    wanted = [
        max(ceil(rate / mu / NEAR_SATURATION), floor) for (rate, mu), floor in zip(rates, least, strict=True)
    ]
    return sum(fit_bounds(situation, wanted))
