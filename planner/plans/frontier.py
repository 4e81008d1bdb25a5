"""The frontier: the least E[T] for every number of processors, from one sweep along greedy's order."""

from collections.abc import Sequence
from dataclasses import dataclass

from planner.allocation.allocate import Board, check_bounds, set_board
from planner.situations.situation import Situation

MOST_POINTS = 200
"""A picture has no more columns to show; beyond them the points lie further apart."""
FAR = 100
"""Over so many processors a search for where greedy arrives is quicker than its steps."""


@dataclass(frozen=True, slots=True)
class FrontierPoint:
    """The best split of `processors_total`: its E[T], and the operator that has gained most since the point before."""

    processors_total: int
    expected_sojourn_seconds: float
    operator: str | None


def sweep_frontier(
    situation: Situation, most_total: int, most_points: int = MOST_POINTS
) -> list[FrontierPoint]:
    """The points from the fewest processors that keep every operator up to `most_total`.

    Fewer points, further apart towards the end, where there are more than `most_points` totals. The sweep ends where no
    processor shortens a wait. Raises BoundTooSmall.
    """
    board = set_board(situation.stations)
    check_bounds(situation.stations, board.floors, situation.names)
    before = list(map(int, board.list_counts()))
    points = [find_point(situation, board, None)]
    for total in list_totals(board.total, most_total, most_points):
        if not move_to_total(board, total):
            break
        counts = list(map(int, board.list_counts()))
        points.append(find_point(situation, board, name_largest(situation.names, before, counts)))
        before = counts
    return points


def move_to_total(board: Board, total: int) -> bool:
    """Move along greedy's order to so many processors; False where no processor shortens a wait before that."""
    if total - board.total > FAR:
        board.approach_total(total)
    while spare := total - board.total:
        if not board.step(spare):
            return False
    return True


def list_totals(first: int, last: int, most_points: int) -> list[int]:
    """Totals after `first` up to `last`: all of them, or so many whose distance from `first` grows by a factor."""
    if last - first < most_points:
        return list(range(first + 1, last + 1))
    ratio = (last - first) ** (1.0 / (most_points - 1))
    steps = sorted({max(1, round(ratio**i)) for i in range(most_points)} | {last - first})
    return [first + step for step in steps if step <= last - first]


def find_point(situation: Situation, board: Board, operator: str | None) -> FrontierPoint:
    """The point of the board's counts."""
    waits = [float(wait) for wait in board.list_waits()]
    return FrontierPoint(board.total, situation.sum_sojourns(waits), operator)


def name_largest(names: Sequence[str], before: Sequence[int], after: Sequence[int]) -> str | None:
    """The operator that has gained the most processors; among equals the first."""
    gained = [new - old for new, old in zip(after, before, strict=True)]
    most = max(gained)
    return names[gained.index(most)] if most > 0 else None
