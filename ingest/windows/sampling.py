"""How tuples were chosen for the log, and what the variation of the chosen ones says of that of all."""

from typing import NamedTuple

import numpy as np

from ingest.measuring.pieces import group_by
from ingest.measuring.segments import Floats, Integers
from ingest.measuring.tables import Table


class Sampling(NamedTuple):
    """Of each window: the tuples that the logged ones stand for, the logged ones, those sampled, those at random."""

    weight: Integers
    tuples: Integers
    sampled: Integers
    thinned: Integers

    @property
    def every(self) -> Floats:
        """1 of how many was logged, on average."""
        found: Floats = self.weight / self.tuples
        return found

    def scale(self, sampled: Floats) -> Floats:
        """The variation c of all tuples from c′, that of the sampled ones.

        Every n-th tuple: a sampled gap is the sum of n gaps, so c = n·c′.
        At random: a sampled gap is the sum of geometrically many gaps, so c = 1 + n(c′ − 1), at least 0.
        NaN where an operator's tuples of one window were sampled in both ways.
        """
        by_chance = np.maximum(1 + self.every * (sampled - 1), 0.0)
        found = np.where(self.thinned == 0, sampled * self.every, np.nan)
        return np.where((self.thinned > 0) & (self.thinned == self.sampled), by_chance, found)

    def scale_dispersion(self, sampled: Floats, per_bin: Floats) -> Floats:
        """The index I(t) of all tuples from that of the sampled ones, of which a bin has `per_bin`.

        At random: as c, since thinning gives I′ − 1 = (I − 1)/n (Cox, Lewis 1966).
        Every n-th tuple: N′ = ⌊(N + U)/n⌋, U uniform, so Var N = n²(Var N′ − (1 − n⁻²)/6) if N is spread over all
        remainders of n. NaN where its standard deviation is below n/2: the counts then say nothing of it.
        """
        counted = sampled - (1 - self.every**-2.0) / 6 / per_bin
        is_spread = (self.every == 1) | (counted * per_bin >= 0.25)
        return self.scale(np.where(self.thinned > 0, sampled, np.where(is_spread, counted, np.nan)))


def find_sampling(edges: Table) -> Sampling:
    """Of each operator and window."""
    table, windows = group_by(edges, "operator", "window")
    return Sampling(*(windows.sum(table[name]) for name in Sampling._fields))
