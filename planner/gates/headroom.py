"""The largest rate at which a condition holds: where its margin crosses 0, to the last double.

Few evaluations where the margin is smooth, those of bisection where not. Chandrupatla (1997): inverse quadratic
interpolation where three points say that it is safe, else bisection. A step from the nearest point is at least one
double, and four times as long as the last one while it stays on one side, because rounding hides a crossing that is
nearer.
"""

from collections.abc import Callable, Sequence
from math import inf, isfinite, nextafter, ulp
from typing import NamedTuple

from planner.allocation.allocate import allocate_budget
from planner.errors import BoundTooSmall, BudgetTooSmall
from planner.gates.checks import Limits, find_margin, fit_bounds
from planner.queueing.stations import sum_services
from planner.situations.situation import Situation, scale_load
from planner.topology.loads import MOST_PROCESSORS, SMALLEST

Choice = Callable[[Situation], list[int]]
LONGER = 4.0


class Probe(NamedTuple):
    """A rate, and the margin there: 0 or more where the condition holds."""

    rate: float
    margin: float

    @property
    def holds(self) -> bool:
        """Whether the condition holds."""
        return self.margin >= 0.0


def find_headroom(
    measured: Situation, choose: Choice, limits: Limits, start: float, tolerance: float = 0.0
) -> float | None:
    """The largest external rate at which every check passes, below it by at most the tolerance; inf: no rate is too
    large. Rates that would keep more processors busy than can be planned are not tried.
    """

    def margin(rate: float) -> float:
        situation = scale_load(measured, rate)
        return find_margin(situation, choose(situation), limits)

    ceiling = find_ceiling(measured, choose(scale_load(measured, 0.0)))
    if limits.k_max is not None:
        work = sum_services(measured.flow.visits, measured.stations.service_rate)
        ceiling = max(ceiling, limits.k_max / work) if work else inf
    planned = find_ceiling(measured, [MOST_PROCESSORS] * len(measured.names)) * (1.0 - 1e-9)
    least = 0.0 if limits.target is None else limits.target.tolerance
    return find_largest_rate(margin, start, min(ceiling * (1.0 + 1e-9), planned), max(tolerance, least))


def find_ceiling(situation: Situation, counts: Sequence[int]) -> float:
    """min kᵢμᵢ/vᵢ: at and above it some operator cannot keep up."""
    rows = zip(counts, situation.stations.service_rate, situation.flow.visits, strict=True)
    return min((count * mu / visits for count, mu, visits in rows if visits), default=inf)


def plan_counts(situation: Situation, k_max: int) -> list[int]:
    """The best split of k_max; where k_max is too small, the least stable counts, as far as bounds allow."""
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
    """The largest double at which `margin` is not below 0; None where it is below 0 at a rate of 0.

    With a tolerance, a rate at which it is not, below the largest one by at most this part. `margin` must not rise to 0
    again once it is below; at `ceiling` it counts as below 0 in any case.
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
    """The largest rate between two points at which `margin` is not below 0, given one of each kind.

    It ends with neighbouring doubles, or where both are below `least`, or apart by at most `tolerance` of the higher.
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
    """Whether nothing is left to search between the two."""
    return nextafter(low, high) >= high or high <= least or high - low <= tolerance * high


def interpolate(last: Probe, other: Probe, before: Probe, shortest: float) -> float:
    """The rate to try next between `last` and `other`, at least the part `shortest` away from both."""
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
