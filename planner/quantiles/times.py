"""Total and completion time of every external tuple of a draw, under given waits.

Each tuple starts where the tuple that emitted it finishes. With the mean wait W and the probability P of a wait, and
with U and D drawn for a visit, the visit waits D·W/P where U < P, else 0 (planner.quantiles.waits). This wait never
grows where P and W/P do not grow, so more processors never lengthen any tuple's time.
"""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

import numpy as np

from planner.arrays import Floats
from planner.quantiles.draw import OUTSIDE, Draw, Visits
from planner.quantiles.waits import AnyWait, Wait
from planner.values import TimeTarget


class RootTimes(NamedTuple):
    """Seconds of each external tuple: the total over all tuples that derive from it, and until the last is finished."""

    total: Floats
    completion: Floats


def time_roots(draw: Draw, waits: Sequence[AnyWait]) -> RootTimes:
    """The total and completion times of all external tuples of a draw; `waits` is in topology order."""
    total, completion = np.zeros(draw.roots), np.zeros(draw.roots)
    finishes: list[Floats] = []
    for block in draw.blocks:
        spent = spend(block, waits[block.operator])
        started = find_starts(block, finishes)
        finish = spent if started is None else spent + started
        finishes.append(finish)
        if block.roots is None:
            total += spent
        else:
            np.add.at(total, block.roots, spent)
        if block.is_last:
            raise_completion(completion, block, finish)
    return RootTimes(total, completion)


def spend(block: Visits, wait: AnyWait) -> Floats:
    """The wait and the service time of each tuple of a block, in seconds."""
    if wait.is_none:
        return block.services
    if isinstance(wait, Wait):
        spent = block.delays * wait.delay_seconds
        spent *= block.chances < wait.probability
    else:
        at = wait.find_instances(block.keys)
        spent = block.delays * wait.delays[at]
        spent *= block.chances < wait.probabilities[at]
    spent += block.services
    return spent


def find_starts(block: Visits, finishes: Sequence[Floats]) -> Floats | None:
    """The time at which each tuple of a block arrives, counted from its external tuple; None if all arrive at 0."""
    if all(parents.block == OUTSIDE for parents in block.parents):
        return None
    starts = []
    for parents in block.parents:
        if parents.block == OUTSIDE:
            starts.append(np.zeros(parents.size))
        else:
            finish = finishes[parents.block]
            starts.append(finish if parents.places is None else finish[parents.places])
    return starts[0] if len(starts) == 1 else np.concatenate(starts)


def raise_completion(completion: Floats, block: Visits, finish: Floats) -> None:
    """Raises the completion time of each external tuple to the finish of its tuples of this block."""
    if block.roots is None:
        np.maximum(completion, finish, out=completion)
    else:
        np.maximum.at(completion, block.roots, finish)


def rank(level: float, roots: int) -> int:
    """The number of drawn external tuples that are done within the quantile of a level: the first k with k/roots ≥
    level.
    """
    return min(max(ceil(level * roots - 1e-9), 1), roots)


def find_quantiles(seconds: Floats, levels: Sequence[float]) -> list[float]:
    """The quantile of drawn times for each level: the least time within which that part of the times lies."""
    ordered = np.sort(seconds)
    return [float(ordered[rank(level, len(ordered)) - 1]) for level in levels]


def measure_times(target: TimeTarget, times: RootTimes) -> float:
    """The time in seconds that a target limits, the mean or a quantile, over drawn tuples with the given times."""
    seconds = times.total if target.of == "total" else times.completion
    if target.quantile is None:
        return float(seconds.mean())
    return find_quantiles(seconds, [target.quantile])[0]
