"""Which operator gets how many processors: greedy's answer, for a budget and for a target of E[T].

λE[T] falls in k by ever smaller gains (for any v that does not depend on k), so adding the processor of the
largest gain, one after another, is exactly optimal (DRS, Algorithms 1 and 2). Algorithm 1 as printed goes on
while Σk ≤ K_max and so returns K_max + 1 processors: here the sum stays at or below K_max. Algorithm 2's T_L
sums 1/μ without visits: here it is Σ λ/(μ·λ0), and a target at T_L is refused, for no finite number attains it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.allocation import greedy_arrays, greedy_scalar
from planner.allocation.greedy_state import Board, is_board_falling
from planner.arrays import Counts, Indices
from planner.errors import BoundTooSmall, BudgetTooSmall, TargetUnreachable
from planner.queueing.erlang import LEAST_LOAD
from planner.queueing.gain_curve import Curve
from planner.queueing.sojourn import sum_sojourns
from planner.queueing.stations import (
    FEW_OPERATORS,
    NO_BOUND,
    Queues,
    Stations,
    find_least_stable_counts,
    wait_seconds_each,
)


@dataclass(frozen=True)
class Allocated:
    """Processors of each operator; `optimal` is False where gains around the answer do not fall."""

    counts: Counts
    optimal: bool
    unused_processors: int = 0


def expected_sojourn_seconds(
    stations: Stations, counts: Sequence[int] | Counts, external_rate: float
) -> float:
    """E[T] = Σ λ(W + 1/μ)/λ0 (DRS eq. 4), every term rounded and their sum exact (fsum); inf where unstable.

    This is the E[T] that is compared with a target, without tolerance: who repeats the sum finds it met.
    """
    return sum_sojourns(stations, wait_seconds_each(stations, counts), external_rate)


def allocate_budget(stations: Stations, k_max: int, names: Sequence[str] = ()) -> Allocated:
    """The split of at most `k_max` processors with the least E[T]; what no operator gains by stays unused.

    Exactly what adding the processor of the largest gain, one by one and first come on ties, ends with.
    """
    if len(stations) <= FEW_OPERATORS:
        curves = stations.curves
        counts = [curve.floor for curve in curves]
        check_budget(k_max, counts, names)
        busy, tops = list_busy(stations, curves, names)
        idle = sum(counts) - sum([curve.floor for curve in busy])
        fill_busy(counts, curves, greedy_scalar.allocate_total(busy, tops, k_max - idle))
        return Allocated(
            np.array(counts, np.int64), greedy_scalar.is_falling(curves, counts), k_max - sum(counts)
        )
    field = Field.prepare(stations, names)
    check_budget(k_max, field.floor, names)
    idle = int(field.floor.sum() - field.floor[field.busy].sum())
    board = greedy_arrays.allocate_total(*field.queue_up(), k_max - idle)
    answer = field.fill(board.counts)
    return Allocated(answer, is_board_falling(board), k_max - int(answer.sum()))


def allocate_target(
    stations: Stations, t_max_seconds: float, external_rate: float, names: Sequence[str] = ()
) -> Allocated:
    """The fewest processors with E[T] ≤ `t_max_seconds`: greedy's order, stopped at the first that does."""
    if len(stations) > FEW_OPERATORS:
        return allocate_target_many(stations, t_max_seconds, external_rate, names)
    curves = stations.curves
    counts = [curve.floor for curve in curves]
    busy, tops = list_busy(stations, curves, names)

    def is_met(busy_counts: Sequence[int]) -> bool:
        fill_busy(counts, curves, busy_counts)
        waits = [curve.wait_seconds(k) for curve, k in zip(curves, counts, strict=True)]
        return sum_sojourns(stations, waits, external_rate) <= t_max_seconds

    limit = check_target(stations, counts, t_max_seconds, external_rate)
    fill_busy(counts, curves, greedy_scalar.allocate_waiting(busy, tops, limit, is_met))
    return Allocated(np.array(counts, np.int64), greedy_scalar.is_falling(curves, counts))


def allocate_target_many(
    stations: Stations, t_max_seconds: float, external_rate: float, names: Sequence[str]
) -> Allocated:
    """As allocate_target, on arrays."""
    field = Field.prepare(stations, names)
    limit = check_target(stations, field.floor, t_max_seconds, external_rate)
    arrivals, rates = np.asarray(stations.arrival_rate), np.asarray(stations.service_rate)
    services = rates[field.busy]
    waits = np.zeros(len(stations))

    def is_met(board: Board) -> bool:
        waits[field.busy] = board.waits / services
        roughly = float(np.sum(arrivals * (waits + 1.0 / rates))) / external_rate
        if abs(roughly - t_max_seconds) > 1e-13 * t_max_seconds:  # far beyond rounding: spare the exact sum
            return roughly <= t_max_seconds
        return sum_sojourns(stations, waits, external_rate) <= t_max_seconds

    board = greedy_arrays.allocate_waiting(*field.queue_up(), limit, is_met)
    return Allocated(field.fill(board.counts), is_board_falling(board))


@dataclass(frozen=True)
class Field:
    """Many operators with their bounds; `busy` are those with a load that more processors could help."""

    queues: Queues
    floor: Counts
    ceiling: Counts
    busy: Indices

    @classmethod
    def prepare(cls, stations: Stations, names: Sequence[str]) -> "Field":
        """The queues of all stations between what keeps them stable and their bounds."""
        queues = Queues.prepare(stations)
        least = find_least_stable_counts(queues.high, queues.low)
        ceiling = np.asarray(stations.max_processors, np.int64)
        floor = np.maximum(least, np.asarray(stations.min_processors, np.int64))
        if np.any(ceiling < floor):
            i = int(np.argmax(ceiling < floor))
            raise BoundTooSmall(name_operator(names, i), int(ceiling[i]), int(floor[i]))
        return cls(
            queues, floor, ceiling, np.flatnonzero((queues.high >= LEAST_LOAD) & (queues.weights.level > 0.0))
        )

    def queue_up(self) -> tuple[Queues, Counts, Counts]:
        """The busy operators alone."""
        return self.queues.select(self.busy), self.floor[self.busy], self.ceiling[self.busy]

    def fill(self, counts: Counts) -> Counts:
        """Counts of all operators from those of the busy."""
        filled = self.floor.copy()
        filled[self.busy] = counts
        return filled


def list_busy(
    stations: Stations, curves: Sequence[Curve], names: Sequence[str]
) -> tuple[list[Curve], list[int]]:
    """The operators that more processors could help, and how many they may have at most."""
    busy, tops = [], []
    for i, (curve, bound) in enumerate(zip(curves, stations.max_processors, strict=True)):
        if bound < curve.floor:
            raise BoundTooSmall(name_operator(names, i), int(bound), curve.floor)
        if curve.is_busy:
            busy.append(curve)
            tops.append(int(bound))
    return busy, tops


def fill_busy(counts: list[int], curves: Sequence[Curve], busy_counts: Sequence[int]) -> None:
    """Write the counts of the busy operators into those of all."""
    if len(busy_counts) == len(counts):
        counts[:] = busy_counts
        return
    rest = iter(busy_counts)
    for i, curve in enumerate(curves):
        if curve.is_busy:
            counts[i] = next(rest)


def name_operator(names: Sequence[str], i: int) -> str:
    """The operator's name, or its place where names were not given."""
    return names[i] if names else str(i)


def check_budget(k_max: int, floors: Sequence[int] | Counts, names: Sequence[str]) -> None:
    """Raise BudgetTooSmall, with what every operator needs, where `k_max` does not go round."""
    needed = int(sum(floors)) if not isinstance(floors, np.ndarray) else int(floors.sum())
    if k_max < needed:
        raise BudgetTooSmall(k_max, needed, {name_operator(names, i): int(k) for i, k in enumerate(floors)})


def check_target(
    stations: Stations, floor: Sequence[int] | Counts, t_max_seconds: float, external_rate: float
) -> float:
    """The mean number that may wait, λ0(T_max − T_L), T_L = Σ λ/(μλ0); raises where that is out of reach.

    T_max = T_L is out of reach too, as no finite number of processors attains it, unless nothing ever waits.
    """
    lower = sum_sojourns(stations, np.zeros(len(stations)), external_rate)
    if t_max_seconds < lower or (t_max_seconds == lower and any(wait_seconds_each(stations, floor))):
        raise TargetUnreachable(t_max_seconds, lower)
    ceiling = np.asarray(stations.max_processors)
    bounded = ceiling < NO_BOUND
    if bounded.any():
        waits = np.where(bounded, np.asarray(wait_seconds_each(stations, ceiling)), 0.0)
        lower_bounded = sum_sojourns(stations, waits, external_rate)
        if t_max_seconds < lower_bounded:
            raise TargetUnreachable(t_max_seconds, lower_bounded, bounded=True)
    return max((t_max_seconds - lower) * external_rate, 1e-280)
