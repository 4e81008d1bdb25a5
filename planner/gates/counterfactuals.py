"""Why not one fewer, and what load would change the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from planner.allocation.allocate import allocate_budget
from planner.errors import BoundTooSmall, BudgetTooSmall
from planner.gates.verdict import Limits, find_headroom, plan_counts
from planner.plans.estimation import Situation, assess_counts


@dataclass(frozen=True, slots=True)
class Counterfactuals:
    """What would be if there were one processor fewer, and up to which external rates things hold.

    `holds_up_to_rate`: of the recommended processors. `one_fewer_up_to_rate`: of the best split of one fewer; above
    it the recommended number is needed. None: no rate, or any; a target only where there is one.
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
) -> Counterfactuals:
    """Around `counts`, under the situation's load, with waits `wait_factor` times as long as modelled.

    Processors are given up only while E[T] is below t_min_seconds.
    """
    total, rate = sum(counts), situation.load.external_rate
    chosen = list(counts)
    service = situation.find_lower_bound()
    fewer, seconds, detail = describe_one_fewer(situation, total - 1, t_max_seconds, wait_factor)
    if t_max_seconds is not None and seconds is not None and seconds <= t_max_seconds:
        below = "" if t_min_seconds is None else f" = {t_min_seconds:.6g}"
        detail += f" Processors are given up only while E[T] is below t_min_seconds{below}."
    target = t_max_seconds
    if target is not None and target > service and wait_factor != 1.0:
        target = service + (target - service) / wait_factor
    limits = Limits(target, None)
    return Counterfactuals(
        one_fewer_processors=fewer,
        one_fewer_sojourn_seconds=seconds,
        one_fewer_detail=detail,
        holds_up_to_rate=as_finite(find_headroom(situation, lambda _: chosen, limits, rate)),
        one_fewer_up_to_rate=as_finite(
            find_headroom(
                situation,
                lambda scaled: plan_counts(scaled, total - 1),
                Limits(target, total - 1),
                rate,
            )
        ),
    )


def describe_one_fewer(
    situation: Situation,
    k_max: int,
    t_max_seconds: float | None,
    wait_factor: float,
) -> tuple[Mapping[str, int] | None, float | None, str]:
    """The best split of k_max, its E[T], and what is wrong with it."""
    try:
        counts = allocate_budget(situation.stations, k_max, situation.names).counts.tolist()
    except (BudgetTooSmall, BoundTooSmall):
        return None, None, f"{k_max} processors could not keep up, or not within the bounds."
    seconds = assess_counts(situation, counts).expected_sojourn_seconds
    if seconds is not None and wait_factor != 1.0:
        service = situation.find_lower_bound()
        seconds = service + wait_factor * (seconds - service)
    detail = f"The best split of {k_max} processors would take {seconds:.6g} s"
    if wait_factor != 1.0:
        detail += f" with waits {wait_factor:.3g} times as long as modelled, as they were measured"
    if t_max_seconds is not None and seconds is not None:
        relation = "missing" if seconds > t_max_seconds else "within"
        detail += f", {relation} t_max_seconds = {t_max_seconds:.6g}"
    return dict(zip(situation.names, counts, strict=True)), seconds, f"{detail}."


def as_finite(rate: float | None) -> float | None:
    """No infinity leaves the planner."""
    return None if rate == inf else rate
