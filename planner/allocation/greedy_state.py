"""Greedy's state on many operators: counts, gains, and the next operators to receive or give back a processor.

Greedy's order depends on one function of operator and processors k: `Look.log_next`, the logarithm of the next gain,
from one Erlang B in closed form. The gain of the processor before, from the same B, agrees with it to 1e-13, and only
limits which operators are examined.
"""

from math import copysign, inf, log

import numpy as np

from planner.arrays import Counts, Floats, Indices
from planner.queueing.array_queues import BLOCK, ArrayQueues
from planner.queueing.gain_curves import LEAST_GAIN
from planner.queueing.mixed_queues import MixedQueues
from planner.queueing.queueings import Flags

ROUNDING = 1e-10
"""Two computations of one ln gain differ by far less; two gains of one operator always differ by more."""
LOG_LEAST_GAIN = log(LEAST_GAIN)
USUAL_SLOPE = 0.5
LEAST_SLOPE = 0.02  # a secant that is more level than this leads nowhere
MOST_APART = 10.0
NEAR = 0.5
MOST_STEPS = 24


class GreedyState:
    """The processors of busy operators, with the logarithms of the gains of each operator's last and next processor."""

    def __init__(
        self, queues: ArrayQueues | MixedQueues, floor: Counts, ceiling: Counts, counts: Counts
    ) -> None:
        self.queues, self.floor, self.ceiling = queues, floor, ceiling
        self.counts = np.clip(counts, floor, ceiling)
        size = len(floor)
        self.log_last, self.log_next, self.slope, self.waits, self.log_b = (np.empty(size) for _ in range(5))
        self.look(np.arange(size))

    def look(self, at: Indices) -> None:
        """Computes gains and waits anew for the operators at the places `at`."""
        everything = len(at) == len(self.counts)
        queues = self.queues if everything else self.queues.select(at)
        counts, floor = self.counts[at], self.floor[at]
        seen = queues.look_at(counts, floor)
        self.log_last[at], self.log_next[at], self.slope[at] = seen.log_last, seen.log_next, seen.slope
        self.waits[at] = seen.wait_in_services
        self.log_b[at] = seen.log_b

    def move(self, at: Indices, counts: Counts) -> None:
        """Sets the processors of the operators at the places `at`, and computes their gains and waits."""
        self.counts[at] = counts
        self.look(at)

    def offered(self) -> Floats:
        """ln gain of each operator's next processor; −inf at the operator's bound and where the gain has vanished."""
        is_open = (self.counts < self.ceiling) & (self.log_next > LOG_LEAST_GAIN)
        return np.where(is_open, self.log_next, -np.inf)

    def next_log_gain(self, at: Indices, counts: Counts) -> Floats:
        """ln gain of the next processor of the operators `at` if they had `counts` processors; −inf where there is
        none.
        """
        seen = self.queues.select(at).look_at(counts, counts)
        is_open = (counts < self.ceiling[at]) & (seen.log_next > LOG_LEAST_GAIN)
        return np.where(is_open, seen.log_next, -np.inf)

    def waiting(self) -> float:
        """The mean number of tuples that wait at all operators together."""
        return float(np.sum(self.queues.high * self.waits))

    def predict(self, log_least: float, at: Indices | slice = slice(None)) -> Counts:
        """The fewest processors after which ln gain is at most `log_least`, if ln gain is a line in the processors."""
        k = self.counts[at]
        steps = np.ceil((log_least - self.log_next[at]) / self.slope[at])
        floor, ceiling = self.floor[at], self.ceiling[at]
        return np.clip(k + steps, floor, ceiling).astype(np.int64)

    def misplaced(self, log_least: float, at: Indices | slice = slice(None)) -> Flags:
        """Flags of operators that do not have the fewest processors after which ln gain is at most `log_least`."""
        too_few = (self.log_next[at] > log_least) & (self.counts[at] < self.ceiling[at])
        return too_few | (self.log_last[at] <= log_least)


def order_next(state: GreedyState, want: int) -> tuple[Indices, Floats]:
    """The operators that get the next `want` processors in greedy's order, and the ln gains of these processors."""
    offered = state.offered()
    want = min(want, int(np.count_nonzero(offered > -np.inf)))
    if want <= 0:
        return np.empty(0, np.intp), np.empty(0)
    worst = np.partition(offered, len(offered) - want)[len(offered) - want]
    at = np.flatnonzero(offered >= worst)
    counts, chosen, keys, depth = state.counts[at], at, offered[at], 1
    while at.size:
        # a large operator among small ones may take many in a row: each pass examines twice as many of its gains
        several = np.repeat(at, depth)
        gains = state.next_log_gain(several, (counts[:, np.newaxis] + np.arange(1, depth + 1)).ravel())
        kept = gains >= worst
        chosen, keys = np.concatenate([chosen, several[kept]]), np.concatenate([keys, gains[kept]])
        goes_on = kept.reshape(-1, depth)[:, -1]
        at, counts, depth = at[goes_on], counts[goes_on] + depth, 2 * depth
        worst = np.partition(keys, len(keys) - want)[len(keys) - want]
    order = np.lexsort((chosen, -keys))[:want]
    return chosen[order], keys[order]


def order_last(state: GreedyState, want: int) -> tuple[Indices, Floats]:
    """The operators that got the last `want` processors in greedy's order, the last first, and their ln gains."""
    want = min(want, int(np.count_nonzero(state.counts > state.floor)))
    if want <= 0:
        return np.empty(0, np.intp), np.empty(0)
    best = np.partition(state.log_last, want - 1)[want - 1] + ROUNDING
    at = np.flatnonzero(state.log_last <= best)
    counts, chosen, keys, depth = state.counts[at], np.empty(0, np.intp), np.empty(0), 1
    while at.size:
        several = np.repeat(at, depth)
        fewer = (counts[:, np.newaxis] - np.arange(1, depth + 1)).ravel()
        floor = state.floor[several]
        gains = state.next_log_gain(several, np.maximum(fewer, floor))
        kept = (gains <= best + ROUNDING) & (fewer >= floor)
        chosen, keys = np.concatenate([chosen, several[kept]]), np.concatenate([keys, gains[kept]])
        goes_on = kept.reshape(-1, depth)[:, -1]
        at, counts, depth = at[goes_on], counts[goes_on] - depth, 2 * depth
        if len(keys) >= want:
            best = np.partition(keys, want - 1)[want - 1]
    order = np.lexsort((-chosen, keys))[:want]
    return chosen[order], keys[order]


def apply_steps(state: GreedyState, operators: Indices, by: int) -> None:
    """Adds `by` processors (1 or −1) to an operator each time that it is listed in `operators`."""
    at, times = np.unique(operators, return_counts=True)
    state.move(at, state.counts[at] + by * times)


def share_out(counts: Counts, bounds: tuple[Counts, Counts], is_open: Flags, more: int) -> Counts:
    """The counts after about `more` processors more at the operators `is_open`, or fewer if negative.

    Each gets them in proportion to what it has above its least count, within the bounds.
    """
    floor, ceiling = bounds
    weights = np.where(is_open, counts - floor + 1.0, 0.0)
    change = np.trunc(more * (weights / max(float(weights.sum()), 1.0)))
    return np.clip(counts + change.astype(np.int64), floor, ceiling)


def is_state_falling(state: GreedyState) -> bool:
    """Whether the gains of processors around the answer fall, as greedy needs."""
    if state.queues.is_always_falling:
        return True
    if not np.all(state.queues.is_resolved(state.counts)):
        return False
    for start in range(0, len(state.counts), BLOCK):
        part = slice(start, start + BLOCK)
        log_after = state.queues.select(part).find_log_after(state.counts[part], state.log_b[part])
        last, here = state.log_last[part], state.log_next[part]
        falls = (last >= here - ROUNDING) & (here >= log_after - ROUNDING)
        if not np.all(falls | (here <= LOG_LEAST_GAIN)):
            return False
    return True


class ThetaSecant:
    """The search for the gain θ at which a given number of tuples waits, from ln(waiting/limit) at each tried ln θ.

    ln(tuples that wait) is nearly linear in ln θ: where each processor has a queue, VA²/c tuples wait and the gain is
    VA²/c², with A the offered load, c the spare processors and V the mean SCV; so the slope is ½. A secant finds θ in a
    few steps from anywhere.
    """

    def __init__(self) -> None:
        self.low, self.high = log(LEAST_GAIN), 700.0
        self.before: tuple[float, float] | None = None

    def step(self, log_theta: float, log_ratio: float) -> float:
        """The next ln θ to try: by the secant through the last two, within the bracket so far."""
        if log_ratio > 0.0:
            self.high = min(self.high, log_theta)
        else:
            self.low = max(self.low, log_theta)
        before, slope = self.before, USUAL_SLOPE
        if before is not None and before[0] != log_theta:
            slope = (log_ratio - before[1]) / (log_theta - before[0])
        self.before = (log_theta, log_ratio)
        wanted = log_theta - log_ratio / (slope if slope > LEAST_SLOPE else USUAL_SLOPE)
        if self.low < wanted < self.high:
            return wanted
        if self.high - self.low < MOST_APART:
            return (self.low + self.high) / 2.0
        return log_theta - copysign(1.0, log_ratio)


def compare_waiting(waiting: float, limit: float, best_gain: float, operators: int) -> float | None:
    """The logarithm of waiting/limit; None where a few steps per operator lead to the limit, or no step
    leads nearer.
    """
    ratio = log(waiting / limit) if waiting > 0.0 else -inf
    is_near = abs(waiting - limit) <= 3.0 * operators * best_gain and abs(ratio) < NEAR
    return None if is_near or best_gain <= 0.0 or ratio == -inf else ratio
