"""The fewest processors that meet the target with waits as they were measured: S + c·W(k) ≤ T_max.

Where the measured waits falsify shared queues, the answer is the larger of the two for shared queues and for a queue
of each processor's own, each with its own c: the first wait falls too fast with more processors, and which of the
two is nearer is not known.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.allocation.allocate import allocate_budget, allocate_target
from planner.decisions.cases import Case, Reason, describe_limit
from planner.decisions.wait_correction import find_own_wait, find_wait
from planner.errors import BoundTooSmall, TargetUnreachable
from planner.plans.estimation import Situation
from planner.plans.optimal import find_fewest
from planner.queueing.own_queues import OwnQueues
from planner.queueing.stations import NO_BOUND

# What a measurement beyond the model asks for is given in steps of twice what runs: then it is measured again.
MOST_GROWTH = 2
LEAST_FACTOR = 1e-6


@dataclass(frozen=True, slots=True)
class Factors:
    """By which the modelled waits are multiplied; `own` is None where shared queues are not falsified."""

    shared: float = 1.0
    own: float | None = None


@dataclass(frozen=True, slots=True)
class Sizing:
    """Processors, for which situation, by which factors, and what cut them short.

    `is_own`: own queues took more. `is_bounded`: within max_processors the target is out of reach.
    """

    counts: list[int]
    situation: Situation
    factors: Factors
    is_own: bool = False
    constraints: tuple[Reason, ...] = ()
    is_bounded: bool = False

    @property
    def total(self) -> int:
        """Of all operators."""
        return sum(self.counts)


def find_factors(case: Case) -> Factors:
    """For a target that is missed, and for giving processors up: the model's wait at least."""
    correction = case.correction
    return Factors(correction.least_shared, correction.own if correction.is_own else None)


def find_factors_as_measured(case: Case) -> Factors:
    """For a target that is met: a wait shorter than modelled counts as well."""
    factors, shared = find_factors(case), case.correction.shared
    return factors if shared is None else Factors(max(shared, LEAST_FACTOR), factors.own)


def size_for_target(case: Case, situation: Situation, factors: Factors) -> Sizing:
    """The fewest processors that meet the target in the situation; where bounds forbid them, as many as they let.

    Raises TargetUnreachable where no number of processors meets the target, and BudgetTooSmall.
    """
    try:
        return size_within_bounds(case, situation, factors)
    except (BoundTooSmall, TargetUnreachable) as error:
        is_never = isinstance(error, TargetUnreachable) and not error.bounded
        if is_never or not situation.load.external_rate:
            raise
        return size_up_to_bounds(case, situation, factors, describe_limit(error))


def size_within_bounds(case: Case, situation: Situation, factors: Factors) -> Sizing:
    """The fewest that meet the target; where k_max forbids them, its best split. Raises where that is impossible."""
    target = case.policy.t_max_seconds
    assert target is not None
    if not situation.load.external_rate:
        idle = find_fewest(situation, target).counts.tolist()
        return limit_to_budget(case, Sizing(idle, situation, factors))
    *others, found = size_freely(case, situation, factors)
    if others and found.total < others[-1].total:
        found = others[-1]
    return limit_to_budget(case, found)


def size_up_to_bounds(case: Case, situation: Situation, factors: Factors, limit: Reason) -> Sizing:
    """What the target would take without max_processors, each operator then cut to its own.

    Not the best split of all that the bounds let: the others cannot make up for what is cut.
    """
    k_max, bounds = case.policy.k_max, situation.stations.max_processors
    none = [NO_BOUND] * len(situation.names)
    free = replace(situation, stations=replace(situation.stations, max_processors=none))
    found = size_freely(case, free, factors)
    cut = [np.minimum(one.counts, bounds).tolist() for one in found]
    best = max(range(len(cut)), key=lambda place: sum(cut[place]))
    counts = cut[best]
    if k_max is not None and sum(counts) > k_max:
        counts = np.minimum(fill_shared(free, k_max), bounds).tolist()
    return Sizing(counts, situation, factors, found[best].is_own, (limit,), is_bounded=True)


def size_freely(case: Case, situation: Situation, factors: Factors) -> list[Sizing]:
    """Without k_max: what the model asks for, and what each kind of queue does with the waits as measured."""
    target, rate = case.policy.t_max_seconds, situation.load.external_rate
    assert target is not None
    found = [Sizing(size_shared(situation, target, min(factors.shared, 1.0)), situation, factors)]
    most = max(found[0].total, MOST_GROWTH * sum(case.running))
    if factors.shared > 1.0:
        try:
            counts = size_shared(situation, target, factors.shared)
        except TargetUnreachable:  # within max_processors; the model alone has an answer
            counts = fill_shared(situation, most)
        if sum(counts) > most:
            counts = fill_shared(situation, most)
        if sum(counts) > found[0].total:
            found.append(Sizing(counts, situation, factors))
    if factors.own is not None:
        most = max(most, found[-1].total)
        room = (target - situation.find_lower_bound()) / max(factors.own, LEAST_FACTOR)
        counts = OwnQueues.prepare(situation.stations).allocate(room * rate, most).tolist()
        found.append(Sizing(counts, situation, factors, is_own=True))
    return found


def limit_to_budget(case: Case, found: Sizing) -> Sizing:
    """The best split of k_max where more is asked for."""
    k_max = case.policy.k_max
    if k_max is None or found.total <= k_max:
        return found
    detail = f"t_max_seconds takes {found.total} processors, k_max allows {k_max}: its best split misses the target."
    counts = split_total(found, k_max)
    return Sizing(counts, found.situation, found.factors, found.is_own, (Reason("k_max", detail),))


def split_total(sizing: Sizing, total: int) -> list[int]:
    """The best split of as many processors, for the queues that the sizing found to take more."""
    situation = sizing.situation
    counts = fill_shared(situation, total)  # raises where the total does not go round
    if not sizing.is_own:
        return counts
    own: list[int] = OwnQueues.prepare(situation.stations).allocate(0.0, total).tolist()
    return own


def fill_shared(situation: Situation, total: int) -> list[int]:
    """DRS's best split."""
    counts: list[int] = allocate_budget(situation.stations, total, situation.names).counts.tolist()
    return counts


def size_shared(situation: Situation, t_max_seconds: float, factor: float) -> list[int]:
    """The fewest with S + c·W ≤ T_max, which is S + W ≤ S + (T_max − S)/c."""
    if factor != 1.0:
        service = situation.find_lower_bound()
        if t_max_seconds > service:
            t_max_seconds = service + (t_max_seconds - service) / factor
    rate = situation.load.external_rate
    counts: list[int] = allocate_target(
        situation.stations, t_max_seconds, rate, situation.names
    ).counts.tolist()
    return counts


def find_corrected_sojourn(sizing: Sizing, counts: Sequence[int]) -> float:
    """S + c·W(k) by the queues that the sizing found to take more; inf where an operator cannot keep up."""
    situation, factors = sizing.situation, sizing.factors
    if not situation.load.external_rate:
        return 0.0
    if sizing.is_own and factors.own is not None:
        return situation.find_lower_bound() + factors.own * find_own_wait(situation, counts)
    return situation.find_lower_bound() + factors.shared * find_wait(situation, counts)
