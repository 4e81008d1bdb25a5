"""Counterfactuals of a recommendation: one processor fewer, and the external rates up to which it holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from planner.allocation.allocate import allocate_budget
from planner.errors import BoundTooSmall, BudgetTooSmall
from planner.gates.checks import Limits, check_drawn
from planner.gates.drawn_limit import DrawnLimit
from planner.gates.verdict import find_headroom, plan_counts
from planner.plans.estimation import Situation, assess_counts
from planner.queueing.even_split import OwnQueues

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
    t_max_seconds: float | None,
    t_min_seconds: float | None = None,
    *,
    wait_factor: float = 1.0,
    own_factor: float | None = None,
    drawn: DrawnLimit | None = None,
) -> Counterfactuals:
    """The counterfactuals of `counts`, with waits `wait_factor` times as long as modelled.

    With `own_factor` one processor fewer is also tried with a queue of each processor's own; the longer E[T] counts.
    With `drawn` the rates are those up to which that target holds.
    """
    total, rate = sum(counts), situation.load.external_rate
    chosen = list(counts)
    fewer, seconds, detail = describe_one_fewer(situation, total - 1, t_max_seconds, wait_factor, own_factor)
    if t_max_seconds is not None and seconds is not None and seconds <= t_max_seconds:
        below = "" if t_min_seconds is None else f" = {t_min_seconds:.6g}"
        detail += f" Processors are given up only while E[T] is below t_min_seconds{below}."
    if drawn is not None and fewer is not None:
        detail += describe_drawn(situation, drawn, list(fewer.values()))
    limits = Limits(shorten_target(situation, t_max_seconds, wait_factor), None, drawn)
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


def shorten_target(situation: Situation, t_max_seconds: float | None, wait_factor: float) -> float | None:
    """The target that modelled waits must meet so that waits longer by the factor meet t_max_seconds."""
    service = situation.find_lower_bound()
    if t_max_seconds is None or t_max_seconds <= service or wait_factor == 1.0:
        return t_max_seconds
    return service + (t_max_seconds - service) / wait_factor


def describe_drawn(situation: Situation, drawn: DrawnLimit, counts: Sequence[int]) -> str:
    """A sentence on the target of drawn times with one processor fewer."""
    check = check_drawn(drawn, situation, counts)
    return f" {check.detail}"


def describe_one_fewer(
    situation: Situation,
    k_max: int,
    t_max_seconds: float | None,
    wait_factor: float,
    own_factor: float | None,
) -> tuple[Mapping[str, int] | None, float | None, str]:
    """The best split of k_max, its E[T], and a sentence on both."""
    try:
        counts = allocate_budget(situation.stations, k_max, situation.names).counts
    except (BudgetTooSmall, BoundTooSmall):
        return None, None, f"{k_max} processors could not keep up, or not within the bounds."
    seconds = assess_counts(situation, counts).expected_sojourn_seconds
    if seconds is not None and wait_factor != 1.0:
        service = situation.find_lower_bound()
        seconds = service + wait_factor * (seconds - service)
    own = None if own_factor is None else find_own_sojourn(situation, k_max, own_factor)
    is_own = own is not None and seconds is not None and own > seconds
    if is_own:
        seconds = own
    detail = f"The best split of {k_max} processors would take {seconds:.6g} s"
    if situation.load.external_rate:
        detail += f" at {situation.load.external_rate:.6g} tuples/s"
    if is_own:
        detail += f" with a queue for each processor and waits {own_factor:.3g} times as long, as they were measured"
    elif wait_factor != 1.0:
        detail += f" with waits {wait_factor:.3g} times as long as modelled, as they were measured"
    if t_max_seconds is not None and seconds is not None:
        relation = "missing" if seconds > t_max_seconds else "within"
        detail += f", {relation} t_max_seconds = {t_max_seconds:.6g}"
    return dict(zip(situation.names, counts, strict=True)), seconds, f"{detail}."


def find_own_sojourn(situation: Situation, total: int, own_factor: float) -> float | None:
    """E[T] of the best split with a queue for each processor; None where one cannot keep up."""
    if not situation.load.external_rate:
        return None
    queues = OwnQueues.prepare(situation.stations)
    wait = queues.waiting(queues.allocate(0.0, total)) / situation.load.external_rate
    return as_finite(situation.find_lower_bound() + own_factor * wait)


def as_finite(rate: float | None) -> float | None:
    """The rate, with None for inf: answers hold no infinity."""
    return None if rate == inf else rate
