"""Many operators on greedy's path: where they stand, what is worth what there, and who is next in its order.

One function of (operator, k) alone decides that order: `Look.log_next`, from one B(k) in closed form. The gain
of the processor before, from the same B(k), is as good to 1e-13 and only says where to look.
"""

from collections.abc import Callable
from math import log

import numpy as np
from numpy.typing import NDArray

from planner.arrays import Counts, Floats, Indices
from planner.queueing.gain_curve import LEAST_GAIN
from planner.queueing.stations import BLOCK, Queues, log_gain, look_at

ROUNDING = 1e-10
"""Two computations of one ln gain are this close, with a wide margin; two gains of one operator never are."""
LOG_LEAST_GAIN = log(LEAST_GAIN)


class Board:
    """Where the operators stand and what the processor before and the next are worth there."""

    def __init__(self, queues: Queues, floor: Counts, ceiling: Counts, counts: Counts) -> None:
        self.queues, self.floor, self.ceiling = queues, floor, ceiling
        self.counts = np.clip(counts, floor, ceiling)
        size = len(floor)
        self.log_last, self.log_next, self.slope, self.waits, self.log_b = (np.empty(size) for _ in range(5))
        self.look(np.arange(size))

    def look(self, at: Indices) -> None:
        """Renew what is known of the operators `at`."""
        everything = len(at) == len(self.counts)
        queues = self.queues if everything else self.queues.select(at)
        counts, floor = self.counts[at], self.floor[at]
        seen = look_at(queues, counts, floor)
        self.log_last[at], self.log_next[at], self.slope[at] = seen.log_last, seen.log_next, seen.slope
        self.waits[at] = seen.wait_in_services
        self.log_b[at] = seen.log_b

    def move(self, at: Indices, counts: Counts) -> None:
        """Set the counts of the operators `at`."""
        self.counts[at] = counts
        self.look(at)

    def offered(self) -> Floats:
        """ln gain of each operator's next processor, −inf where it cannot or need not have one."""
        is_open = (self.counts < self.ceiling) & (self.log_next > LOG_LEAST_GAIN)
        return np.where(is_open, self.log_next, -np.inf)

    def next_log_gain(self, at: Indices, counts: Counts) -> Floats:
        """The ln gain that decides the order, of the next processor at `counts`; −inf at the ceiling."""
        seen = look_at(self.queues.select(at), counts, counts)
        is_open = (counts < self.ceiling[at]) & (seen.log_next > LOG_LEAST_GAIN)
        return np.where(is_open, seen.log_next, -np.inf)

    def waiting(self) -> float:
        """Mean number that wait, all operators together."""
        return float(np.sum(self.queues.high * self.waits))

    def predict(self, log_least: float, at: Indices | slice = slice(None)) -> Counts:
        """The first k whose ln gain is at most `log_least`, along the line through k."""
        k = self.counts[at]
        steps = np.ceil((log_least - self.log_next[at]) / self.slope[at])
        floor, ceiling = self.floor[at], self.ceiling[at]
        return np.clip(k + steps, floor, ceiling).astype(np.int64)

    def misplaced(self, log_least: float, at: Indices | slice = slice(None)) -> NDArray[np.bool_]:
        """Which operators do not stand at the first k whose ln gain is at most `log_least`."""
        too_few = (self.log_next[at] > log_least) & (self.counts[at] < self.ceiling[at])
        return too_few | (self.log_last[at] <= log_least)


def order_next(board: Board, want: int) -> tuple[Indices, Floats]:
    """The operators that greedy gives its next `want` processors to, in its order, and their ln gains."""
    offered = board.offered()
    want = min(want, int(np.count_nonzero(offered > -np.inf)))
    if want <= 0:
        return np.empty(0, np.intp), np.empty(0)
    worst = np.partition(offered, len(offered) - want)[len(offered) - want]
    at = np.flatnonzero(offered >= worst)
    counts, chosen, keys, depth = board.counts[at], at, offered[at], 1
    while at.size:
        # an operator much larger than the others may take many in a row: look ever deeper at once
        several = np.repeat(at, depth)
        gains = board.next_log_gain(several, (counts[:, np.newaxis] + np.arange(1, depth + 1)).ravel())
        kept = gains >= worst
        chosen, keys = np.concatenate([chosen, several[kept]]), np.concatenate([keys, gains[kept]])
        goes_on = kept.reshape(-1, depth)[:, -1]
        at, counts, depth = at[goes_on], counts[goes_on] + depth, 2 * depth
        worst = np.partition(keys, len(keys) - want)[len(keys) - want]
    order = np.lexsort((chosen, -keys))[:want]
    return chosen[order], keys[order]


def order_last(board: Board, want: int) -> tuple[Indices, Floats]:
    """The operators that greedy gave its last `want` processors to, the last one first, and their ln gains."""
    want = min(want, int(np.count_nonzero(board.counts > board.floor)))
    if want <= 0:
        return np.empty(0, np.intp), np.empty(0)
    best = np.partition(board.log_last, want - 1)[want - 1] + ROUNDING
    at = np.flatnonzero(board.log_last <= best)
    counts, chosen, keys, depth = board.counts[at], np.empty(0, np.intp), np.empty(0), 1
    while at.size:
        several = np.repeat(at, depth)
        fewer = (counts[:, np.newaxis] - np.arange(1, depth + 1)).ravel()
        floor = board.floor[several]
        gains = board.next_log_gain(several, np.maximum(fewer, floor))
        kept = (gains <= best + ROUNDING) & (fewer >= floor)
        chosen, keys = np.concatenate([chosen, several[kept]]), np.concatenate([keys, gains[kept]])
        goes_on = kept.reshape(-1, depth)[:, -1]
        at, counts, depth = at[goes_on], counts[goes_on] - depth, 2 * depth
        if len(keys) >= want:
            best = np.partition(keys, want - 1)[want - 1]
    order = np.lexsort((-chosen, keys))[:want]
    return chosen[order], keys[order]


def apply_steps(board: Board, operators: Indices, by: int) -> None:
    """Add or remove one processor for every mention of an operator."""
    at, times = np.unique(operators, return_counts=True)
    board.move(at, board.counts[at] + by * times)


def step(board: Board, order: Callable[[Board, int], tuple[Indices, Floats]], by: int) -> bool:
    """One processor more or fewer, as greedy's order has it; False where there is none."""
    operators, _ = order(board, 1)
    apply_steps(board, operators, by)
    return operators.size > 0


def is_board_falling(board: Board) -> bool:
    """Whether the gains around the answer fall, as greedy needs; certain where v does not depend on k."""
    if board.queues.weights.is_constant:
        return True
    for start in range(0, len(board.counts), BLOCK):
        part = slice(start, start + BLOCK)
        queues, k = board.queues.select(part), board.counts[part].astype(np.float64) + 1.0
        log_b = board.log_b[part]
        log_after, _ = log_gain(queues, k, log_b + np.log(queues.high / (k + queues.high * np.exp(log_b))))
        last, here = board.log_last[part], board.log_next[part]
        falls = (last >= here - ROUNDING) & (here >= log_after - ROUNDING)
        if not np.all(falls | (here <= LOG_LEAST_GAIN)):
            return False
    return True
