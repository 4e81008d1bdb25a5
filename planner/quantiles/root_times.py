"""Total and completion time of every external tuple of a draw, under given waits.

    wait = (W/P)·max(0, E + ln P),   E exponential with mean 1

is 0 with probability 1 − P and else exponential with mean W/P: the inverse of that distribution at one uniform number.
With fixed E it never falls where W/P and P do not fall, so that more processors never lengthen any tuple's time. Each
child starts where its parent finishes. Waits of different visits are independent, which is an approximation.
"""

from collections.abc import Sequence
from math import ceil, log
from typing import NamedTuple

import numpy as np

from planner.arrays import Floats
from planner.quantiles.tuple_draw import OUTSIDE, Draw, Visits

ROUNDING = 1e-9


class Wait(NamedTuple):
    """The wait at an operator: its mean, and the probability that a tuple waits at all."""

    mean_seconds: float
    probability: float

    @property
    def is_none(self) -> bool:
        """Whether no tuple waits."""
        return self.mean_seconds <= 0.0 or self.probability <= 0.0

    @property
    def delay_seconds(self) -> float:
        """The mean wait of the tuples that wait."""
        return 0.0 if self.is_none else self.mean_seconds / self.probability

    def is_longer_than(self, other: "Wait") -> bool:
        """Whether some tuple could wait longer than under the other."""
        more = self.probability > other.probability * (1.0 + ROUNDING)
        return not self.is_none and (more or self.delay_seconds > other.delay_seconds * (1.0 + ROUNDING))


class RootTimes(NamedTuple):
    """Seconds of each external tuple: the sum over all tuples that derive from it, and until the last is finished."""

    total: Floats
    completion: Floats


def time_roots(draw: Draw, waits: Sequence[Wait]) -> RootTimes:
    """The times of all roots; `waits` is in topology order."""
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


def spend(block: Visits, wait: Wait) -> Floats:
    """Wait and service of each tuple of a block."""
    if wait.is_none:
        return block.services
    waited = block.luck + log(min(wait.probability, 1.0))
    np.maximum(waited, 0.0, out=waited)
    waited *= wait.delay_seconds
    waited += block.services
    return waited


def find_starts(block: Visits, finishes: Sequence[Floats]) -> Floats | None:
    """When each tuple of a block arrives, after its root; None: all at 0."""
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
    """Each root is complete no earlier than its tuples of this block."""
    if block.roots is None:
        np.maximum(completion, finish, out=completion)
    else:
        np.maximum.at(completion, block.roots, finish)


def rank(level: float, roots: int) -> int:
    """How many of the roots are done within the quantile of a level: the first k with k/roots ≥ level."""
    return min(max(ceil(level * roots - 1e-9), 1), roots)


def find_quantiles(seconds: Floats, levels: Sequence[float]) -> list[float]:
    """The quantiles of drawn times: the least time within which that part of them lies."""
    ordered = np.sort(seconds)
    return [float(ordered[rank(level, len(ordered)) - 1]) for level in levels]
