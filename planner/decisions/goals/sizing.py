"""The fewest processors for a target with corrected waits.

The target holds if S + c·W(k) ≤ T_max, with the time S of services, the modelled wait W of k processors and the
measured factor c of waits. If measured waits falsify shared queues, two sizings are made, each with its own factor c:
one for shared queues and one for a queue per processor. The answer is the larger of the two: modelled waits of shared
queues fall too fast with more processors, and nothing shows which of the two models is nearer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.allocation.allocate import EvenSplit, allocate_budget, allocate_target
from planner.allocation.served import straighten_hopeless
from planner.calibration.wait_correction import find_own_wait, find_wait
from planner.decisions.case import Case
from planner.decisions.wording import Reason, describe_limit, give_reason
from planner.errors import BoundTooSmall, TargetUnreachable
from planner.queueing.instances.scaling import describe_futile
from planner.queueing.stations import NO_BOUND
from planner.situations.keys import describe_next_useful
from planner.situations.situation import Situation
from planner.targets.target import allocate_fewest, find_nearest
from planner.values import Diagnostic, Estimate

# A correction at most doubles the running processors; then the result is measured before more is added.
MOST_GROWTH = 2
LEAST_FACTOR = 1e-6


@dataclass(frozen=True, slots=True)
class Factors:
    """The factors by which measured waits are longer than modelled ones.

    `shared` is for queues that processors share. `own`, for a queue per processor, is None unless measurements falsify
    shared queues.
    """

    shared: float = 1.0
    own: float | None = None


@dataclass(frozen=True, slots=True)
class Sizing:
    """The number of processors of each operator for a target, with the load, the factors of waits and the limiting
    bounds.

    `is_own`: the sizing with a queue per processor needed more. `is_bounded`: max_processors keep the target out of
    reach.
    """

    counts: list[int]
    situation: Situation
    factors: Factors
    is_own: bool = False
    constraints: tuple[Reason, ...] = ()
    is_bounded: bool = False

    @property
    def total(self) -> int:
        """The number of processors of all operators together."""
        return sum(self.counts)


def find_factors(case: Case) -> Factors:
    """The factors of waits for a missed target and for a scale-down: at least 1, so that no wait is shortened."""
    correction = case.correction
    return Factors(correction.least_shared, correction.own if correction.is_own else None)


def find_factors_as_measured(case: Case) -> Factors:
    """Returns the factors of waits for a met target: below 1 if waits were measured shorter than modelled."""
    factors, shared = find_factors(case), case.correction.shared
    return factors if shared is None else Factors(max(shared, LEAST_FACTOR), factors.own)


def size_for_target(case: Case, situation: Situation, factors: Factors) -> Sizing:
    """Returns the fewest processors that meet the target; if bounds forbid that, as many processors as bounds allow.

    Raises TargetUnreachable if no number of processors meets the target, and BudgetTooSmall if k_max is too small.
    """
    try:
        return size_within_bounds(case, situation, factors)
    except (BoundTooSmall, TargetUnreachable) as error:
        is_never = isinstance(error, TargetUnreachable) and not error.bounded
        if is_never or not situation.load.external_rate:
            raise
        return size_up_to_bounds(case, situation, factors, describe_limit(error))


def size_within_bounds(case: Case, situation: Situation, factors: Factors) -> Sizing:
    """Returns the fewest processors that meet the target, or the best split of k_max.

    Raises an error if bounds forbid both.
    """
    target = case.policy.t_max_seconds
    assert target is not None
    if not situation.load.external_rate:
        idle = allocate_fewest(situation, target).counts
        return limit_to_budget(case, Sizing(idle, situation, factors))
    *others, found = size_freely(case, situation, factors)
    if others and found.total < others[-1].total:
        found = others[-1]
    return limit_to_budget(case, found)


def size_up_to_bounds(case: Case, situation: Situation, factors: Factors, limit: Reason) -> Sizing:
    """Returns the processors for the target without max_processors, each operator then cut to its own max_processors.

    An operator whose processors slow each other down too much for its load gets as many as serve most. This is not the
    best split of the remaining processors: other operators cannot compensate for the cut.
    """
    k_max, bounds = case.policy.k_max, situation.stations.max_processors
    none = [NO_BOUND] * len(situation.names)
    straight, at_peak = straighten_hopeless(situation.stations)
    free = situation._replace(stations=replace(straight, max_processors=none))
    try:
        found = size_freely(case, free, factors)
    except TargetUnreachable as error:
        # A hot key, or whole key groups, make tuples wait with any number of processors.
        found = [Sizing(size_nearest(free, error), situation, factors)]
    cut = [np.minimum(one.counts, bounds).tolist() for one in found]
    best = max(range(len(cut)), key=lambda place: sum(cut[place]))
    counts = situation.stations.settle_counts(cut[best])
    for place in at_peak:
        counts[place] = int(bounds[place])
    if k_max is not None and sum(counts) > k_max:
        counts = np.minimum(fill_shared(free, k_max), bounds).tolist()
    return Sizing(counts, situation, factors, found[best].is_own, (limit,), is_bounded=True)


def size_nearest(situation: Situation, unreachable: TargetUnreachable) -> list[int]:
    """Returns the fewest processors whose waits are near the shortest possible ones, where none meet the target."""
    return size_shared(situation, find_nearest(situation, unreachable), 1.0)


def size_freely(case: Case, situation: Situation, factors: Factors) -> list[Sizing]:
    """Returns the fewest processors for the target without k_max, for each model of waits that may hold.

    The models are: waits as modelled, and measured waits with shared queues and with a queue per processor.
    """
    target, rate = case.policy.t_max_seconds, situation.load.external_rate
    assert target is not None
    found = [Sizing(size_shared(situation, target, min(factors.shared, 1.0)), situation, factors)]
    most = max(found[0].total, MOST_GROWTH * sum(case.running))
    if factors.shared > 1.0:
        try:
            counts = size_shared(situation, target, factors.shared)
        except TargetUnreachable as error:
            counts = size_nearest(situation, error)
        if sum(counts) > most:
            counts = fill_shared(situation, most)
        if sum(counts) > found[0].total:
            found.append(Sizing(counts, situation, factors))
    if factors.own is not None:
        most = max(most, found[-1].total)
        room = (target - situation.find_lower_bound()) / max(factors.own, LEAST_FACTOR)
        counts = EvenSplit.prepare(situation.stations).allocate(room * rate, most).tolist()
        found.append(Sizing(counts, situation, factors, is_own=True))
    return found


def limit_to_budget(case: Case, found: Sizing) -> Sizing:
    """Returns the processors that were found for the target, or the best split of k_max if they are more than k_max."""
    k_max = case.policy.k_max
    if k_max is None or found.total <= k_max:
        return found
    counts, limit = split_total(found, k_max), give_reason("k_max", total=found.total, most=k_max)
    return Sizing(counts, found.situation, found.factors, found.is_own, (limit,))


def split_total(sizing: Sizing, total: int) -> list[int]:
    """Returns the best split of `total` processors, with shared queues or a queue per processor as in the sizing."""
    situation = sizing.situation
    counts = fill_shared(situation, total)  # raises if the total is too small
    if not sizing.is_own:
        return counts
    own: list[int] = EvenSplit.prepare(situation.stations).allocate(0.0, total).tolist()
    return own


def fill_shared(situation: Situation, total: int) -> list[int]:
    """Returns the split of `total` processors with the least E[T] by DRS, whose processors share a queue."""
    return allocate_budget(situation.stations, total, situation.names).counts


def size_shared(situation: Situation, t_max_seconds: float, factor: float) -> list[int]:
    """Returns the fewest processors with S + c·W ≤ T_max, where the processors of an operator share a queue.

    S is the time of services, W the modelled wait, c the `factor` of waits and T_max the target: an equal condition is
    S + W ≤ S + (T_max − S)/c.
    """
    if factor != 1.0:
        service = situation.find_lower_bound()
        if t_max_seconds > service:
            t_max_seconds = service + (t_max_seconds - service) / factor
    rate = situation.load.external_rate
    return allocate_target(situation.stations, t_max_seconds, rate, situation.names).counts


def find_corrected_sojourn(sizing: Sizing, counts: Sequence[int]) -> float:
    """Returns the time in the topology with corrected waits, S + c·W(k); inf if an operator cannot keep up.

    S is the time of services, c the factor of waits, and W(k) the modelled wait with the processors k, in shared queues
    or in a queue per processor as the sizing chose.
    """
    situation, factors = sizing.situation, sizing.factors
    if not situation.load.external_rate:
        return 0.0
    if sizing.is_own and factors.own is not None:
        return situation.find_lower_bound() + factors.own * find_own_wait(situation, counts)
    return situation.find_lower_bound() + factors.shared * find_wait(situation, counts)


def list_futile(case: Case, recommended: Estimate) -> tuple[Reason, ...]:
    """Returns a reason for each operator that has the most processors which brought something, and no more."""
    pairs = zip(case.situation.topology.operators, recommended.operators, strict=True)
    futile = [
        (one.name, one.scaling.futile, runs.processors) for one, runs in pairs if one.scaling is not None
    ]
    return tuple(
        [
            give_reason("brought-nothing", change=describe_futile(name, change), most=change[0])
            for name, change, count in futile
            if change is not None and count >= change[0]
        ]
    )


def list_notes(situation: Situation, current: Estimate, recommended: Estimate) -> tuple[Diagnostic, ...]:
    """Returns the diagnostics of what runs, and which numbers serve more than recommended where groups are whole."""
    if not situation.stations.grouped:
        return current.diagnostics
    useful = describe_next_useful(situation.topology, situation.load, recommended.operators)
    return tuple(dict.fromkeys(current.diagnostics + useful))
