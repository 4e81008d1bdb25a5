"""The shares of arrivals that k instances get under keyed queueing, from those measured at m instances.

    k = m:  as measured
    k < m:  the hottest gets p₁ + (m/k − 1)(1 − p₁)/(m − 1): it takes over the keys of m/k − 1 average others
    k > m:  the hottest gets 1/k + (p₁ − 1/m), since a hot key stays whole
    The others share the rest in the proportions that were measured.

So the hottest share falls with k, but never below p₁ − 1/m, the excess over a fair share.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planner.arrays import Floats
from planner.queueing.erlang import STABILITY_MARGIN
from planner.values import InstanceLoad

MOST_GROUPS = 64  # further instances are taken together in groups of like shares
UNREACHABLE = 2**60
"""A count that means: no number of processors is enough."""


@dataclass(frozen=True)
class KeyShares:
    """The instances of a keyed operator as measured, in the order of their shares of the arrivals."""

    instances: tuple[InstanceLoad, ...]

    @cached_property
    def shares(self) -> Floats:
        """The share of each instance in the operator's arrivals, in sum 1, the largest first."""
        shares = np.array([one.share for one in self.instances])
        return np.asarray(shares / shares.sum())

    def find_hottest(self, k: int) -> float:
        """The share of the arrivals that the busiest of k instances would get."""
        first, size = float(self.shares[0]), len(self.shares)
        if k in {1, size}:
            return first if k == size else 1.0
        if k > size:
            return 1.0 / k + (first - 1.0 / size)
        return first + (size / k - 1.0) * (1.0 - first) / (size - 1)

    def spread(self, k: int) -> tuple[Floats, Floats]:
        """The shares of arrivals that k instances would get, in groups, and the number of instances in each."""
        size = len(self.shares)
        if k == 1:
            return np.ones(1), np.ones(1)
        shares, numbers = (
            gather(self.shares[None, :], np.ones((1, size)))
            if k == size
            else self.spread_anew(np.array([k], np.float64))
        )
        return shares[0], numbers[0]

    def spread_anew(self, k: Floats) -> tuple[Floats, Floats]:
        """The shares as by `spread` for several k at once, a row for each; no k is 1 or the measured number."""
        hottest = np.array([self.find_hottest(int(one)) for one in k])[:, None]
        rest = self.shares[1:] if len(self.shares) > 1 else self.shares
        each = ((k - 1.0) / len(rest))[:, None]
        others = share_out(rest, hottest, 1.0 - hottest, each)
        shares = np.concatenate([hottest, others], axis=1)
        numbers = np.concatenate([np.ones_like(hottest), np.broadcast_to(each, others.shape)], axis=1)
        return gather(shares, numbers)

    def find_least_stable(self, offered: float) -> int:
        """The fewest instances whose busiest one keeps up with its share of the load `offered`, or UNREACHABLE."""
        high, limit = 1, 1.0 - STABILITY_MARGIN  # the same rule as InstanceQueues.is_stable
        while self.find_hottest(high) * offered >= limit:
            high *= 2
            if high > UNREACHABLE:
                return UNREACHABLE
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.find_hottest(middle) * offered >= limit else (low, middle)
        return high


def share_out(rest: Floats, most: Floats, left: Floats, number: Floats) -> Floats:
    """Rows of shares in the proportions of `rest`, none above `most`, with Σ share × `number` = `left` in each row."""
    shares: Floats = rest * (left / (number * rest.sum()))
    each = left / number
    while (at := np.flatnonzero((shares > most * (1.0 + 1e-12)).any(axis=1))).size:
        row, limit = shares[at], most[at]
        is_cut = row >= limit
        open_sum = np.where(is_cut, 0.0, row).sum(axis=1, keepdims=True)
        scale = (each[at] - limit * is_cut.sum(axis=1, keepdims=True)) / np.where(open_sum, open_sum, 1.0)
        shares[at] = np.where(is_cut, limit, row * np.where(open_sum, scale, 1.0))
    return shares


def gather(shares: Floats, numbers: Floats) -> tuple[Floats, Floats]:
    """At most MOST_GROUPS groups of shares a row: the hottest alone, the others grouped with their mean."""
    size = shares.shape[1]
    if size <= MOST_GROUPS:
        return shares, numbers
    bounds = np.linspace(1, size, MOST_GROUPS).astype(np.intp)[:-1]
    counts = np.add.reduceat(numbers, bounds, axis=1)
    means = np.add.reduceat(shares * numbers, bounds, axis=1) / counts
    return (
        np.concatenate([shares[:, :1], means], axis=1),
        np.concatenate([numbers[:, :1], counts], axis=1),
    )
