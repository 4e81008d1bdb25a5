"""The gain of each further processor at one operator, in plain floats: for few operators, without arrays.

The gain of a processor is the mean number of waiting tuples that it saves. Operators with bursts or measured instances
get their waits from arrays, in blocks of numbers of processors, since an array of many waits takes hardly longer than
an array of few. Greedy keeps the gains of all operators nearly equal. VA²/(k − A) tuples wait where each of k
processors has a queue (A: offered load, V: mean of the SCVs), so equal gains mean that k − A is in proportion to A√V: a
request for one operator shows which counts the others need next, and one array computes all of them.
"""

from collections.abc import Iterable, Sequence
from math import inf, log

import numpy as np

from planner.arrays import Counts, Floats
from planner.queueing.erlang import (
    ANCHOR_STEP,
    FIRST_ANCHOR,
    LEAST_LOAD,
    STABILITY_MARGIN,
    anchored_erlang_b,
    closed_erlang_b,
    deviance,
    find_least_stable,
    mmk_wait,
    split_offered_load,
)
from planner.queueing.instances.instance_queues import InstanceQueues
from planner.queueing.waiting_models import VariabilityWeights, drop_variability

BLOCK = 16
"""The number of consecutive processor counts of one operator that are computed at once."""
TOGETHER = 48
"""The largest number of neighbouring operators that are computed at once."""
MOST_GUESSED = 2.0**40
"""From this number of processors on, each operator is computed alone."""


class WaitBlocks:
    """The computed waits of operators with bursts or measured instances; the order of requests changes no value."""

    __slots__ = ("filled", "known", "needs", "queues")

    def __init__(self, queues: InstanceQueues) -> None:
        self.queues = queues
        self.known: list[dict[int, float]] = [{} for _ in range(len(queues))]
        self.filled: list[set[int]] = [set() for _ in range(len(queues))]
        self.needs = list(zip(queues.high.tolist(), queues.need.tolist(), strict=True))

    def fill(self, place: int, k: int) -> None:
        """Computes an operator's waits for the block of counts around `k`, and blocks that others will likely need."""
        rows = [(place, find_first(k)), *self.guess_others(place, k)]
        places = np.repeat([one for one, _ in rows], BLOCK)
        counts = (np.array([first for _, first in rows], np.int64)[:, None] + np.arange(BLOCK)).ravel()
        waits = iter(wait_or_inf(self.queues.select(places), counts).tolist())
        for one, first in rows:
            self.known[one].update(zip(range(first, first + BLOCK), waits, strict=False))
            self.filled[one].add(first)

    def fill_exactly(self, asked: Iterable[tuple[int, int]]) -> None:
        """Computes the waits of the operators at the given counts alone, where several of the waits are not known."""
        missing = [(place, k) for place, k in asked if k not in self.known[place]]
        if len(missing) > 1:
            places, counts = np.array(missing, np.int64).T
            waits = wait_or_inf(self.queues.select(places), counts).tolist()
            for (place, k), wait in zip(missing, waits, strict=True):
                self.known[place][k] = wait

    def guess_others(self, place: int, k: int) -> list[tuple[int, int]]:
        """The other operators, each with the first count of its next unknown block where its queue is about as long."""
        load, need = self.needs[place]
        if need <= 0.0 or k > MOST_GUESSED:
            return []
        spare, rows = max(k - load, 0.0) / need, []
        begin = place // TOGETHER * TOGETHER
        for other in range(begin, min(begin + TOGETHER, len(self.needs))):
            load, need = self.needs[other]
            guess = load + spare * need
            if other == place or need <= 0.0 or guess > MOST_GUESSED:
                continue
            first = find_first(max(int(guess), 1))
            if first in self.filled[other]:
                first = find_first(max(int(guess), 1) + BLOCK - 1)
            if first not in self.filled[other]:
                rows.append((other, first))
        return rows


def find_first(k: int) -> int:
    """The first number of processors in the block of counts that holds k."""
    return (k - 1) // BLOCK * BLOCK + 1


def wait_or_inf(queues: InstanceQueues, counts: Counts) -> Floats:
    """The mean wait of each operator in seconds; inf where its processors cannot keep up, 0 where nothing arrives.

    Where processors are slower as more run, the wait includes by how much a service takes longer than with one.
    """
    if queues.is_bent:
        bent = queues.bend(counts)
        return wait_or_inf(bent, counts) + (1.0 / bent.service_rate - 1.0 / queues.service_rate)
    stable = queues.is_stable(counts)
    waits = np.where(stable, 0.0, inf)
    at = np.flatnonzero(stable & (queues.high >= LEAST_LOAD))
    waits[at] = queues.select(at).wait_in_services(counts[at]) / queues.service_rate[at]
    return waits


LEAST_GAIN = 1e-290
"""A smaller gain counts as 0: doubles below it lose digits, and E[T] would not change."""


class Curve(dict[int, float]):
    """The gains of one operator: curve[k] is how many waiting tuples processor k + 1 saves, λ(W(k) − W(k+1)).

    A gain is computed when it is first needed, and then kept. It has the same bits in any order of requests.
    """

    __slots__ = ("_blocking", "_waits", "floor", "high", "is_busy", "low", "service_rate", "weights")
    blocks: WaitBlocks | None = None
    """Where the waits of several operators are computed at once."""
    place = 0
    """The operator's number there."""

    def __init__(
        self, arrival_rate: float, service_rate: float, weights: VariabilityWeights, min_processors: int
    ) -> None:
        self.high, self.low = high, low = split_offered_load(arrival_rate, service_rate)
        self.service_rate = service_rate
        self.weights = weights
        self.floor = max(find_least_stable(high, low), min_processors)
        self.is_busy = high >= LEAST_LOAD and (weights.constant > 0.0 or weights.level > 0.0)
        """Whether more processors could help: tuples arrive, and tuples wait."""
        self._blocking: dict[int, float] = {}
        self._waits: dict[int, float] = {}

    def find_blocking(self, k: int) -> float:
        """Erlang's B of k processors, with the bits of erlang.anchored_erlang_b; B(k − 1) is kept too."""
        blocking, high = self._blocking, self.high
        if k >= FIRST_ANCHOR and k % ANCHOR_STEP == 0:
            b = closed_erlang_b(k, high, self.low)
        else:
            before = blocking.get(k - 1)
            if before is None:
                before = blocking[k - 1] = anchored_erlang_b(k - 1, high, self.low)
            busy = high * before
            b = busy / (k + busy)
        blocking[k] = b
        return b

    def wait_seconds(self, k: int) -> float:
        """The mean wait with k processors in seconds, equal to planner.queueing.erlang.wait_seconds to the last bit.

        The wait is inf where the processors cannot keep up; a computed wait is kept.
        """
        wait = self._waits.get(k)
        if wait is None:
            if (k - self.high) - self.low <= k * STABILITY_MARGIN:
                return inf
            self[k]  # computes the wait too
            wait = self._waits[k]
        return wait

    def waiting(self, k: int) -> float:
        """The mean number of tuples that wait with k processors, λW(k)."""
        return self.high * self.service_rate * self.wait_seconds(k)

    def __missing__(self, k: int) -> float:
        """The gain λ(W(k) − W(k+1)) of processor k + 1, without subtracting nearly equal waits; the wait W(k) is kept
        too.

        v(k)·(k+1)B'[(c²+k)AB + c³ + 2ck + k]/(c(c+AB)·c'(c'+AB')) + (v(k)−v(k+1))·A(k+1)B'/(c'(c'+AB')), with v the
        variability factor, A the offered load, B Erlang's B, c = k − A, c' = c + 1, B' = B(k+1) = AB/(k+1+AB).
        """
        load = self.high
        if load < LEAST_LOAD:  # every gain is below A², which is below LEAST_GAIN
            self[k] = self._waits[k] = 0.0
            return 0.0
        b = self._blocking.get(k) or self.find_blocking(k)
        x = float(k)  # Python is slower where integers meet floats
        busy, n = load * b, x + 1.0
        b_next = busy / (n + busy)
        c = (x - load) - self.low
        d = c + 1.0
        room, room_next = c * (c + busy), d * (d + load * b_next)
        squared = c * c
        fall = n * b_next * ((squared + x) * busy + c * (squared + 2.0 * x) + x) / (room * room_next)
        weights = self.weights
        if weights.is_constant:
            v: float = weights.constant
            gain = v * fall
        else:
            v, v_drop = drop_variability(weights, c / load, 1.0 / load, x)
            gain = v * fall + v_drop * (load * n * b_next / room_next)
        self._waits[k] = mmk_wait(x, b, load, c) / self.service_rate * v
        self[k] = gain = gain if gain > LEAST_GAIN else 0.0
        return gain

    def find_gain(self, k: int) -> float:
        """The mean number of waiting tuples that one processor more than k saves: λ(W(k) − W(k+1))."""
        return self[k]

    def find_vanishing(self) -> int:
        """A number of processors k beyond which gains are too small for a float: where k·ln(k/A) − (k − A) = 640.

        A is the offered load; the root is found by Newton's method from Bernstein's upper bound.
        """
        load = max(self.high, LEAST_LOAD)
        k = load + 222.0 + (222.0**2 + 1334.0 * load) ** 0.5
        for _ in range(4):
            k -= (deviance(k, load, k - load) - 640.0) / log(k / load)
        return int(k)


class ScalarQueues:
    """The queues of few operators in plain floats; array_queues.ArrayQueues gives the same for many operators."""

    __slots__ = ("blocked", "blocks", "curves")

    def __init__(self, curves: list[Curve]) -> None:
        self.curves = curves
        self.blocked = [(i, curve.place) for i, curve in enumerate(curves) if curve.blocks is not None]
        self.blocks = curves[self.blocked[0][0]].blocks if self.blocked else None

    def wait_seconds(self, counts: Sequence[int] | Counts) -> list[float]:
        """The mean wait at each operator in seconds, as erlang.wait_seconds; inf where an operator cannot keep up."""
        plain = counts.tolist() if isinstance(counts, np.ndarray) else counts
        if self.blocks is not None:
            self.blocks.fill_exactly([(place, plain[i]) for i, place in self.blocked])
        return [curve.wait_seconds(k) for curve, k in zip(self.curves, plain, strict=True)]

    def find_gains(self, counts: Sequence[int]) -> tuple[list[float], list[float], list[float]]:
        """The mean wait at each operator, the gain of one processor more, and the gain that the last processor brought.

        Gains are numbers of waiting tuples, λ(W(k) − W(k+1)) and λ(W(k−1) − W(k)). The last gain is inf where k − 1
        processors cannot keep up or are below min_processors; an operator that cannot keep up with k processors has a
        gain of 0.
        """
        waits: list[float] = []
        following: list[float] = []
        previous: list[float] = []
        for curve, k in zip(self.curves, counts, strict=True):
            wait = curve.wait_seconds(k)
            waits.append(wait)
            following.append(curve.find_gain(k) if wait < inf else 0.0)
            previous.append(curve.find_gain(k - 1) if k > curve.floor else inf)
        return waits, following, previous
