"""Greedy on many operators, in arrays: the search for the gain θ at which greedy stops.

Greedy gives the next processor to the operator with the largest gain. For every θ, the processors with a gain above θ
come first in greedy's order, so an inexact θ costs time and never changes the answer: the processors around θ are
sorted into greedy's order, by ln gain and among equals by operator, and taken or given back. Where a gain lies so near
θ that rounding would decide on which side it is, θ is lowered a little.
"""

from collections.abc import Callable, Sequence
from math import exp

import numpy as np

from planner.allocation.greedy_state import (
    LOG_LEAST_GAIN,
    MOST_STEPS,
    ROUNDING,
    GreedyState,
    ThetaSecant,
    apply_steps,
    compare_waiting,
    is_state_falling,
    order_last,
    order_next,
    share_out,
)
from planner.arrays import Counts, Floats
from planner.queueing.array_queues import ArrayQueues
from planner.queueing.gain_curves import LEAST_GAIN
from planner.queueing.mixed_queues import MixedQueues

MOST_GUESSES = 6
MOST_LINES = 8
"""After so many moves along lines of ln gain, every other move halves what is left between the bounds of a search."""
MOST_SHIFTS = 50
"""Only with millions of operators of 1e9 processors each are gains nearer than this; then rounding may decide."""
EstimateTheta = Callable[[GreedyState], float]


class ArrayBoard:
    """The processors of many operators in arrays, and moves along greedy's order, as ScalarBoard has them for few."""

    def __init__(
        self,
        queues: ArrayQueues | MixedQueues,
        min_processors: Sequence[int] | Counts,
        ceilings: Sequence[int] | Counts,
    ) -> None:
        self.queues = queues
        self.floors = np.maximum(queues.find_floors(), np.asarray(min_processors, np.int64))
        self.busy = np.flatnonzero(queues.is_busy)
        self.busy_queues = queues.select(self.busy)
        self.bounds = self.floors[self.busy], np.asarray(ceilings, np.int64)[self.busy]
        self.idle_total = int(self.floors.sum() - self.bounds[0].sum())
        self.state: GreedyState | None = None

    @property
    def total(self) -> int:
        """The number of processors of all operators together."""
        return self.idle_total + int((self.bounds[0] if self.state is None else self.state.counts).sum())

    def list_counts(self) -> list[int]:
        """The number of processors of each operator, including operators without arrivals."""
        filled = self.floors.copy()
        if self.state is not None:
            filled[self.busy] = self.state.counts
        return filled.tolist()  # type: ignore[no-any-return]  # numpy types tolist() as Any

    def list_waits(self) -> Floats:
        """The mean wait at each operator in seconds."""
        waits = np.zeros(len(self.floors))
        if (state := self.begin()) is not None:
            waits[self.busy] = state.waits / self.busy_queues.service_rate
        return waits

    def approach_total(self, total: int) -> None:
        """Gives operators the first processors in greedy's order, about `total` in all."""
        if not len(self.busy):
            return
        total -= self.idle_total
        state = self.start(self.busy_queues.guess_for_total(total))
        place_at_theta(state, estimate_theta_for_total(total), lambda: total - int(state.counts.sum()))

    def approach_waiting(self, limit: float) -> None:
        """Gives operators the first processors in greedy's order, until `limit` tuples wait on average, to rounding."""
        if not len(self.busy):
            return
        state = self.start(self.busy_queues.guess_for_waiting(limit))
        if isinstance(self.busy_queues, MixedQueues):
            near_waiting(state, limit)
            step_to_waiting(state, limit)
            return

        def count_missing() -> float:
            """About how many processors are still to place, or to give back if negative, at the best gain on offer."""
            best = exp(min(float(np.max(state.offered())), 700.0))
            return (state.waiting() - limit) / max(best, LEAST_GAIN)

        place_at_theta(state, estimate_theta_for_waiting(limit), count_missing)
        step_to_waiting(state, limit)

    def start(self, guess: Floats) -> GreedyState:
        """Starts the board's state at a first guess of the processors, and returns it."""
        most = self.bounds[1].astype(np.float64)
        self.state = GreedyState(self.busy_queues, *self.bounds, np.minimum(guess, most).astype(np.int64))
        return self.state

    def begin(self) -> GreedyState | None:
        """The board's state, started at the least processors if need be; None where no operator is busy."""
        if self.state is None and len(self.busy):
            self.start(self.bounds[0].astype(np.float64))
        return self.state

    def step(self, steps: int) -> bool:
        """Takes up to `steps` processors in greedy's order, or gives back as many if negative; False where there is
        none.
        """
        if (state := self.begin()) is None:
            return False
        operators, _ = (order_next if steps > 0 else order_last)(state, abs(steps))
        apply_steps(state, operators, 1 if steps > 0 else -1)
        return operators.size > 0

    def spread(self, more: int) -> None:
        """Gives about `more` processors at once to operators that gain by them, or takes them back if negative."""
        if (state := self.begin()) is not None:
            is_open = state.offered() > -np.inf if more > 0 else state.counts > state.floor
            counts = share_out(state.counts, (state.floor, state.ceiling), is_open, more)
            state.move(np.arange(len(counts)), counts)

    def is_falling(self) -> bool:
        """Whether the gains of processors around the answer fall, as greedy needs."""
        return self.state is None or is_state_falling(self.state)


def estimate_theta_for_total(total: int) -> EstimateTheta:
    """A function that estimates ln θ for the gain θ at which greedy has given `total` processors.

    ln gain is taken as a line in the processors of each operator; Newton's method in brackets finds where they sum up.
    """

    def estimate_theta(state: GreedyState) -> float:
        base = state.counts - state.log_next / state.slope + 0.5
        rate = 1.0 / state.slope
        floor, ceiling = state.floor.astype(np.float64), state.ceiling.astype(np.float64)
        low, high = LOG_LEAST_GAIN - 1.0, max(float(np.max(state.log_next)), 0.0) + 50.0
        log_theta = float(np.median(state.log_next))
        for _ in range(40):
            line = base + rate * log_theta
            excess = float(np.sum(np.clip(line, floor, ceiling))) - total
            if abs(excess) < 0.5:
                break
            low, high = (log_theta, high) if excess > 0.0 else (low, log_theta)
            free = float(np.sum(rate[(line > floor) & (line < ceiling)]))
            log_theta = log_theta - excess / free if free else low
            if not low < log_theta < high:
                log_theta = (low + high) / 2.0
        return max(log_theta, LOG_LEAST_GAIN)

    return estimate_theta


def estimate_theta_for_waiting(limit: float) -> EstimateTheta:
    """A function that estimates ln θ for the gain θ at which greedy leaves `limit` tuples waiting on average.

    Along a line of ln gain the gains are a geometric series: with d processors more at one operator, gain·(1 −
    e^(slope·d))/(1 − e^slope) fewer tuples wait. The sum over operators falls as θ grows; its root is found by secant
    steps between brackets, to a fraction of a processor per operator.
    """

    def estimate_theta(state: GreedyState) -> float:
        excess = state.waiting() - limit
        worth = np.exp(state.log_next) / -np.expm1(state.slope)
        rate, base = 1.0 / state.slope, state.log_next / state.slope
        fewest, most = (bound - state.counts.astype(np.float64) for bound in (state.floor, state.ceiling))

        def miss(log_theta: float) -> tuple[float, float]:
            steps = log_theta * rate
            steps -= base
            np.clip(np.ceil(steps, out=steps), fewest, most, out=steps)
            steps *= state.slope
            np.expm1(steps, out=steps)
            steps *= worth
            return excess + float(steps.sum()), exp(log_theta) * len(steps)

        low, high = LOG_LEAST_GAIN - 1.0, max(float(np.max(state.log_next)), 0.0) + 50.0
        log_theta = float(np.median(state.log_next))
        spread = -float(np.mean(rate))
        for _ in range(30):
            short, quantum = miss(log_theta)
            if abs(short) < 0.02 * quantum:
                break
            low, high = (low, log_theta) if short > 0.0 else (log_theta, high)
            log_theta -= max(min(short / (quantum * max(spread, 0.1)), 5.0), -5.0)
            if not low < log_theta < high:
                log_theta = (low + high) / 2.0
        return max(log_theta, LOG_LEAST_GAIN)

    return estimate_theta


def place_at_theta(
    state: GreedyState, estimate_theta: EstimateTheta, count_missing: Callable[[], float]
) -> None:
    """Gives every operator the fewest processors after which its gain is at most one θ.

    θ is estimated until few processors are missing. A small step of θ may be many processors of one large operator
    among small ones, so θ is estimated anew once every operator is placed exactly.
    """
    for _ in range(MOST_GUESSES):
        log_theta = estimate_theta(state)
        for _ in range(MOST_GUESSES):
            movers = np.flatnonzero(state.misplaced(log_theta))
            if len(movers) * 20 <= len(state.counts):
                break
            state.move(movers, state.predict(log_theta, movers))
            log_theta = estimate_theta(state)
        place_exactly(state, log_theta)
        for _ in range(MOST_SHIFTS):
            if not is_near_a_gain(state, log_theta):
                break
            log_theta -= 4.0 * ROUNDING
            place_exactly(state, log_theta)
        if abs(count_missing()) <= len(state.counts):
            break


def near_waiting(state: GreedyState, limit: float) -> None:
    """Places every operator at the gain θ at which about `limit` tuples wait, where ln gains follow no lines."""
    secant = ThetaSecant()
    place_exactly(state, max(float(np.median(state.log_next)), LOG_LEAST_GAIN))
    for _ in range(MOST_STEPS):
        best = float(np.max(state.offered()))
        ratio = compare_waiting(state.waiting(), limit, exp(min(best, 700.0)), len(state.counts))
        if ratio is None:
            return
        place_exactly(state, secant.step(best, ratio))


def is_near_a_gain(state: GreedyState, log_theta: float) -> bool:
    """Whether some gain is so near θ that rounding would decide which of both is larger; `log_theta` is ln θ."""
    near = np.minimum(np.abs(state.log_last - log_theta), np.abs(state.log_next - log_theta))
    return bool(np.any(near < ROUNDING)) and log_theta > LOG_LEAST_GAIN - 1.0


def place_exactly(state: GreedyState, log_theta: float) -> None:
    """Moves operators until each has the fewest processors after which its gain is at most θ; `log_theta` is ln θ.

    Moves go along lines of ln gain, within brackets that shrink. Where lines lead on by small steps, every other move
    halves the bracket.
    """
    low, high, moves = state.floor - 1, state.ceiling.copy(), 0
    movers = np.flatnonzero(state.misplaced(log_theta))
    while movers.size:
        k = state.counts[movers]
        is_above = state.log_next[movers] > log_theta
        low[movers] = np.where(is_above, k, low[movers])
        high[movers] = np.where(is_above, high[movers], k - 1)
        wanted = state.predict(log_theta, movers)
        wanted = np.where(is_above, np.maximum(wanted, k + 1), np.minimum(wanted, k - 1))
        inside = (wanted > low[movers]) & (wanted <= high[movers])
        inside &= moves < MOST_LINES or moves % 2 == 0
        state.move(movers, np.where(inside, wanted, halve(low[movers], high[movers])))
        moves += 1
        movers = movers[state.misplaced(log_theta, movers) & (low[movers] < high[movers])]


def halve(low: Counts, high: Counts) -> Counts:
    """The middle of each bracket, above `low` and at most `high`: by ratio where one end is far above the other."""
    by_ratio = np.sqrt((low + 1.0) * (high + 1.0)).astype(np.int64)
    return np.where(high > 4 * (low + 1), by_ratio, (low + high + 1) // 2)


def step_to_waiting(state: GreedyState, limit: float) -> None:
    """Takes or gives back processors in greedy's order, until at most `limit` tuples wait on average."""
    size = len(state.counts)
    while (excess := state.waiting() - limit) > 0.0 and np.any(offered := state.offered() > -np.inf):
        best = float(np.exp(np.max(state.log_next[offered])))
        operators, log_gains = order_next(state, int(min(size, excess / best + 2.0)))
        sums = np.cumsum(np.exp(log_gains))
        apply_steps(state, operators[: np.searchsorted(sums, excess) + 1], 1)
    while (room := limit - state.waiting()) > 0.0 and np.any(state.counts > state.floor):
        least = max(float(np.exp(np.min(state.log_last))), LEAST_GAIN)
        operators, log_gains = order_last(state, int(min(size, room / least + 2.0)))
        fitting = int(np.searchsorted(np.cumsum(np.exp(log_gains)), room, side="right"))
        if not fitting:
            break
        apply_steps(state, operators[:fitting], -1)
