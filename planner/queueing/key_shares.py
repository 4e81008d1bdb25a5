"""The shares of arrivals that k instances get under keyed queueing, from those measured at m instances.

    k = m:  as measured
    k < m:  the hottest gets p₁ + (m/k − 1)(1 − p₁)/(m − 1): it takes over what m/k − 1 average others had
    k > m:  the hottest gets 1/k + (p₁ − 1/m), since a hot key stays whole
    The others share the rest in the proportions that were measured.

So the hottest share falls with k, and never below what the hottest instance has above its fair share.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planner.arrays import Floats
from planner.queueing.erlang import STABILITY_MARGIN
from planner.values import InstanceLoad

MOST_GROUPS = 64  # further instances are taken together in groups of like shares
UNREACHABLE = 2**60
"""A number of processors that nobody has: no number is enough."""


@dataclass(frozen=True)
class KeyShares:
    """The measured instances, in the order of their shares."""

    instances: tuple[InstanceLoad, ...]

    @cached_property
    def shares(self) -> Floats:
        """The shares, adding up to 1, the largest first."""
        shares = np.array([one.share for one in self.instances])
        return np.asarray(shares / shares.sum())

    def find_hottest(self, k: int) -> float:
        """The share of the busiest of k instances."""
        first, size = float(self.shares[0]), len(self.shares)
        if k in {1, size}:
            return first if k == size else 1.0
        if k > size:
            return 1.0 / k + (first - 1.0 / size)
        return first + (size / k - 1.0) * (1.0 - first) / (size - 1)

    def spread(self, k: int) -> tuple[Floats, Floats]:
        """Shares and how many instances have each, as groups; Σ share × number = 1."""
        size = len(self.shares)
        if k == 1:
            return np.ones(1), np.ones(1)
        if k == size:
            return gather(self.shares, np.ones(size))
        hottest = self.find_hottest(k)
        rest = self.shares[1:] if size > 1 else self.shares
        others = share_out(rest, hottest, 1.0 - hottest, (k - 1) / len(rest))
        return gather(np.append(hottest, others), np.append(1.0, np.full(len(rest), (k - 1) / len(rest))))

    def find_least_stable(self, offered: float) -> int:
        """The fewest instances of which the busiest keeps up with its share of `offered`, or UNREACHABLE."""
        high, limit = 1, 1.0 - STABILITY_MARGIN  # as InstanceQueues.is_stable has it
        while self.find_hottest(high) * offered >= limit:
            high *= 2
            if high > UNREACHABLE:
                return UNREACHABLE
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.find_hottest(middle) * offered >= limit else (low, middle)
        return high


def share_out(rest: Floats, most: float, left: float, number: float) -> Floats:
    """Shares in the proportions of `rest`, none above `most`, that add up to `left` with `number` of each."""
    shares: Floats = rest * (left / (number * rest.sum()))
    while np.any(shares > most * (1.0 + 1e-12)):
        is_cut = shares >= most
        open_sum = float(shares[~is_cut].sum())
        if not open_sum:
            return np.minimum(shares, most)
        shares = np.where(is_cut, most, shares * ((left / number - most * is_cut.sum()) / open_sum))
    return shares


def gather(shares: Floats, numbers: Floats) -> tuple[Floats, Floats]:
    """At most MOST_GROUPS groups: the hottest by itself, the others in groups of neighbours with their mean share."""
    if len(shares) <= MOST_GROUPS:
        return shares, numbers
    parts: Sequence[Floats] = np.array_split(np.arange(1, len(shares)), MOST_GROUPS - 1)
    counts = np.array([numbers[part].sum() for part in parts])
    means = np.array([(shares[part] * numbers[part]).sum() for part in parts]) / counts
    return np.concatenate([shares[:1], means]), np.concatenate([numbers[:1], counts])
