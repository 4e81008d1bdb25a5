"""What a board can do, on which greedy moves processors: in plain floats for few operators, in arrays for many."""

from collections.abc import Sequence
from typing import Protocol

from planner.arrays import Counts, Floats


class Board(Protocol):
    """The processors of all operators, and moves along greedy's order: by gain, and among equal gains by operator."""

    @property
    def floors(self) -> Sequence[int] | Counts:
        """The least processors of each operator: the most of min_processors and what keeps up with the arrivals."""

    @property
    def total(self) -> int:
        """The number of processors of all operators together."""

    def list_counts(self) -> list[int]:
        """The number of processors of each operator."""

    def list_waits(self) -> list[float] | Floats:
        """The mean wait at each operator in seconds."""

    def approach_total(self, total: int) -> None:
        """Gives operators the first processors in greedy's order, about `total` in all."""

    def approach_waiting(self, limit: float) -> None:
        """Gives operators the first processors in greedy's order, until about `limit` tuples wait."""

    def step(self, steps: int) -> bool:
        """Takes up to `steps` processors in greedy's order, or gives back as many if negative; False where there is
        none.
        """

    def spread(self, more: int) -> None:
        """Gives about `more` processors at once to operators that gain by them, or takes them back if negative."""

    def is_falling(self) -> bool:
        """Whether the gains of processors around the present counts fall, without which greedy may not be optimal."""
