"""Up to which external rate do all checks pass, and what would one processor fewer change?

The headroom is the rate at which the margin of the checks crosses 0, to the last double (Chandrupatla 1997): inverse
quadratic interpolation where three points allow it, else bisection. So a smooth margin takes few evaluations, and any
other no more than bisection. Rounding can hide a crossing near the last point: each step is therefore at least one
double long, and four times as long as the last one while the search stays on one side.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, nextafter, ulp
from typing import NamedTuple

from planner.allocation.allocate import EvenSplit, allocate_budget
from planner.errors import BoundTooSmall, BudgetTooSmall
from planner.gates.checks import Limits, find_margin, fit_bounds
from planner.queueing.sojourns import sum_services
from planner.situations.situation import Situation, assess_counts, scale_load
from planner.targets.target import SojournTarget, Target, compare_seconds, relate_seconds
from planner.topology.loads import MOST_PROCESSORS, SMALLEST
from planner.wording import (
    UNBOUNDED,
    name_time,
    write_counted,
    write_factor,
    write_rate,
    write_reach,
    write_seconds,
)

Choice = Callable[[Situation], list[int]]
LONGER = 4.0
OWN_TOLERANCE = 1e-6
"""With a queue for each processor, each further digit of a rate costs milliseconds for a search of the best split."""


class Probe(NamedTuple):
    """A rate that was tried, and the margin of the condition at this rate: 0 or more if the condition holds."""

    rate: float
    margin: float

    @property
    def holds(self) -> bool:
        """Whether the condition holds at the rate that was tried."""
        return self.margin >= 0.0


def find_headroom(
    measured: Situation, choose: Choice, limits: Limits, start: float, tolerance: float = 0.0
) -> float | None:
    """Returns the largest external rate at which every check passes, or a rate below it by at most the tolerance.

    inf: no rate is too large. Rates that would keep more processors busy than can be planned, if capacity did not
    bend, are not tried.
    """

    def margin(rate: float) -> float:
        situation = scale_load(measured, rate)
        return find_margin(situation, choose(situation), limits)

    ceiling = find_ceiling(measured, choose(scale_load(measured, 0.0)))
    if limits.k_max is not None:
        work = sum_services(measured.flow.visits, measured.stations.service_rate)
        ceiling = max(ceiling, limits.k_max / work) if work else inf
    planned = find_ceiling(measured, [MOST_PROCESSORS] * len(measured.names), bends=False) * (1.0 - 1e-9)
    least = 0.0 if limits.target is None else limits.target.tolerance
    return find_largest_rate(margin, start, min(ceiling * (1.0 + 1e-9), planned), max(tolerance, least))


def find_ceiling(situation: Situation, counts: Sequence[int], *, bends: bool = True) -> float:
    """The external rate at and above which operator i with kᵢ processors cannot keep up: min kᵢμᵢ/vᵢ for vᵢ visits."""
    rates = situation.stations.find_rates(counts) if bends else situation.stations.service_rate
    rows = zip(counts, rates, situation.flow.visits, strict=True)
    return min((count * float(mu) / visits for count, mu, visits in rows if visits), default=inf)


def plan_counts(situation: Situation, k_max: int) -> list[int]:
    """Returns the best split of k_max processors.

    If k_max is too small, returns the fewest processors with which every operator keeps up, as far as bounds allow.
    """
    try:
        counts = allocate_budget(situation.stations, k_max, situation.names).counts
    except BudgetTooSmall as error:
        return list(error.per_operator.values())
    except BoundTooSmall:
        return fit_bounds(situation, situation.stations.list_least_stable())
    return counts


def find_largest_rate(
    margin: Callable[[float], float], start: float, ceiling: float, tolerance: float = 0.0
) -> float | None:
    """Returns the largest double at which the function `margin` is not below 0; None if it is below 0 at a rate of 0.

    With a tolerance, the result may be below the largest rate by this part. `margin` must not rise to 0 again once it
    is below; at `ceiling` it counts as below 0 in any case.
    """
    low = Probe(0.0, margin(0.0))
    if not low.holds:
        return None
    if ceiling == inf:
        return inf
    high = Probe(ceiling, min(margin(ceiling), -ulp(0.0)))
    if start < ceiling:
        begun = Probe(start, margin(start))
        low, high = (begun, high) if begun.holds else (low, begun)
    return find_crossing(margin, low, high, SMALLEST, tolerance)


def find_crossing(
    margin: Callable[[float], float], low: Probe, high: Probe, least: float, tolerance: float = 0.0
) -> float:
    """Returns the largest rate from `low` to `high` at which `margin` is not below 0: it holds at `low`, and not at
    `high`.

    The search ends with neighbouring doubles, or where both rates are below `least`, or apart by at most `tolerance` of
    the higher.
    """
    last, other, before = (low, high, high) if abs(low.margin) <= abs(high.margin) else (high, low, low)
    stride = 0.0
    while not is_close(low.rate, high.rate, least, tolerance):
        shortest = max(stride, tolerance * high.rate / 2.0, ulp(high.rate))
        rate = interpolate(last, other, before, min(shortest / (high.rate - low.rate), 0.5))
        rate = min(max(rate, nextafter(low.rate, high.rate)), nextafter(high.rate, low.rate))
        probe = Probe(rate, margin(rate))
        stays = probe.holds == last.holds
        stride = LONGER * shortest if stays else 0.0
        other, before = (other, last) if stays else (last, other)
        last = probe
        low, high = (probe, high) if probe.holds else (low, probe)
    return low.rate


def is_close(low: float, high: float, least: float, tolerance: float) -> bool:
    """Returns whether the rates `low` and `high` are so close that the search between them ends."""
    return nextafter(low, high) >= high or high <= least or high - low <= tolerance * high


def interpolate(last: Probe, other: Probe, before: Probe, shortest: float) -> float:
    """Returns the rate to try next between `last` and `other`, at least the part `shortest` away from both."""
    span = other.rate - last.rate
    part = 0.5
    if other.margin not in {before.margin, last.margin} and last.margin != before.margin:
        xi = (last.rate - other.rate) / (before.rate - other.rate)
        phi = (last.margin - other.margin) / (before.margin - other.margin)
        if phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
            part = last.margin / (other.margin - last.margin) * before.margin / (other.margin - before.margin)
            part += (
                (before.rate - last.rate)
                / span
                * (last.margin / (before.margin - last.margin))
                * (other.margin / (before.margin - other.margin))
            )
    part = part if isfinite(part) else 0.5
    return last.rate + min(max(part, shortest), 1.0 - shortest) * span


@dataclass(frozen=True, slots=True)
class Counterfactuals:
    """The time E[T] with one processor fewer than recommended, and the largest external rates that are carried.

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
    why_not_fewer: str = "",
    *,
    correction: float = 1.0,
    own_correction: float | None = None,
) -> Counterfactuals:
    """Returns E[T] with one processor fewer than `counts`, and the largest rates that `counts` and one fewer carry.

    Waits are taken to be `correction` times as long as modelled. `why_not_fewer` is a clause that follows where one
    processor fewer would meet the target. With `own_correction` one processor fewer is also tried with a queue for each
    processor, and the longer E[T] counts.
    """
    total, rate = sum(counts), situation.load.external_rate
    chosen = list(counts)
    fewer, seconds, detail = describe_one_fewer(situation, chosen, correction, own_correction)
    if fewer is not None and target is not None:
        detail += judge_one_fewer(situation, list(fewer.values()), seconds, target, why_not_fewer)
    elif fewer is not None:
        detail += "."
    limits = Limits(shorten_target(situation, target, correction), None)
    holds = as_finite(find_headroom(situation, lambda _: chosen, limits, rate))
    fewer_holds = as_finite(
        find_headroom(
            situation,
            lambda scaled: plan_counts(scaled, total - 1),
            replace(limits, k_max=total - 1),
            rate,
            0.0 if situation.stations.inflows is None else OWN_TOLERANCE,
        )
    )
    if holds is not None and fewer_holds is not None:
        reach = write_reach(total, holds, has_target=target is not None)
        fewest = write_reach(total - 1, fewer_holds, has_target=target is not None)
        detail += f" In their best split {fewest}; in the recommended split {reach}."
    return Counterfactuals(fewer, seconds, detail, holds, fewer_holds)


def shorten_target(situation: Situation, target: Target | None, correction: float) -> Target | None:
    """Returns the target for modelled waits, so that waits multiplied by the correction meet the given target."""
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
    why_not_fewer: str,
) -> str:
    """Returns the end of the sentence on one processor fewer, which compares its E[T] (`seconds`) with the target."""
    if isinstance(target, SojournTarget):
        end = f", {relate_seconds(target, seconds)}"
    else:
        seconds = target.find_seconds(situation, counts)
        end = f". {compare_seconds(target, seconds)}"
    is_met = seconds is not None and seconds <= target.seconds
    return f"{end}, but {why_not_fewer}." if is_met and why_not_fewer else f"{end}."


def describe_one_fewer(
    situation: Situation, chosen: Sequence[int], correction: float, own_correction: float | None
) -> tuple[Mapping[str, int] | None, float | None, str]:
    """Returns the best split of one processor fewer than `chosen`, its E[T], and a sentence on both beside E[T] of
    `chosen`; without a split the sentence says why.

    Waits are multiplied by `correction`, and by `own_correction` with a queue for each processor.
    """
    k_max = sum(chosen) - 1
    at = f" at {write_rate(situation.load.external_rate)}"
    try:
        counts = allocate_budget(situation.stations, k_max, situation.names).counts
    except (BudgetTooSmall, BoundTooSmall):
        return None, None, f"With one fewer, {k_max}, some operator could not keep up within its bounds{at}."
    own_counts = counts
    if own_correction is not None and situation.load.external_rate:
        own_counts = EvenSplit.prepare(situation.stations).allocate(0.0, k_max).tolist()
    seconds, is_own = find_longer(situation, counts, own_counts, correction, own_correction)
    beside, _ = find_longer(situation, chosen, chosen, correction, own_correction)
    counted = write_counted(k_max, "processor")
    is_corrected = is_own or correction != 1.0
    time, found = name_time(is_corrected=is_corrected), write_seconds(seconds, UNBOUNDED)
    detail = f"With one fewer, {counted} in their best split, {time} would be {found}"
    if situation.load.external_rate:
        detail += f" at {write_rate(situation.load.external_rate)}"
    notes = [f"with {k_max + 1}: {write_seconds(beside, UNBOUNDED)}"]
    if is_corrected:
        factor = write_factor((own_correction or 1.0) if is_own else correction)
        longer, queues = f"{factor} " * (factor != "1 times"), " with a queue at each processor" * is_own
        notes.append(f"tuples wait {longer}as long as the model{queues} says, as measured")
    return situation.name_counts(counts), seconds, f"{detail} ({'; '.join(notes)})"


def find_longer(
    situation: Situation,
    counts: Sequence[int],
    own_counts: Sequence[int],
    correction: float,
    own_correction: float | None,
) -> tuple[float | None, bool]:
    """Returns the longer of two times E[T], and whether the second is longer; None if an operator cannot keep up.

    The first is of `counts` with corrected waits, the second of `own_counts` with a queue for each processor.
    """
    seconds, service = assess_counts(situation, counts).expected_sojourn_seconds, situation.find_lower_bound()
    if seconds is None:
        return None, False
    if correction != 1.0:
        seconds = service + correction * (seconds - service)
    if own_correction is None or not situation.load.external_rate:
        return seconds, False
    wait = EvenSplit.prepare(situation.stations).waiting(own_counts) / situation.load.external_rate
    own = service + own_correction * wait
    return (own, True) if seconds < own < inf else (seconds, False)


def as_finite(rate: float | None) -> float | None:
    """Returns the rate, or None for an infinite rate, because answers hold no infinity."""
    return None if rate == inf else rate
