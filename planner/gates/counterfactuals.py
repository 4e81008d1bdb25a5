"""Counterfactuals of a recommendation: one processor fewer, and the external rates up to which it holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from planner.allocation.allocate import EvenSplit, allocate_budget
from planner.errors import BoundTooSmall, BudgetTooSmall
from planner.gates.checks import Limits
from planner.gates.headroom import find_headroom, plan_counts
from planner.situations.estimate import assess_counts
from planner.situations.situation import Situation
from planner.targets.target import SojournTarget, Target, compare_seconds
from planner.wording import UNBOUNDED, write_factor, write_rate, write_seconds

OWN_TOLERANCE = 1e-6
"""With a queue for each processor each further digit of a rate takes a search for the best split, of milliseconds."""


@dataclass(frozen=True, slots=True)
class Counterfactuals:
    """E[T] with one processor fewer, and the largest external rates.

    Up to `holds_up_to_rate` the recommended processors keep up and meet the target, if there is one. Up to
    `one_fewer_up_to_rate` the best split of one processor fewer does too. None: no rate, or every rate.
    """

    one_fewer_processors: Mapping[str, int] | None
    one_fewer_sojourn_seconds: float | None
    one_fewer_detail: str
    holds_up_to_rate: float | None
    one_fewer_up_to_rate: float | None


def find_counterfactuals(
    situation: Situation,
    counts: Sequence[int],
    target: Target | None,
    t_min_seconds: float | None = None,
    *,
    correction: float = 1.0,
    own_correction: float | None = None,
) -> Counterfactuals:
    """The counterfactuals of `counts`, with waits `correction` times as long as modelled.

    With `own_correction` one processor fewer is also tried with a queue for each processor; the longer E[T] counts.
    """
    total, rate = sum(counts), situation.load.external_rate
    chosen = list(counts)
    fewer, seconds, detail = describe_one_fewer(situation, total - 1, correction, own_correction)
    if fewer is not None and target is not None:
        detail += f" {judge_one_fewer(situation, list(fewer.values()), seconds, target, t_min_seconds)}"
    limits = Limits(shorten_target(situation, target, correction), None)
    return Counterfactuals(
        one_fewer_processors=fewer,
        one_fewer_sojourn_seconds=seconds,
        one_fewer_detail=detail,
        holds_up_to_rate=as_finite(find_headroom(situation, lambda _: chosen, limits, rate)),
        one_fewer_up_to_rate=as_finite(
            find_headroom(
                situation,
                lambda scaled: plan_counts(scaled, total - 1),
                replace(limits, k_max=total - 1),
                rate,
                0.0 if situation.stations.inflows is None else OWN_TOLERANCE,
            )
        ),
    )


def shorten_target(situation: Situation, target: Target | None, correction: float) -> Target | None:
    """The target of E[T] that modelled waits must meet so that waits longer by the correction meet the given one."""
    if not isinstance(target, SojournTarget) or correction == 1.0:
        return target
    service = situation.find_lower_bound()
    if target.seconds <= service:
        return target
    return SojournTarget(service + (target.seconds - service) / correction)


def judge_one_fewer(
    situation: Situation,
    counts: Sequence[int],
    seconds: float | None,
    target: Target,
    t_min_seconds: float | None,
) -> str:
    """Sentences on the target with one processor fewer, for an E[T] of `seconds`."""
    if not isinstance(target, SojournTarget):
        return f"{compare_seconds(target, target.find_seconds(situation, counts))}."
    said = f"{compare_seconds(target, seconds)}."
    if seconds is None or seconds > target.seconds:
        return said
    below = "" if t_min_seconds is None else f" = {write_seconds(t_min_seconds)}"
    return f"{said} Processors are given up only while E[T] is below t_min_seconds{below}."


def describe_one_fewer(
    situation: Situation, k_max: int, correction: float, own_correction: float | None
) -> tuple[Mapping[str, int] | None, float | None, str]:
    """The best split of k_max, its E[T], and a sentence on both."""
    try:
        counts = allocate_budget(situation.stations, k_max, situation.names).counts
    except (BudgetTooSmall, BoundTooSmall):
        return None, None, f"{k_max} processors could not keep up, or not within the bounds."
    seconds = assess_counts(situation, counts).expected_sojourn_seconds
    if seconds is not None and correction != 1.0:
        service = situation.find_lower_bound()
        seconds = service + correction * (seconds - service)
    own = None if own_correction is None else find_own_sojourn(situation, k_max, own_correction)
    is_own = own is not None and seconds is not None and own > seconds
    if is_own:
        seconds = own
    detail = f"The best split of {k_max} processors would take {write_seconds(seconds, UNBOUNDED)}"
    if situation.load.external_rate:
        detail += f" at {write_rate(situation.load.external_rate)}"
    if is_own:
        longer = write_factor(own_correction or 1.0)
        detail += f" with a queue for each processor and waits {longer} as long, as they were measured"
    elif correction != 1.0:
        detail += f" with waits {write_factor(correction)} as long as modelled, as they were measured"
    return situation.name_counts(counts), seconds, f"{detail}."


def find_own_sojourn(situation: Situation, total: int, own_correction: float) -> float | None:
    """E[T] of the best split with a queue for each processor; None where one cannot keep up."""
    if not situation.load.external_rate:
        return None
    queues = EvenSplit.prepare(situation.stations)
    wait = queues.waiting(queues.allocate(0.0, total)) / situation.load.external_rate
    return as_finite(situation.find_lower_bound() + own_correction * wait)


def as_finite(rate: float | None) -> float | None:
    """The rate, with None for inf: answers hold no infinity."""
    return None if rate == inf else rate
