"""Marginal analysis on a few operators: the next processor always goes where it helps most.

The order of greedy is by gain, largest first, and among equal gains by operator, first come. What it takes
before it reaches a gain of θ is, operator by operator, every processor whose gain is above θ: so many
processors are settled by finding the right θ, and only the few around it go through the heap.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from itertools import islice
from math import ceil, exp, fsum, log, sqrt

from planner.queueing.erlang import solve_halfin_whitt
from planner.queueing.gain_curve import LEAST_GAIN, Curve

HEAP_STEPS_PER_OPERATOR = 3
"""With fewer processors to spare than this per operator, the heap alone is cheaper than the search for θ."""
MOST_GUESSES = 24


Point = tuple[int, float, float]
"""k, ln gain there, and processors per unit of ln gain (the slope, turned over): a line through k."""
Aim = Callable[[Sequence[Point]], float]


def take_in_order(curves: Sequence[Curve], counts: list[int], ceilings: Sequence[int]) -> Iterator[float]:
    """Add processors to `counts` one by one in greedy's order, and yield what each gained, while any does."""
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


def give_back_in_order(curves: Sequence[Curve], counts: list[int]) -> Iterator[float]:
    """Take processors from `counts` one by one in the reverse of greedy's order; yield what each gained."""
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


def find_crossing(curve: Curve, k: int, least: float, ceiling: int) -> int:
    """The first k from floor to ceiling whose gain is at most `least`, sought from `k` in doubling steps."""

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


def look(curve: Curve, k: int) -> Point:
    """The line of ln gain at k, or where the gain has not vanished yet."""
    here = curve[k]
    if not here:
        k = max(curve.floor, min(k, curve.find_vanishing()))
        here = curve[k]
    log_gain = log(here or LEAST_GAIN)
    # Towards k − 1, for its gain is what find_crossing and the explanation ask for anyway.
    slope = (
        log_gain - log(curve[k - 1] or LEAST_GAIN)
        if k > curve.floor
        else log(curve[k + 1] or LEAST_GAIN) - log_gain
    )
    return k, log_gain, 1.0 / slope if slope < -1e-12 else -1e12


def approach(curves: Sequence[Curve], counts: list[int], ceilings: Sequence[int], aim: Aim) -> list[int]:
    """Every processor whose gain is above one θ, θ being where `aim` ends up: a prefix of greedy's order."""
    log_least = 0.0
    for _ in range(MOST_GUESSES):
        points = [look(curve, k) for curve, k in zip(curves, counts, strict=True)]
        log_least = aim(points)
        counts, is_near = [], True
        for (k, log_gain, step), curve, ceiling in zip(points, curves, ceilings, strict=True):
            wanted = k + ceil((log_least - log_gain) * step)
            if wanted < curve.floor:
                wanted = curve.floor
            elif wanted > ceiling:
                wanted = ceiling
            is_near = is_near and -1 <= wanted - k <= 1
            counts.append(wanted)
        if is_near:
            break
    least = exp(log_least)
    return [
        # as the search for θ usually leaves it; else nearby
        k
        if curve.floor < k < top and curve[k] <= least < curve[k - 1]
        else find_crossing(curve, k, least, top)
        for curve, k, top in zip(curves, counts, ceilings, strict=True)
    ]


def aim_at_total(total: int, curves: Sequence[Curve], ceilings: Sequence[int]) -> Aim:
    """ln θ where the lines' counts, each rounded up, sum to about `total`; those held by a bound stay out of it."""

    def aim(points: Sequence[Point]) -> float:
        free, rest, log_least = list(zip(points, curves, ceilings, strict=True)), float(total), 0.0
        while free:
            spread = held = 0.0
            for (k, log_gain, step), _, _ in free:
                spread += step
                held += k + 0.5 - log_gain * step  # half a processor is what rounding up adds
            log_least = (rest - held) / spread
            kept = []
            for entry in free:
                (k, log_gain, step), curve, ceiling = entry
                wanted = k + (log_least - log_gain) * step
                if wanted < curve.floor:
                    rest -= curve.floor
                elif wanted > ceiling:
                    rest -= ceiling
                else:
                    kept.append(entry)
            if len(kept) == len(free):
                break
            free = kept
        return min(max(log_least, log(LEAST_GAIN)), 700.0)

    return aim


def aim_at_waiting(limit: float, curves: Sequence[Curve], ceilings: Sequence[int]) -> Aim:
    """ln θ where the mean number that waits falls to `limit`: by (gain − θ)·|step| along a line."""

    def aim(points: Sequence[Point]) -> float:
        excess = fsum([c.waiting(k) for c, (k, _, _) in zip(curves, points, strict=True)]) - limit
        spread = total = 0.0
        for (k, log_gain, step), ceiling in zip(points, ceilings, strict=True):
            if k < ceiling or excess < 0.0:
                spread -= step
                total -= exp(log_gain) * step
        least = (total - excess) / spread if spread else 0.0
        # the line overshoots where much is still to go: then come closer by a factor instead
        closest = max(exp(min([log_gain for _, log_gain, _ in points])) * 1e-3, LEAST_GAIN)
        return log(max(least, closest))

    return aim


def guess_counts(curves: Sequence[Curve], ceilings: Sequence[int], x: float) -> list[int]:
    """k = A + x√A, rounded: equal x is nearly equal gain, but for light loads (Halfin and Whitt 1981)."""
    return [
        min(max(curve.floor, int(curve.high + x * sqrt(curve.high) + 0.5)), top)
        for curve, top in zip(curves, ceilings, strict=True)
    ]


def allocate_total(curves: Sequence[Curve], ceilings: Sequence[int], total: int) -> list[int]:
    """Greedy's counts for `total` processors, fewer where no gain is left."""
    counts = [curve.floor for curve in curves]
    spare = total - sum(counts)
    if curves and spare > HEAP_STEPS_PER_OPERATOR * len(curves):
        loads = [curve.high for curve in curves]
        x = (total - sum(loads)) / max(sum([sqrt(load) for load in loads]), 1e-75)
        guess = guess_counts(curves, ceilings, x)
        counts = approach(curves, guess, ceilings, aim_at_total(total, curves, ceilings))
        spare = total - sum(counts)
    steps = take_in_order(curves, counts, ceilings) if spare > 0 else give_back_in_order(curves, counts)
    deque(islice(steps, abs(spare)), maxlen=0)
    return counts


def allocate_waiting(
    curves: Sequence[Curve],
    ceilings: Sequence[int],
    limit: float,
    is_met: Callable[[Sequence[int]], bool],
) -> list[int]:
    """Greedy's counts at the first total that `is_met`; `limit` is about the mean number that may wait then."""
    counts = [curve.floor for curve in curves]
    if is_met(counts):
        return counts
    scale = sum(sqrt(curve.high) * curve.weights.level for curve in curves)
    guess = guess_counts(curves, ceilings, solve_halfin_whitt(limit / scale))
    if sum(guess) - sum(counts) > HEAP_STEPS_PER_OPERATOR * len(curves):
        counts = approach(curves, guess, ceilings, aim_at_waiting(limit, curves, ceilings))
    move_to_limit(curves, counts, ceilings, limit)
    taking = take_in_order(curves, counts, ceilings)
    while not is_met(counts) and next(taking, None) is not None:
        pass
    giving = give_back_in_order(curves, counts)
    while True:
        kept = counts.copy()
        if next(giving, None) is None or not is_met(counts):
            return kept


def move_to_limit(curves: Sequence[Curve], counts: list[int], ceilings: Sequence[int], limit: float) -> None:
    """Step along greedy's order to where the mean number that waits is `limit`, to rounding."""
    excess = fsum(curve.waiting(k) for curve, k in zip(curves, counts, strict=True)) - limit
    if excess > 0.0:
        for gain in take_in_order(curves, counts, ceilings):
            excess -= gain
            if excess <= 0.0:
                return
    for gain in give_back_in_order(curves, counts):
        excess += gain
        if excess > 0.0:
            return


def is_falling(curves: Sequence[Curve], counts: Sequence[int]) -> bool:
    """Whether the gains around the answer fall, as greedy needs; sure where v does not depend on k."""
    for curve, k in zip(curves, counts, strict=True):
        if curve.weights.is_constant:
            continue
        here = curve[k]
        if k > curve.floor and curve[k - 1] < here:
            return False
        # The next gain is less than all that then still waits: often that alone shows it to be smaller, by more than
        # rounding.
        if curve.waiting(k) - here > 0.999 * here and curve[k + 1] > here:
            return False
    return True
