"""The boards on which greedy moves processors, and how a board is filled up to a budget.

Where an operator has many millions of processors to spare, one more shortens a wait by less than a double can show, so
greedy's order is not known. A search for it would go on for as long as the budget is large. What the search for θ has
then left over is spread in proportion.
"""

from collections.abc import Sequence
from typing import Protocol

from planner.allocation.greedy_arrays import ArrayBoard
from planner.allocation.greedy_scalar import ScalarBoard
from planner.arrays import Counts, Floats
from planner.queueing.gain_curves import ScalarQueues
from planner.queueing.stations import Stations

MOST_STEPPED = 2_000
"""The most processors, or twice the operators if more, that are moved one by one where greedy's search ends."""

MOST_SPREADS = 100


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


def set_board(stations: Stations) -> Board:
    """The board on which greedy moves processors: plain floats for few operators, arrays for many."""
    queues = stations.queues
    if isinstance(queues, ScalarQueues):
        return ScalarBoard(queues, stations.max_processors)
    return ArrayBoard(queues, stations.min_processors, stations.max_processors)


def fill_up(board: Board, total: int) -> bool:
    """Gives operators the first processors in greedy's order, `total` in all or as many as bring a gain.

    False where so many were left over that they were spread in proportion.
    """
    board.approach_total(total)
    return step_to_total(board, total)


def step_to_total(board: Board, total: int) -> bool:
    """Takes or gives back processors in greedy's order, from about `total` to `total`, as fill_up does in the end."""
    most, spare, is_ordered = max(MOST_STEPPED, 2 * len(board.floors)), total - board.total, True
    for _ in range(MOST_SPREADS):
        if abs(spare) <= most:
            break
        board.spread(spare)
        before, spare = spare, total - board.total
        if spare == before:  # no operator gains by more
            return is_ordered
        is_ordered = False
    while 0 < abs(spare) <= most and board.step(spare):
        spare = total - board.total
    return is_ordered
