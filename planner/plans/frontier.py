"""Which least E[T] has every number of processors? The frontier answers, by one sweep that adds
processors one by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from planner.allocation.allocate import check_bounds, set_board, step_to_total
from planner.allocation.greedy_board import Board
from planner.allocation.greedy_scalar import ScalarBoard
from planner.allocation.whole_groups import finish_budget
from planner.situations.situation import Situation

MOST_POINTS = 200
"""A picture has no more columns to show; beyond them the points lie further apart."""
FAR = 100
"""Over so many processors a search for where greedy arrives is quicker than its steps."""


@dataclass(frozen=True, slots=True)
class FrontierPoint:
    """The best split of `processors_total` processors: its E[T], and the operator that gained most since the point
    before.
    """

    processors_total: int
    expected_sojourn_seconds: float
    operator: str | None


def sweep_frontier(
    situation: Situation, most_total: int, most_points: int = MOST_POINTS
) -> list[FrontierPoint]:
    """Returns the best splits from the fewest processors with which every operator keeps up, to `most_total`
    processors.

    There are at most `most_points` points, further apart towards the end. The sweep ends where no processor shortens a
    wait. Raises BoundTooSmall.
    """
    board = set_board(situation.stations)
    check_bounds(situation.stations, board.floors, situation.names)
    before = list_best(board)
    points = [find_point(situation, board, before, None)]
    for total in list_totals(board.total, most_total, most_points):
        if not move_to_total(board, total):
            break
        counts = list_best(board)
        points.append(find_point(situation, board, counts, name_largest(situation.names, before, counts)))
        before = counts
    return points


def move_to_total(board: Board, total: int) -> bool:
    """Adds processors to the board, each where it helps most, up to `total`; False if no more shorten a wait."""
    if total - board.total > FAR:
        board.approach_total(total)
    step_to_total(board, total)
    return board.total == total


def list_totals(first: int, last: int, most_points: int) -> list[int]:
    """Returns the numbers of processors after `first` up to `last` that get a point.

    If there are more than `most_points` numbers, their distance from `first` grows by a factor.
    """
    if last - first < most_points:
        return list(range(first + 1, last + 1))
    ratio = (last - first) ** (1.0 / (most_points - 1))
    steps = sorted({max(1, round(ratio**i)) for i in range(most_points)} | {last - first})
    return [first + step for step in steps if step <= last - first]


def find_point(situation: Situation, board: Board, counts: list[int], operator: str | None) -> FrontierPoint:
    """The point of the frontier for the processors on the board; `operator` gained most since the point before.

    `counts` are the best of as many processors: those on the board, unless key groups are dealt out whole.
    """
    waits = board.list_waits() if counts == board.list_counts() else situation.wait_seconds(counts)
    return FrontierPoint(board.total, situation.sum_sojourns([float(wait) for wait in waits]), operator)


def list_best(board: Board) -> list[int]:
    """The best allocation of as many processors as are on the board."""
    counts = list(map(int, board.list_counts()))
    if isinstance(board, ScalarBoard) and board.has_stairs:
        return finish_budget(board, board.total).counts
    return counts


def name_largest(names: Sequence[str], before: Sequence[int], after: Sequence[int]) -> str | None:
    """Returns the name of the operator that gained the most processors; among equals the first."""
    gained = [new - old for new, old in zip(after, before, strict=True)]
    most = max(gained)
    return names[gained.index(most)] if most > 0 else None
