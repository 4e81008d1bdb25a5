"""The processors of each operator, allocated by greedy: for a budget, for a target of E[T], and for even splits.

λE[T], the mean number of tuples in the system, falls with the processors k of an operator by ever smaller gains (for
any factor v of waits that does not depend on k). So adding the processor of the largest gain, one after another, is
exactly optimal (DRS, Algorithms 1 and 2). Algorithm 1 as printed continues while Σk ≤ K_max and so returns K_max + 1
processors; here the sum stays at or below K_max. A target at the lower bound T_L is refused, because no finite number
of processors attains it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, log
from operator import lt
from typing import NamedTuple

import numpy as np

from planner.allocation.greedy_arrays import ArrayBoard
from planner.allocation.greedy_board import Board
from planner.allocation.greedy_scalar import ScalarBoard
from planner.allocation.whole_groups import finish_budget, finish_to_target, is_reached
from planner.arrays import Counts, Floats
from planner.errors import BoundTooSmall, BudgetTooSmall, TargetUnreachable
from planner.queueing.erlang import find_least_stable_counts, split_offered_loads
from planner.queueing.gain_curves import ScalarQueues
from planner.queueing.instances.key_shares import UNREACHABLE, KeyShares
from planner.queueing.instances.scaling import FARTHEST as MOST_TRIED
from planner.queueing.instances.scaling import find_peak
from planner.queueing.mixed_queues import find_least_stable
from planner.queueing.queueings import ERLANG
from planner.queueing.sojourns import find_lower_bound, meets_target, sum_sojourns
from planner.queueing.stations import NO_BOUND, Stations
from planner.queueing.waiting_models import WAITING_MODELS
from planner.topology.loads import MOST_PROCESSORS

HALVINGS = 80
"""Halvings of an interval of ln θ: after them its two ends are adjacent doubles."""
MOST_STEPPED = 2_000
"""The most processors, or twice the operators if more, that are moved one by one where greedy's search ends."""

MOST_SPREADS = 100


class Allocated(NamedTuple):
    """The allocated processors of each operator; `optimal` is False where gains around the answer do not fall."""

    counts: list[int]
    optimal: bool
    unused_processors: int = 0


def set_board(stations: Stations) -> Board:
    """The board on which greedy moves processors: plain floats for few operators, arrays for many."""
    queues = stations.queues
    if isinstance(queues, ScalarQueues):
        return ScalarBoard(queues, stations.max_processors)
    return ArrayBoard(queues, stations.min_processors, stations.max_processors)


def fill_up(board: Board, total: int) -> bool:
    """Gives operators the first processors in greedy's order, `total` in all or as many as bring a gain.

    False where so many were left over that they were spread in proportion.
    """
    board.approach_total(total)
    return step_to_total(board, total)


def step_to_total(board: Board, total: int) -> bool:
    """Takes or gives back processors in greedy's order, from about `total` to `total`, as fill_up does in the end."""
    most, spare, is_ordered = max(MOST_STEPPED, 2 * len(board.floors)), total - board.total, True
    for _ in range(MOST_SPREADS):
        if abs(spare) <= most:
            break
        board.spread(spare)
        before, spare = spare, total - board.total
        if spare == before:  # no operator gains by more
            return is_ordered
        is_ordered = False
    while 0 < abs(spare) <= most and board.step(spare):
        spare = total - board.total
    return is_ordered


def allocate_budget(stations: Stations, k_max: int, names: Sequence[str] = ()) -> Allocated:
    """The split of at most `k_max` processors with the least E[T]; processors without a gain stay unused.

    The result equals adding processors one by one, each where its gain is largest; on ties the first operator gets it.
    """
    board = set_board(stations)
    check_bounds(stations, board.floors, names)  # checked first, because no budget could help
    check_budget(k_max, board.floors, names)
    is_ordered = fill_up(board, k_max)
    if isinstance(board, ScalarBoard) and board.has_stairs:
        counts, is_shown = finish_budget(board, k_max)
        return Allocated(counts, is_ordered and is_shown, k_max - sum(counts))
    return Allocated(board.list_counts(), is_ordered and board.is_falling(), k_max - board.total)


def allocate_target(
    stations: Stations, t_max_seconds: float, external_rate: float, names: Sequence[str] = ()
) -> Allocated:
    """The fewest processors with E[T] ≤ `t_max_seconds`: greedy's order, stopped at the first allocation
    that meets it.
    """
    board = set_board(stations)
    check_bounds(stations, board.floors, names)
    limit = check_target(stations, board.floors, t_max_seconds, external_rate)
    board.approach_waiting(limit)
    if isinstance(board, ScalarBoard) and board.has_stairs:
        return Allocated(*finish_to_target(stations, board, limit, t_max_seconds, external_rate))

    def is_met() -> bool:
        return meets_target(stations, board.list_waits(), external_rate, t_max_seconds)

    step_to_target(board, is_met)
    if not is_met():  # no processor that greedy could add shortens a wait
        reached = sum_sojourns(stations, board.list_waits(), external_rate)
        raise TargetUnreachable(t_max_seconds, reached, bounded=False, waits=True)
    return Allocated(board.list_counts(), board.is_falling())


def step_to_target(board: Board, is_met: Callable[[], bool]) -> None:
    """Moves processors in greedy's order, from a nearby allocation to the first one that meets the target."""
    if not is_met():
        while board.step(1) and not is_met():
            pass
        return
    while board.step(-1):
        if not is_met():
            board.step(1)
            return


def check_bounds(stations: Stations, floors: Sequence[int] | Counts, names: Sequence[str]) -> None:
    """Raise BoundTooSmall for the first operator whose bound is below the fewest processors that keep up."""
    ceilings = stations.max_processors
    if isinstance(floors, np.ndarray):
        below = np.flatnonzero(np.less(ceilings, floors)).tolist()
    else:
        below = [i for i, is_below in enumerate(map(lt, ceilings, floors)) if is_below]
    for i in below[:1]:
        if int(floors[i]) >= UNREACHABLE:
            raise blame_hot_key(stations, i, name_operator(names, i))
        raise BoundTooSmall(name_operator(names, i), int(ceilings[i]), int(floors[i]))


def refuse_hot_keys(stations: Stations, names: Sequence[str]) -> None:
    """Raise BoundTooSmall for the first operator whose hottest key no instance can carry."""
    general = stations.list_general()
    floors = find_least_stable(stations.prepare_general(general)).tolist() if general else []
    for i, floor in zip(general, floors, strict=True):
        if floor >= UNREACHABLE:
            raise blame_hot_key(stations, i, name_operator(names, i))


def blame_hot_key(stations: Stations, i: int, name: str) -> BoundTooSmall:
    """The error for an operator that cannot keep up with any number of processors, because of its hottest key."""
    most, offered = int(stations.max_processors[i]), stations.arrival_rate[i] / stations.service_rate[i]
    inflow = stations.inflows[i] if stations.inflows else ERLANG
    if inflow.scaling is not None:
        counts = [1] * len(stations)
        counts[i] = min(most, find_peak(inflow.scaling) or MOST_TRIED)
        served = stations.list_capacities(counts)[i]
        return BoundTooSmall(name, None if most >= NO_BOUND else most, None, most_served=served)
    groups = UNREACHABLE if inflow.groups is None else inflow.groups.number
    share = KeyShares(inflow.instances, inflow.groups).find_hottest(groups)
    return BoundTooSmall(name, None if most >= NO_BOUND else most, None, share, 1.0 / float(offered))


def check_budget(k_max: int, floors: Sequence[int] | Counts, names: Sequence[str]) -> None:
    """Raise BudgetTooSmall, with the least counts of all operators, if `k_max` is below their sum."""
    needed = int(floors.sum()) if isinstance(floors, np.ndarray) else sum(floors)
    if k_max < needed:
        raise BudgetTooSmall(k_max, needed, {name_operator(names, i): int(k) for i, k in enumerate(floors)})


def name_operator(names: Sequence[str], i: int) -> str:
    """The name of the operator at place i, or the place where names were not given."""
    return names[i] if names else str(i)


def check_target(
    stations: Stations, floors: Sequence[int] | Counts, t_max_seconds: float, external_rate: float
) -> float:
    """The mean number of tuples that may wait, λ0(T_max − T_L); raises TargetUnreachable.

    λ0 is the external rate, T_max the target and T_L the time without waits. T_max = T_L is out of reach too, as no
    finite number of processors attains it, unless no tuple ever waits.
    """
    lower = find_lower_bound(stations, external_rate)
    if t_max_seconds < lower or (t_max_seconds == lower and any(stations.queues.wait_seconds(floors))):
        raise TargetUnreachable(t_max_seconds, lower)
    if not stations.grouped or not is_reached(stations, t_max_seconds, external_rate):
        lower_limited, is_bounded = find_limit(stations, external_rate)
        if t_max_seconds < lower_limited:
            raise TargetUnreachable(t_max_seconds, lower_limited, bounded=is_bounded, waits=not is_bounded)
    return max((t_max_seconds - lower) * external_rate, 1e-280)


def find_limit(stations: Stations, external_rate: float) -> tuple[float, bool]:
    """E[T] with as many processors as bounds allow, and whether any operator has a bound.

    With a queue for each processor, a hot key or a batch with one key may wait with any number of processors. Without
    bounds, the wait of an operator with one queue and no known bursts falls to 0.
    """
    ceiling = np.asarray(stations.max_processors)
    bounded = ceiling < NO_BOUND
    counted = bounded.copy()
    counted[stations.list_general()] = True
    if not counted.any():
        return 0.0, False
    most = np.minimum(ceiling, NO_BOUND if bounded.all() else MOST_PROCESSORS)
    most = np.array(stations.settle_counts(most.tolist())) if stations.grouped else most
    waits = np.where(counted, np.asarray(stations.queues.wait_seconds(most)), 0.0)
    return sum_sojourns(stations, waits, external_rate), bool(bounded.any())


@dataclass(frozen=True, slots=True)
class EvenSplit:
    """Operators with one queue per processor and an even split of the arrivals, as in Storm, Flink and Heron.

    Each of the k instances is a queue with one server. With service SCV s it is the M/G/1 queue (Pollaczek and
    Khinchine), for the arrival rate λ and service rate μ:

        W(k) = V·A/(μ(k − A)),   A = λ/μ,   V = (1 + s)/2, or 1 where the model has no SCVs

    This wait falls like 1/(k − A), far slower than the wait of one shared queue. λW = VA²/(k − A) is convex in k, so
    adding the processor of the largest gain VA²/((k − A)(k + 1 − A)) first is exactly optimal. The fields are A, V·A²
    and the bounds of all operators, in topology order.
    """

    offered: Floats
    weight: Floats
    floor: Counts
    ceiling: Counts

    @classmethod
    def prepare(cls, stations: Stations) -> "EvenSplit":
        """The operators of `stations`, each processor with its own queue."""
        arrival = np.asarray(stations.arrival_rate, np.float64)
        high, low = split_offered_loads(arrival, np.asarray(stations.service_rate, np.float64))
        scv = np.asarray(stations.service_scv, np.float64)
        uses_scvs = WAITING_MODELS[stations.model].uses_scvs
        spread = (1.0 + scv) / 2.0 if uses_scvs else np.ones_like(scv)
        least = np.asarray(stations.min_processors, np.int64)
        floor = np.maximum(find_least_stable_counts(high, low), least)
        ceiling = np.maximum(np.asarray(stations.max_processors, np.int64), floor)
        return cls(high, spread * high * high, floor, ceiling)

    def waiting(self, counts: Sequence[int] | Counts) -> float:
        """The mean number of tuples that wait at all operators, Σ λW(k); inf where an operator cannot keep up."""
        slack = np.asarray(counts, np.float64) - self.offered
        if np.any((slack <= 0.0) & (self.offered > 0.0)):
            return inf
        return float(np.sum(self.weight / np.where(slack > 0.0, slack, 1.0)))

    def fill(self, price: float) -> Counts:
        """The fewest processors of each operator, within the bounds, so that one more saves at most `price` waiting
        tuples.
        """
        with np.errstate(over="ignore"):
            slack = (np.sqrt(1.0 + 4.0 * (self.weight / price)) - 1.0) / 2.0
        wanted = np.ceil(self.offered + slack)
        return np.clip(wanted, self.floor.astype(float), self.ceiling.astype(float)).astype(np.int64)

    def allocate(self, waiting: float, most: int) -> Counts:
        """The fewest processors with which at most `waiting` tuples wait, at most `most` in total and enough to keep
        up.
        """

        def is_enough(counts: Counts) -> bool:
            return int(counts.sum()) >= most or self.waiting(counts) <= waiting

        counts = self.floor.copy()
        if is_enough(counts):
            return counts
        low, high = -690.0, log(max(float(np.max(self.weight)), 1e-300)) + 60.0
        if not is_enough(self.fill(float(np.exp(low)))):
            return self.fill(float(np.exp(low)))  # max_processors allow no more
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if is_enough(self.fill(float(np.exp(middle)))):
                low = middle
            else:
                high = middle
        counts, enough = self.fill(float(np.exp(high))), self.fill(float(np.exp(low)))
        for operator in np.flatnonzero(enough > counts):
            while counts[operator] < enough[operator] and not is_enough(counts):
                counts[operator] += 1
        return counts
