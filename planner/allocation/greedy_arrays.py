"""Marginal analysis on many operators at once: the search for the gain θ at which greedy stops.

{gain > θ} is a prefix of greedy's order, whatever θ is, so an inexact θ costs time and never the answer: the
processors around it are put into greedy's order, by ln gain and among equals by operator, and taken or given
back one by one. No gain may lie so near θ that rounding decides on which side: θ moves aside then.
"""

from collections.abc import Callable
from math import exp

import numpy as np

from planner.allocation.greedy_state import (
    LOG_LEAST_GAIN,
    ROUNDING,
    Board,
    apply_steps,
    order_last,
    order_next,
    step,
)
from planner.arrays import Counts
from planner.queueing.erlang import solve_halfin_whitt
from planner.queueing.gain_curve import LEAST_GAIN
from planner.queueing.stations import Queues

MOST_GUESSES = 6
MOST_SHIFTS = 50
"""Only millions of operators of 1e9 processors each leave no room between gains; then rounding may decide."""
Aim = Callable[[Board], float]


def aim_at_total(total: int) -> Aim:
    """ln θ where the lines' counts sum to `total`, by Newton between brackets: the sum falls as θ grows."""

    def aim(board: Board) -> float:
        base = board.counts - board.log_next / board.slope + 0.5
        rate = 1.0 / board.slope
        floor, ceiling = board.floor.astype(np.float64), board.ceiling.astype(np.float64)
        low, high = LOG_LEAST_GAIN - 1.0, max(float(np.max(board.log_next)), 0.0) + 50.0
        log_least = float(np.median(board.log_next))
        for _ in range(40):
            line = base + rate * log_least
            excess = float(np.sum(np.clip(line, floor, ceiling))) - total
            if abs(excess) < 0.5:
                break
            low, high = (log_least, high) if excess > 0.0 else (low, log_least)
            free = float(np.sum(rate[(line > floor) & (line < ceiling)]))
            log_least = log_least - excess / free if free else low
            if not low < log_least < high:
                log_least = (low + high) / 2.0
        return max(log_least, LOG_LEAST_GAIN)

    return aim


def aim_at_waiting(limit: float) -> Aim:
    """ln θ where the mean number that waits falls to `limit`, the gains along a line being a geometric series.

    d processors more at one operator: gain·(1 − e^(slope·d))/(1 − e^slope) fewer wait. The sum over operators falls
    as θ grows; its root is found by secant steps between brackets, to a fraction of a processor per operator.
    """

    def aim(board: Board) -> float:
        excess = board.waiting() - limit
        worth = np.exp(board.log_next) / -np.expm1(board.slope)
        rate, base = 1.0 / board.slope, board.log_next / board.slope
        fewest, most = (bound - board.counts.astype(np.float64) for bound in (board.floor, board.ceiling))

        def miss(log_least: float) -> tuple[float, float]:
            steps = log_least * rate
            steps -= base
            np.clip(np.ceil(steps, out=steps), fewest, most, out=steps)
            steps *= board.slope
            np.expm1(steps, out=steps)
            steps *= worth
            return excess + float(steps.sum()), exp(log_least) * len(steps)

        low, high = LOG_LEAST_GAIN - 1.0, max(float(np.max(board.log_next)), 0.0) + 50.0
        log_least = float(np.median(board.log_next))
        spread = -float(np.mean(rate))
        for _ in range(30):
            short, quantum = miss(log_least)
            if abs(short) < 0.02 * quantum:
                break
            low, high = (low, log_least) if short > 0.0 else (log_least, high)
            log_least -= max(min(short / (quantum * max(spread, 0.1)), 5.0), -5.0)
            if not low < log_least < high:
                log_least = (low + high) / 2.0
        return max(log_least, LOG_LEAST_GAIN)

    return aim


def approach(board: Board, aim: Aim, rest: Callable[[], float]) -> None:
    """Put every operator at the first k whose gain is at most one θ, where `aim` sees it, till little is the rest.

    One big operator among small ones can hide in the few that still move, and a small step of θ is many of its
    processors: so the aim is taken anew from where the operators stand for certain.
    """
    for _ in range(MOST_GUESSES):
        log_least = aim(board)
        for _ in range(MOST_GUESSES):
            movers = np.flatnonzero(board.misplaced(log_least))
            if len(movers) * 20 <= len(board.counts):
                break
            board.move(movers, board.predict(log_least, movers))
            log_least = aim(board)
        certify(board, log_least)
        for _ in range(MOST_SHIFTS):
            if not is_within_rounding(board, log_least):
                break
            log_least -= 4.0 * ROUNDING
            certify(board, log_least)
        if abs(rest()) <= len(board.counts):
            break


def is_within_rounding(board: Board, log_least: float) -> bool:
    """Whether a gain is so close to θ that its two computations could fall on either side."""
    near = np.minimum(np.abs(board.log_last - log_least), np.abs(board.log_next - log_least))
    return bool(np.any(near < ROUNDING)) and log_least > LOG_LEAST_GAIN - 1.0


def certify(board: Board, log_least: float) -> None:
    """Move the misplaced along their lines, between brackets that close in, until none is."""
    low, high = board.floor - 1, board.ceiling.copy()
    movers = np.flatnonzero(board.misplaced(log_least))
    while movers.size:
        k = board.counts[movers]
        is_above = board.log_next[movers] > log_least
        low[movers] = np.where(is_above, k, low[movers])
        high[movers] = np.where(is_above, high[movers], k - 1)
        wanted = board.predict(log_least, movers)
        wanted = np.where(is_above, np.maximum(wanted, k + 1), np.minimum(wanted, k - 1))
        inside = (wanted > low[movers]) & (wanted <= high[movers])
        wanted = np.where(inside, wanted, (low[movers] + high[movers] + 1) // 2)
        board.move(movers, wanted)
        movers = movers[board.misplaced(log_least, movers) & (low[movers] < high[movers])]


def allocate_total(queues: Queues, floor: Counts, ceiling: Counts, total: int) -> Board:
    """Greedy's counts for `total` processors, fewer where no gain is left."""
    if not len(floor):
        return Board(queues, floor, ceiling, floor)
    x = (total - float(np.sum(queues.high))) / float(np.sum(np.sqrt(queues.high)))
    board = Board(queues, floor, ceiling, guess_counts(queues, x))
    approach(board, aim_at_total(total), lambda: total - int(board.counts.sum()))
    while (spare := total - int(board.counts.sum())) != 0:
        order, by = (order_next, 1) if spare > 0 else (order_last, -1)
        operators, _ = order(board, abs(spare))
        if not operators.size:
            break
        apply_steps(board, operators, by)
    return board


def guess_counts(queues: Queues, x: float) -> Counts:
    """k = A + x√A: where waits are neither rare nor sure, equal x is nearly equal gain (Halfin and Whitt 1981)."""
    far = min(x, 36.0)  # further out, gains of big stations have vanished
    return (queues.high + far * np.sqrt(queues.high)).astype(np.int64)


def allocate_waiting(
    queues: Queues, floor: Counts, ceiling: Counts, limit: float, is_met: Callable[[Board], bool]
) -> Board:
    """Greedy's counts at the first total that `is_met`; `limit` is about the mean number that may wait then."""
    if not len(floor):
        return Board(queues, floor, ceiling, floor)
    scale = float(np.sum(np.sqrt(queues.high) * queues.weights.level))
    board = Board(queues, floor, ceiling, guess_counts(queues, solve_halfin_whitt(limit / scale)))
    # every one of the processors still to place or take back is worth about the best gain on offer
    approach(
        board,
        aim_at_waiting(limit),
        lambda: (board.waiting() - limit) / max(exp(min(float(np.max(board.offered())), 700.0)), LEAST_GAIN),
    )
    move_to_limit(board, limit)
    while not is_met(board) and step(board, order_next, 1):
        pass
    while is_met(board):
        if not step(board, order_last, -1):
            return board
    step(board, order_next, 1)
    return board


def move_to_limit(board: Board, limit: float) -> None:
    """Step along greedy's order to where the mean number that waits is `limit`, to rounding."""
    size = len(board.counts)
    while (excess := board.waiting() - limit) > 0.0 and np.any(offered := board.offered() > -np.inf):
        best = float(np.exp(np.max(board.log_next[offered])))
        operators, log_gains = order_next(board, int(min(size, excess / best + 2.0)))
        sums = np.cumsum(np.exp(log_gains))
        apply_steps(board, operators[: np.searchsorted(sums, excess) + 1], 1)
    while (room := limit - board.waiting()) > 0.0 and np.any(board.counts > board.floor):
        least = max(float(np.exp(np.min(board.log_last))), LEAST_GAIN)
        operators, log_gains = order_last(board, int(min(size, room / least + 2.0)))
        fitting = int(np.searchsorted(np.cumsum(np.exp(log_gains)), room, side="right"))
        if not fitting:
            break
        apply_steps(board, operators[:fitting], -1)
