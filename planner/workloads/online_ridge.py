"""Ridge regression that learns row by row and is drawn to a prior, and the array that its rows are kept in."""

from collections.abc import Mapping

import numpy as np

from planner.arrays import Floats


class Ridge:
    """β minimising Σ(y − xβ)² + penalty·|β − prior|², for several targets that share the shape of x."""

    def __init__(self, targets: int, features: int, penalty: float, prior: Mapping[int, float]) -> None:
        self.prior: Floats = np.zeros((targets, features))
        for column, value in prior.items():
            self.prior[:, column] = value
        self.weights: Floats = self.prior
        self._gram = np.tile(np.eye(features) * penalty, (targets, 1, 1))
        self._moments = penalty * self.prior

    def learn(self, rows: Floats, outcomes: Floats) -> None:
        """Learn from rows (targets × n × features) with their outcomes (targets × n)."""
        transposed = rows.transpose(0, 2, 1)
        self._gram += transposed @ rows
        self._moments += (transposed @ outcomes[..., None])[..., 0]
        solved = np.linalg.solve(self._gram, self._moments[..., None])[..., 0]
        self.weights = np.asarray(solved, dtype=float)

    def predict(self, rows: Floats) -> Floats:
        """The expected outcomes (targets × n)."""
        return np.asarray((rows @ self.weights[..., None])[..., 0], dtype=float)


class Rows:
    """An array that grows at its end in amortised constant time."""

    def __init__(self, *shape: int) -> None:
        self._data = np.zeros((1024, *shape))
        self.count = 0

    def extend(self, block: Floats) -> None:
        """Append rows."""
        end = self.count + len(block)
        if end > len(self._data):
            grown = np.zeros((max(2 * len(self._data), end), *self._data.shape[1:]))
            grown[: self.count] = self._data[: self.count]
            self._data = grown
        self._data[self.count : end] = block
        self.count = end

    @property
    def all(self) -> Floats:
        """Every row so far (a view)."""
        return self._data[: self.count]
