"""Tuples that arrive together: what the children of one tuple add to the wait, since a batch waits for itself.

    W grows by (b − 1)/(2kμ),   b = E[B²]/E[B] of the batches B that reach one queue        (M^X/G/1; Erlang's k = 1)
    times ρ where k > 1 processors share the queue: an idle one takes the next of the batch

An edge of selectivity n + f sends n tuples for each, and one more with probability f. Dealt in turn over k instances a
batch of B brings ⌊B/k⌋ or ⌈B/k⌉ tuples to each; at random b = 1 + (b' − 1)/k; keyed, all go to one instance.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.arrays import Floats, Indices
from planner.queueing.queueings import EmittedBatch, Real


@dataclass(frozen=True)
class Batches:
    """The edges with a selectivity above 1 into each operator, in rows of one length: part of the arrivals, n and f."""

    part: Floats
    whole: Floats
    rest: Floats

    @classmethod
    def prepare(cls, batches: Sequence[Sequence[EmittedBatch]]) -> "Batches":
        """Rows filled with parts of 0."""
        most = max([len(row) for row in batches], default=0)
        part, selectivity = np.zeros((len(batches), most)), np.ones((len(batches), most))
        for i, row in enumerate(batches):
            for j, one in enumerate(row):
                part[i, j], selectivity[i, j] = one
        whole = np.floor(selectivity)
        return cls(part, whole, selectivity - whole)

    def select(self, chosen: Indices) -> "Batches":
        """The rows of some operators."""
        return Batches(self.part[chosen], self.whole[chosen], self.rest[chosen])

    @property
    def is_any(self) -> bool:
        """Whether some operator receives batches."""
        return bool(self.part.any())

    def weigh(self, squares: Floats) -> Floats:
        """Σ part·(E[Z²]/E[B] − 1), the squares given as E[Z²]."""
        mean = self.whole + self.rest
        return np.asarray((self.part * (squares / mean - 1.0)).sum(axis=1))

    def find_whole(self) -> Floats:
        """b − 1 where a batch stays together."""
        square, next_square = self.whole**2, (self.whole + 1.0) ** 2
        return self.weigh(square * (1.0 - self.rest) + next_square * self.rest)

    def find_dealt(self, k: Floats) -> Floats:
        """b − 1 at one of k instances that a batch is dealt to in turn."""
        number = k[:, None]
        squares = [square_of_dealt(self.whole, number), square_of_dealt(self.whole + 1.0, number)]
        return self.weigh(squares[0] * (1.0 - self.rest) + squares[1] * self.rest)


def square_of_dealt(batch: Real, k: Real) -> Real:
    """ΣZ² over k instances, of which each gets ⌊B/k⌋ or one more."""
    each = batch // k
    more = batch - each * k
    return more * (each + 1.0) ** 2 + (k - more) * each**2
