"""The checks of a gate on the processors of a topology: stability, bounds, budget and latency."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal

from planner.queueing.erlang import STABILITY_MARGIN
from planner.queueing.stations import NO_BOUND
from planner.situations.situation import Situation
from planner.targets.target import Target, compare_seconds, take_sign
from planner.targets.target import find_margin as find_target_margin
from planner.values import Estimate, OperatorEstimate
from planner.wording import join_names, write_counted, write_percent


@dataclass(frozen=True, slots=True)
class Check:
    """One condition that processors must meet, with the value found and its limit; a value of None is infinite."""

    name: Literal["stability", "bounds", "budget", "latency"]
    passed: bool
    value: float | None
    limit: float
    detail: str


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits on time and on processors that the caller wants a gate to check."""

    target: Target | None
    k_max: int | None


def run_checks(
    situation: Situation, counts: Sequence[int], answer: Estimate, limits: Limits
) -> tuple[Check, ...]:
    """Returns the checks of processors: stability, bounds where the topology has any, and the limits of the caller."""
    checks = [check_stability(answer)]
    if any(
        operator.min_processors > 1 or operator.ceiling is not None
        for operator in situation.topology.operators
    ):
        checks.append(check_bounds(situation, counts))
    if limits.k_max is not None:
        total = sum(counts)
        relation = f"{total - limits.k_max} more than" if total > limits.k_max else "within"
        detail = f"{write_counted(total, 'processor')}: {relation} the {limits.k_max} allowed."
        checks.append(Check("budget", total <= limits.k_max, float(total), float(limits.k_max), detail))
    if limits.target is not None:
        checks.append(check_target(limits.target, situation, counts))
    return tuple(checks)


def check_stability(answer: Estimate) -> Check:
    """Returns the check that every operator keeps up: its processors are busy for less than all of the time."""
    busiest = max(answer.operators, key=find_use)
    used = find_use(busiest)
    if answer.stable:
        detail = f"Every operator keeps up; the busiest is {busiest.name}: {write_percent(used)} busy."
    elif used > busiest.utilisation:
        detail = (
            f"{join_names(answer.unstable_operators)} cannot keep up: the busiest instance of {busiest.name} would "
            f"need {write_percent(used)} of its time."
        )
    else:
        detail = (
            f"{join_names(answer.unstable_operators)} cannot keep up: {busiest.name} would need "
            f"{write_percent(busiest.utilisation)} of its {write_counted(busiest.processors, 'processor')}."
        )
    return Check("stability", answer.stable, used, 1.0, detail)


def find_use(one: OperatorEstimate) -> float:
    """The utilisation of an operator, or of its busiest instance where that decides: with whole groups, or overload."""
    hottest = one.hottest_utilisation or 0.0
    return hottest if one.groups is not None or hottest >= 1.0 else one.utilisation


def check_bounds(situation: Situation, counts: Sequence[int]) -> Check:
    """Returns the check that every operator has no fewer and no more processors than its bounds allow."""
    outside = list_outside(situation, counts)
    detail = (
        f"Fewer or more processors than the topology or the policy allows: {join_names(outside)}."
        if outside
        else "No operator has fewer or more processors than the topology and the policy allow."
    )
    return Check("bounds", not outside, float(len(outside)), 0.0, detail)


def fit_bounds(situation: Situation, wanted: Sequence[int]) -> list[int]:
    """Returns the wanted processors of each operator, moved to within its bounds min_processors and max_processors."""
    stations = situation.stations
    rows = zip(wanted, stations.min_processors, stations.max_processors, strict=True)
    return [int(min(max(count, least), most)) for count, least, most in rows]


def list_outside(situation: Situation, counts: Sequence[int]) -> list[str]:
    """Returns the operators with fewer or more processors than their bounds allow."""
    return [
        operator.name
        for operator, count in zip(situation.topology.operators, counts, strict=True)
        if not operator.min_processors <= count <= (operator.ceiling or NO_BOUND)
    ]


def check_target(target: Target, situation: Situation, counts: Sequence[int]) -> Check:
    """Returns the check that the processors meet the target on a time."""
    seconds = target.find_seconds(situation, counts)
    passed = seconds is not None and seconds <= target.seconds
    return Check("latency", passed, seconds, target.seconds, f"{compare_seconds(target, seconds)}.")


def find_margin(situation: Situation, counts: Sequence[int], limits: Limits) -> float:
    """Returns how far the processors are from failing a check: 0 or more if every check passes, below 0 if one fails.

    If the rate decides, the margin is a smooth function of the rate: the margin of the target, or without a target the
    smallest spare part of a capacity; else −1.
    """
    if limits.k_max is not None and sum(counts) > limits.k_max:
        return -1.0
    if list_outside(situation, counts):
        return -1.0
    if limits.target is not None:
        return find_target_margin(limits.target, situation, counts)
    is_stable = inf not in situation.wait_seconds(counts)
    return take_sign(find_spare(situation, counts), holds=is_stable)


def find_spare(situation: Situation, counts: Sequence[int]) -> float:
    """Returns the part of the time that the busiest instance is free, less the part that must be free for stability."""
    return 1.0 - STABILITY_MARGIN - max(situation.stations.find_utilisations(counts))
