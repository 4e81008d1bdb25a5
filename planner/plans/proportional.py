"""Processors in proportion to the work of each operator (Mc-Stream, eq. 9 and Algorithm 1).

    (c₁/p₁) : m₁ = (cᵢ/pᵢ) : mᵢ

mᵢ are the processors of operator i, cᵢ = λ/μ its work per second and pᵢ the capacity of its node. The paper takes c per
tuple, which leaves out how many tuples reach each vertex; here c is per second. m₁ grows until neither throughput nor
latency improves by more than the tolerance; the other counts follow, rounded up.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

from planner.allocation.allocate import allocate_budget, refuse_hot_keys
from planner.errors import BoundTooSmall, BudgetTooSmall, InvalidLoad, escape_pointer, suggest_name
from planner.plans.explanation import explain_plan
from planner.queueing.sojourns import expected_sojourn_seconds
from planner.queueing.stations import Stations
from planner.situations.situation import Situation, assess_counts, survey_load
from planner.situations.throttle import describe_throttled, throttle_flow
from planner.values import DEFAULT_MODEL, Diagnostic, Load, Model, Plan, Topology
from planner.wording import write_seconds

NEARLY_WHOLE = 1e-9  # a product of rounded quotients may lie this far above the integer that is meant


def proportional(
    topology: Topology,
    load: Load,
    tolerance: float = 0.01,
    capacities: Mapping[str, float] | None = None,
    model: Model = DEFAULT_MODEL,
) -> Plan:
    """Plans processors in proportion to the work of each operator.

    `capacities` are of the nodes, relative to the node on which the load was measured.
    """
    if not 0.0 < tolerance < 1.0:
        raise InvalidLoad(
            f"tolerance = {tolerance} would never end the search, or end it at once: give more than 0 and less than 1.",
            argument="tolerance",
        )
    measured = survey_load(topology, apply_capacities(load, capacities or {}), model, is_open=True)
    situation, throttled = throttle_flow(measured)
    refuse_hot_keys(situation.stations, situation.names)
    scale = Scale.prepare(situation, throttled)
    counts = situation.stations.settle_counts(grow(scale, tolerance))
    said = compare_with_best(situation, counts) if not throttled else ()
    said += describe_throttled(throttled)
    return explain_plan(situation, counts, objective="proportional", optimal=False, said=said)


def apply_capacities(load: Load, capacities: Mapping[str, float]) -> Load:
    """The load on nodes with other capacities: a node of capacity p serves p times as fast as the measured node."""
    operators = dict(load.operators)
    for name, capacity in capacities.items():
        measured = operators.get(name)
        if measured is None:
            raise InvalidLoad(
                f"capacities has {name!r}, which the load does not have: remove it or correct the name."
                f"{suggest_name(name, operators)}",
                f"/{escape_pointer(name)}",
                "capacities",
            )
        if not 1e-6 <= capacity <= 1e6:
            raise InvalidLoad(
                f"The capacity of {name!r} is {capacity}: give a number from 1e-6 to 1e6.",
                f"/{escape_pointer(name)}",
                "capacities",
            )
        if measured.service_rate is not None:
            operators[name] = measured._replace(service_rate=measured.service_rate * capacity)
    return replace(load, operators=operators)


@dataclass(frozen=True)
class Scale:
    """How many processors each operator has for each processor of the first operator, and what each needs to keep up.

    `calm` are the operators as queues; nothing arrives at those that are throttled.
    """

    calm: Stations
    ratios: Sequence[float]
    floors: Sequence[int]
    bounds: Sequence[tuple[int, int]]

    @classmethod
    def prepare(cls, situation: Situation, throttled: Sequence[str]) -> "Scale":
        """Returns the ratios of processors to those of the first operator with work; throttled operators are at their
        bounds.
        """
        stations = situation.stations
        work = [rate / mu for rate, mu in zip(stations.arrival_rate, stations.service_rate, strict=True)]
        first = next((one for one in work if one), 1.0)
        bounds = [
            (int(least), int(most))
            for least, most in zip(stations.min_processors, stations.max_processors, strict=True)
        ]
        short = [name in set(throttled) for name in situation.names]
        rows = zip(stations.list_least_stable(), bounds, short, strict=True)
        floors = [most if cut else least for least, (_, most), cut in rows]
        rates = [0.0 if cut else rate for rate, cut in zip(stations.arrival_rate, short, strict=True)]
        return cls(replace(stations, arrival_rate=rates), [one / first for one in work], floors, bounds)

    def spread(self, first: int) -> list[int]:
        """Returns the processors of every operator if the first has `first` processors: in proportion to work, within
        bounds.

        Operator i has mᵢ = ⌈m₁cᵢ/c₁⌉ processors for its work cᵢ.
        """
        return [
            max(min(ceil(first * ratio - NEARLY_WHOLE), most), least)
            for ratio, (least, most) in zip(self.ratios, self.bounds, strict=True)
        ]

    def is_stable(self, counts: Sequence[int]) -> bool:
        """Returns whether every operator keeps up with these processors, as far as its bounds let it."""
        return all(count >= floor for count, floor in zip(counts, self.floors, strict=True))

    def sum_work(self, counts: Sequence[int]) -> float:
        """Returns the mean number of tuples in all operators that can keep up, Σλ(W + 1/μ), which is λ0·E[T].

        λ is the arrival rate of an operator, W its wait, 1/μ its service time, and λ0 the external rate.
        """
        return expected_sojourn_seconds(self.calm, self.calm.settle_counts(counts), 1.0)


def grow(scale: Scale, tolerance: float) -> list[int]:
    """Returns the processors at which one more at the first operator improves E[T] by no more than the part
    `tolerance`.

    The growth starts from the fewest processors of the first operator with which every operator keeps up: below that
    every step raises the throughput, and from there on only the latency can improve.
    """
    if not any(scale.ratios):
        return scale.spread(1)
    first = find_least_stable_first(scale)
    counts = scale.spread(first)
    found = scale.sum_work(counts)
    while True:
        first += 1
        larger = scale.spread(first)
        better = scale.sum_work(larger)
        if larger == counts or found - better <= tolerance * found:
            return counts
        counts, found = larger, better


def find_least_stable_first(scale: Scale) -> int:
    """Returns the fewest processors of the first operator with which every operator keeps up, by bisection.

    Bisection is right because more processors of the first operator are never fewer of another.
    """
    low, high = 0, 1
    while not scale.is_stable(scale.spread(high)):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if scale.is_stable(scale.spread(middle)) else (middle, high)
    return high


def compare_with_best(situation: Situation, counts: Sequence[int]) -> tuple[Diagnostic, ...]:
    """Returns a diagnostic if the best split of as many processors has a smaller E[T]."""
    try:
        best = allocate_budget(situation.stations, sum(counts), situation.names).counts
    except (BudgetTooSmall, BoundTooSmall):
        return ()
    ours = assess_counts(situation, counts).expected_sojourn_seconds
    theirs = assess_counts(situation, best).expected_sojourn_seconds
    if ours is None or theirs is None or not theirs < ours:
        return ()
    detail = (
        f"Another split is better: min-latency splits the same {sum(counts)} processors for an E[T] of "
        f"{write_seconds(theirs)} instead of {write_seconds(ours)}."
    )
    return (Diagnostic("not-best-split", detail),)
