"""Greedy on few operators, in plain floats: each next processor goes to the operator with the largest gain.

Greedy's order of processors is by gain, the largest first, and among equal gains by operator, the first in the topology
first. Before greedy takes a processor of gain θ, it takes every processor with a gain above θ, at all operators. So a
search for θ places most processors at once, and only the few around θ go through a heap.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from itertools import islice
from math import ceil, exp, fsum, log, sqrt

from planner.allocation.greedy_state import MOST_STEPS, ThetaSecant, compare_waiting
from planner.arrays import Counts
from planner.queueing.erlang import solve_halfin_whitt
from planner.queueing.gain_curves import LEAST_GAIN, Curve, ScalarQueues

HEAP_STEPS_PER_OPERATOR = 3
"""With fewer processors to spare than this per operator, the heap alone is cheaper than the search for θ."""
MOST_GUESSES = 24

Point = tuple[int, float, float, int, int]
"""k, ln gain at k, and processors per unit of ln gain (1/slope), a line through k; and the bounds of k."""
FindTheta = Callable[[Sequence[Point]], float]


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
        if len(self.busy) == len(self.floors):
            return self.counts
        filled = self.floors.copy()
        for i, k in zip(self.busy, self.counts, strict=True):
            filled[i] = k
        return filled

    def list_waits(self) -> list[float]:
        """The mean wait at each operator in seconds."""
        return self.queues.wait_seconds(self.list_counts())

    def approach_total(self, total: int) -> None:
        """Gives operators the first processors in greedy's order, about `total` in all."""
        total -= self.idle_total
        if self.curves and total - sum(self.counts) > HEAP_STEPS_PER_OPERATOR * len(self.curves):
            loads = [curve.high for curve in self.curves]
            x = (total - sum(loads)) / max(sum([sqrt(load) for load in loads]), 1e-75)
            self.place(self.guess(x), find_theta_for_total(total))

    def approach_waiting(self, limit: float) -> None:
        """Gives operators the first processors in greedy's order, until `limit` tuples wait on average, to rounding."""
        if not self.curves or self.count_waiting() <= limit:
            return
        scale = sum([sqrt(curve.high) * curve.weights.level for curve in self.curves])
        guess = self.guess(solve_halfin_whitt(limit / scale))
        if sum(guess) - sum(self.counts) > HEAP_STEPS_PER_OPERATOR * len(self.curves):
            self.place(guess, find_theta_for_waiting(limit, self.curves))
        self.near_waiting(limit)
        self.step_to_waiting(limit)

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

    def is_falling(self) -> bool:
        """Whether the gains of processors around the answer fall, as greedy needs."""
        return all(map(is_curve_falling, self.curves, self.counts))


def is_curve_falling(curve: Curve, k: int) -> bool:
    """Whether the gains of an operator's processors just before, at and after k do not grow."""
    if curve.weights.is_constant:
        return True
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


def draw_line(curve: Curve, k: int, ceiling: int) -> Point:
    """The line through ln gain at k processors, or at the last k before the gain vanishes."""
    here, floor = curve[k], curve.floor
    if not here:
        k = max(floor, min(k, curve.find_vanishing()))
        here = curve[k]
    log_gain = log(here or LEAST_GAIN)
    # Towards k − 1, because find_crossing and the explanation ask for that gain anyway.
    slope = (
        log_gain - log(curve[k - 1] or LEAST_GAIN)
        if k > floor
        else log(curve[k + 1] or LEAST_GAIN) - log_gain
    )
    return k, log_gain, 1.0 / slope if slope < -1e-12 else -1e12, floor, ceiling


def find_theta_for_total(total: int) -> FindTheta:
    """A function that finds ln θ for the gain θ at which greedy has given about `total` processors.

    ln gain is taken as a line in the processors of each operator; operators at a bound are left out.
    """

    def find_theta(points: Sequence[Point]) -> float:
        free, rest, log_theta = points, float(total), 0.0
        while free:
            spread = held = 0.0
            for k, log_gain, step, _, _ in free:
                spread += step
                held += k + 0.5 - log_gain * step  # half a processor is what rounding up adds
            log_theta = (rest - held) / spread
            kept = []
            for point in free:
                k, log_gain, step, floor, ceiling = point
                wanted = k + (log_theta - log_gain) * step
                if wanted < floor:
                    rest -= floor
                elif wanted > ceiling:
                    rest -= ceiling
                else:
                    kept.append(point)
            if len(kept) == len(free):
                break
            free = kept
        return min(max(log_theta, log(LEAST_GAIN)), 700.0)

    return find_theta


def find_theta_for_waiting(limit: float, curves: Sequence[Curve]) -> FindTheta:
    """A function that finds ln θ for the gain θ at which greedy leaves `limit` tuples waiting on average.

    Along a line of ln gain the waiting tuples of an operator fall by (gain − θ)·|step|.
    """

    def find_theta(points: Sequence[Point]) -> float:
        excess = fsum([c.waiting(k) for c, (k, *_) in zip(curves, points, strict=True)]) - limit
        spread = total = 0.0
        for k, log_gain, step, _, ceiling in points:
            if k < ceiling or excess < 0.0:
                spread -= step
                total -= exp(log_gain) * step
        theta = (total - excess) / spread if spread else 0.0
        # far from the limit the line overshoots, so θ falls by a factor instead
        closest = max(exp(min([log_gain for _, log_gain, *_ in points])) * 1e-3, LEAST_GAIN)
        return log(max(theta, closest))

    return find_theta
