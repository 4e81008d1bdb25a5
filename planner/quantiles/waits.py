"""The wait of a visit: none with probability 1 − P, else D·W/P with a drawn D of mean 1; by instance where keyed.

The wait of a tuple never falls where P and W/P do not fall.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from planner.arrays import Floats, Indices

ROUNDING = 1e-9
FEW_INSTANCES, FEW_CELLS, MANY_CELLS = 128, 8_192, 65_536


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

    def is_longer_than(self, other: "AnyWait") -> bool:
        """Whether some tuple could wait longer than under the other."""
        return spread_evenly(self).is_longer_than(other)


@dataclass(frozen=True, slots=True)
class InstanceWaits:
    """The waits at the instances of an operator; `ends` are their cumulative parts of the tuples."""

    ends: Floats
    delays: Floats
    probabilities: Floats

    @classmethod
    def prepare(cls, parts: Floats, means: Floats, probabilities: Floats) -> "InstanceWaits":
        """The instances in the order given."""
        waits = (means > 0.0) & (probabilities > 0.0)
        probability = np.where(waits, probabilities, 0.0)
        delays = np.where(waits, means / np.where(waits, probabilities, 1.0), 0.0)
        return cls(np.cumsum(parts) / parts.sum(), delays, probability)

    @property
    def is_none(self) -> bool:
        """Whether no tuple waits."""
        return not self.delays.any()

    def find_instances(self, keys: Floats) -> Indices:
        """The instance of each key between 0 and 1."""
        cells = FEW_CELLS if len(self.ends) <= FEW_INSTANCES else MANY_CELLS
        found = (
            search_ends(self.ends, keys) if len(keys) < 2 * cells else search_cells(self.ends, keys, cells)
        )
        return np.minimum(found, len(self.ends) - 1)

    def is_longer_than(self, other: "AnyWait") -> bool:
        """Whether some tuple could wait longer than under the other, at the same key."""
        others = spread_evenly(other)
        ends = np.union1d(self.ends, others.ends)
        keys = (np.concatenate(([0.0], ends[:-1])) + ends) / 2.0
        mine, its = self.find_instances(keys), others.find_instances(keys)
        more = self.probabilities[mine] > others.probabilities[its] * (1.0 + ROUNDING)
        longer = self.delays[mine] > others.delays[its] * (1.0 + ROUNDING)
        return bool(np.any((self.delays[mine] > 0.0) & (more | longer)))


AnyWait = Wait | InstanceWaits


def search_ends(ends: Floats, keys: Floats) -> Indices:
    """How many ends are at or below each key."""
    return np.searchsorted(ends, keys, side="right")


def search_cells(ends: Floats, keys: Floats, cells: int) -> Indices:
    """search_ends in a fifth of its time: cells of equal width, a power of 2 of them, know it for most keys."""
    reached = search_ends(ends, np.arange(cells + 2) / cells)  # with a cell for 1.0 itself
    cell = (keys * cells).astype(np.intp)
    found = reached[cell]
    unsure = np.flatnonzero((reached[1:] != reached[:-1])[cell])
    found[unsure] = search_ends(ends, keys[unsure])
    return found


def spread_evenly(wait: AnyWait) -> InstanceWaits:
    """The same waits, with one instance for all keys where none are told apart."""
    if isinstance(wait, InstanceWaits):
        return wait
    one = np.ones(1)
    return InstanceWaits.prepare(one, one * wait.mean_seconds, one * wait.probability)
