"""Greedy on few operators, in plain floats: each next processor goes to the operator with the largest gain.

Greedy's order of processors is by gain, the largest first, and among equal gains by operator, the first in the topology
first. Before greedy takes a processor of gain θ, it takes every processor with a gain above θ, at all operators. So a
search for θ places most processors at once, and only the few around θ go through a heap.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from itertools import islice
from math import ceil, exp, fsum, log, sqrt

import numpy as np

from planner.allocation.greedy_state import MOST_STEPS, ThetaSecant, compare_waiting, share_out
from planner.allocation.theta_lines import (
    FindTheta,
    draw_line,
    find_theta_for_total,
    find_theta_for_waiting,
)
from planner.arrays import Counts
from planner.queueing.erlang import solve_halfin_whitt
from planner.queueing.gain_curves import LEAST_GAIN, Curve, ScalarQueues
from planner.queueing.instances.instance_curves import DifferenceCurve, find_stride
from planner.queueing.instances.stair_curves import StairCurve

HEAP_STEPS_PER_OPERATOR = 3
"""With fewer processors to spare than this per operator, the heap alone is cheaper than the search for θ."""
MOST_GUESSES = 24
MOST_HALVINGS = 60


class ScalarBoard:
    """The processors of few operators in plain floats, and moves along greedy's order; only busy operators move."""

    def __init__(self, queues: ScalarQueues, ceilings: Sequence[int] | Counts) -> None:
        self.queues = queues
        self.floors = [curve.floor for curve in queues.curves]
        self.busy = [i for i, curve in enumerate(queues.curves) if curve.is_busy]
        self.curves = [queues.curves[i] for i in self.busy]
        self.ceilings = [int(ceilings[i]) for i in self.busy]
        self.counts = [curve.floor for curve in self.curves]
        self.idle_total = sum(self.floors) - sum(self.counts)

    @property
    def total(self) -> int:
        """The number of processors of all operators together."""
        return self.idle_total + sum(self.counts)

    def list_counts(self) -> list[int]:
        """The number of processors of each operator, including operators without arrivals."""
        return self.fill_counts(self.counts)

    def fill_counts(self, counts: list[int]) -> list[int]:
        """The counts of the busy operators, and the least processors of all others."""
        if len(self.busy) == len(self.floors):
            return counts
        filled = self.floors.copy()
        for i, k in zip(self.busy, counts, strict=True):
            filled[i] = k
        return filled

    def list_waits(self) -> list[float]:
        """The mean wait at each operator in seconds."""
        return self.queues.wait_seconds(self.list_counts())

    def approach_total(self, total: int) -> None:
        """Gives operators the first processors in greedy's order, about `total` in all."""
        total -= self.idle_total
        if self.curves and total - sum(self.counts) > HEAP_STEPS_PER_OPERATOR * len(self.curves):
            if self.has_stairs:
                self.halve_to_total(total)
                return
            loads = [curve.high for curve in self.curves]
            x = (total - sum(loads)) / max(sum([sqrt(load) for load in loads]), 1e-75)
            self.place(self.guess(x), find_theta_for_total(total))

    def approach_waiting(self, limit: float) -> None:
        """Gives operators the first processors in greedy's order, until `limit` tuples wait on average, to rounding."""
        if not self.curves or self.count_waiting() <= limit:
            return
        scale = sum([sqrt(curve.high) * curve.weights.level for curve in self.curves])
        guess = self.guess(solve_halfin_whitt(limit / scale))
        is_far = sum(guess) - sum(self.counts) > HEAP_STEPS_PER_OPERATOR * len(self.curves)
        if is_far and not self.has_stairs:
            self.place(guess, find_theta_for_waiting(limit, self.curves))
        self.near_waiting(limit)
        self.step_to_waiting(limit)

    @property
    def has_stairs(self) -> bool:
        """Whether some operator deals out whole key groups, so that lines of ln gain lead nowhere."""
        return any(isinstance(curve, StairCurve) for curve in self.curves)

    def halve_to_total(self, total: int) -> None:
        """Gives operators the processors of a gain above some θ, by bisection, at most and about `total` in all."""
        fewest, gains = self.counts, [curve[k] for curve, k in zip(self.curves, self.counts, strict=True)]
        low, high, stride = log(LEAST_GAIN), log(max(*gains, LEAST_GAIN, LEAST_GAIN)), 1.0
        for _ in range(MOST_HALVINGS):
            middle = max(high - stride, (low + high) / 2.0)
            counts = [
                find_crossing(curve, k, exp(middle), top)
                for curve, k, top in zip(self.curves, fewest, self.ceilings, strict=True)
            ]
            missing = total - sum(counts)
            if missing < 0:
                low, stride = middle, high - middle
                continue
            high, fewest, stride = middle, counts, 2.0 * stride
            if missing <= HEAP_STEPS_PER_OPERATOR * len(self.curves):
                break
        self.counts = fewest

    def near_waiting(self, limit: float) -> None:
        """Gives operators the processors of a gain above some θ, so that about `limit` tuples wait."""
        secant = ThetaSecant()
        for _ in range(MOST_STEPS):
            offered = [
                c[k] for c, k, top in zip(self.curves, self.counts, self.ceilings, strict=True) if k < top
            ]
            best = max(offered, default=0.0)
            ratio = compare_waiting(self.count_waiting(), limit, best, len(self.curves))
            if ratio is None:
                return
            theta = exp(secant.step(log(best), ratio))
            self.counts = [
                find_crossing(curve, k, theta, top)
                for curve, k, top in zip(self.curves, self.counts, self.ceilings, strict=True)
            ]

    def count_waiting(self) -> float:
        """The mean number of tuples that wait at all operators together."""
        return fsum([curve.waiting(k) for curve, k in zip(self.curves, self.counts, strict=True)])

    def guess(self, x: float) -> list[int]:
        """A first guess of each operator's processors, A + x√A rounded, with A the operator's offered load.

        Except at light loads an equal x gives nearly equal gains (Halfin and Whitt 1981).
        """
        return [
            min(max(curve.floor, int(curve.high + x * sqrt(curve.high) + 0.5)), top)
            for curve, top in zip(self.curves, self.ceilings, strict=True)
        ]

    def place(self, counts: list[int], find_theta: FindTheta) -> None:
        """Gives every operator the processors whose gain is above one θ, which `find_theta` improves from guesses."""
        log_theta = 0.0
        for _ in range(MOST_GUESSES):
            points = list(map(draw_line, self.curves, counts, self.ceilings))
            log_theta = find_theta(points)
            counts, is_near = [], True
            for k, log_gain, step, floor, ceiling in points:
                wanted = k + ceil((log_theta - log_gain) * step)
                if wanted < floor:
                    wanted = floor
                elif wanted > ceiling:
                    wanted = ceiling
                is_near = is_near and -1 <= wanted - k <= 1
                counts.append(wanted)
            if is_near:
                break
        theta = exp(log_theta)
        self.counts = [
            # the search for θ usually ends at this k; else the right one is nearby
            k
            if curve.floor < k < top and curve[k] <= theta < curve[k - 1]
            else find_crossing(curve, k, theta, top)
            for curve, k, top in zip(self.curves, counts, self.ceilings, strict=True)
        ]

    def step_to_waiting(self, limit: float) -> None:
        """Takes or gives back processors in greedy's order, until at most `limit` tuples wait on average."""
        excess = self.count_waiting() - limit
        if excess > 0.0:
            for gain in self.take_in_order():
                excess -= gain
                if excess <= 0.0:
                    break
            return
        for gain in self.give_back_in_order():
            excess += gain
            if excess > 0.0:
                return

    def step(self, steps: int) -> bool:
        """Takes `steps` processors in greedy's order, or gives back as many if negative; False where there is none."""
        moves = self.take_in_order() if steps > 0 else self.give_back_in_order()
        if next(moves, None) is None:
            return False
        deque(islice(moves, abs(steps) - 1), maxlen=0)
        return True

    def take_in_order(self) -> Iterator[float]:
        """Adds processors one by one in greedy's order, and yields the gain of each, as long as a processor can be
        added.
        """
        curves, counts, ceilings = self.curves, self.counts, self.ceilings
        heap = []
        for i, curve in enumerate(curves):
            k = counts[i]
            gain = curve[k] if k < ceilings[i] else 0.0
            if gain:
                heap.append((-gain, i))
        heapify(heap)
        while heap:
            lost, i = heap[0]
            k = counts[i] = counts[i] + 1
            yield -lost
            gain = curves[i][k] if k < ceilings[i] else 0.0
            if gain:
                heapreplace(heap, (-gain, i))
            else:
                heappop(heap)

    def give_back_in_order(self) -> Iterator[float]:
        """Removes processors one by one in the reverse of greedy's order, and yields the gain that each had."""
        curves, counts = self.curves, self.counts
        heap = [(c[k - 1], -i) for i, (c, k) in enumerate(zip(curves, counts, strict=True)) if k > c.floor]
        heapify(heap)
        while heap:
            gain, minus = heap[0]
            k = counts[-minus] = counts[-minus] - 1
            yield gain
            if k > curves[-minus].floor:
                heapreplace(heap, (curves[-minus][k - 1], minus))
            else:
                heappop(heap)

    def spread(self, more: int) -> None:
        """Gives about `more` processors at once to operators that gain by them, or takes them back if negative."""
        counts, ceilings = np.array(self.counts, np.int64), np.array(self.ceilings, np.int64)
        floors = np.array([curve.floor for curve in self.curves], np.int64)
        gains = np.array([curve[k] for curve, k in zip(self.curves, self.counts, strict=True)])
        is_open = (gains > 0.0) & (counts < ceilings) if more > 0 else counts > floors
        self.counts = share_out(counts, (floors, ceilings), is_open, more).tolist()

    def is_falling(self) -> bool:
        """Whether the gains of processors around the answer fall, as greedy needs."""
        return all(map(is_curve_falling, self.curves, self.counts))


def is_curve_falling(curve: Curve, k: int) -> bool:
    """Whether the gains of an operator's processors just before, at and after k do not grow."""
    if curve.weights.is_constant or isinstance(curve, StairCurve):
        return True
    if isinstance(curve, DifferenceCurve) and find_stride(k - curve.high) > 1:
        return False
    here = curve[k]
    if k > curve.floor and curve[k - 1] < here:
        return False
    # The gain after k is at most the number that then still waits: that alone often shows that it is smaller.
    return not (curve.waiting(k) - here > 0.999 * here and curve[k + 1] > here)


def find_crossing(curve: Curve, k: int, least: float, ceiling: int) -> int:
    """The fewest processors, from floor to ceiling, after which the gain is at most `least`; the search
    starts at `k`.
    """

    def is_above(j: int) -> bool:
        return j < curve.floor or (j < ceiling and curve[j] > least)

    low, high, step = (k, k + 1, 1) if is_above(k) else (k - 1, k, 1)
    while high > k and is_above(high):
        step *= 2
        low, high = high, high + step
    while low < k and not is_above(low):
        step *= 2
        low, high = low - step, low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_above(middle) else (low, middle)
    return high
