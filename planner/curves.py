"""What each processor more is worth at one operator, one number at a time: for small problems, without arrays."""

from math import inf, log

from planner.erlang import (
    ANCHOR_STEP,
    FIRST_ANCHOR,
    LEAST_LOAD,
    STABILITY_MARGIN,
    closed_erlang_b,
    deviance,
    find_least_stable,
    split_offered_load,
)
from planner.variability import Weights, drop_variability, evaluate_variability

LEAST_GAIN = 1e-290
"""A smaller gain counts as none: doubles are about to lose its digits, and no E[T] can show it."""


class Curve:
    """The gains of one operator; those above k = 128 are anchored, so equal operators have equal bits."""

    __slots__ = ("_blocks", "_gains", "floor", "high", "is_busy", "low", "service_rate", "weights")

    def __init__(
        self, arrival_rate: float, service_rate: float, weights: Weights, min_processors: int
    ) -> None:
        self.high, self.low = split_offered_load(arrival_rate, service_rate)
        self.service_rate = service_rate
        self.weights = weights
        self.floor = max(find_least_stable(self.high, self.low), min_processors)
        self.is_busy = self.high >= LEAST_LOAD and weights.level > 0.0
        """Whether more processors could help: something arrives, and something waits."""
        self._blocks: dict[int, list[float]] = {0: [1.0]}
        self._gains: dict[int, float] = {}

    def erlang_b(self, k: int) -> float:
        """B(k), remembered with all B between the last anchor and k."""
        anchor = 0 if k < FIRST_ANCHOR else k - k % ANCHOR_STEP
        block = self._blocks.get(anchor)
        if block is None:
            block = self._blocks[anchor] = [closed_erlang_b(anchor, self.high, self.low)]
        known = len(block)
        if k - anchor >= known:
            load, b = self.high, block[-1]
            for n in range(anchor + known, k + 1):
                b *= load
                b /= n + b
                block.append(b)
        return block[k - anchor]

    def wait_seconds(self, k: int) -> float:
        """As planner.queueing.wait_seconds, to the last bit, with B remembered."""
        load = self.high
        slack = (k - load) - self.low
        if slack <= k * STABILITY_MARGIN:
            return inf
        if load < LEAST_LOAD:
            return 0.0
        b = self.erlang_b(k)
        wait = k * b / (slack * (slack + load * b)) / self.service_rate
        v: float = evaluate_variability(self.weights, slack / load, k)
        return wait * v

    def waiting(self, k: int) -> float:
        """λW(k) = vAkB/(c(c + AB)), the mean number that wait; c = k − A."""
        load = self.high
        if load < LEAST_LOAD:
            return 0.0
        slack = (k - load) - self.low
        b = self.erlang_b(k)
        v: float = evaluate_variability(self.weights, slack / load, k)
        return v * load * k * b / (slack * (slack + load * b))

    def gain(self, k: int) -> float:
        """λ(W(k) − W(k+1)), remembered."""
        gain = self._gains.get(k)
        if gain is None:
            gain = self._gains[k] = self._evaluate_gain(k)
        return gain

    def _evaluate_gain(self, k: int) -> float:
        """λ(W(k) − W(k+1)), W the wait with its factor v, without a subtraction of waits.

        v(k)·A(k+1)q[(c²+k)AB + c³ + 2ck + k]/(c(c+1)(c+AB)(c+1+AB')) + (v(k)−v(k+1))·A(k+1)B'/((c+1)(c+1+AB')),
        q = B/(k+1+AB), B' = B(k+1) = Aq.
        """
        load = self.high
        if load < LEAST_LOAD:  # every gain is below A² < LEAST_GAIN
            return 0.0
        c = (k - load) - self.low
        b = self.erlang_b(k)
        busy = load * b
        n = k + 1
        q = b / (n + busy)
        d = c + 1.0
        below = d * (d + load * load * q)
        squared = c * c
        fall = n * load * q * ((squared + k) * busy + c * (squared + 2 * k) + k) / (c * (c + busy) * below)
        weights = self.weights
        if weights.is_constant:
            gain = weights.constant * fall
        else:
            v, v_drop = drop_variability(weights, c / load, 1.0 / load, k)
            gain = v * fall + v_drop * (load * n * load * q / below)
        return gain if gain > LEAST_GAIN else 0.0

    def find_vanishing(self) -> int:
        """A k whose gain is about to vanish: k·ln(k/A) − (k − A) = 640, by Newton from Bernstein's bound above."""
        load = max(self.high, LEAST_LOAD)
        k = load + 222.0 + (222.0**2 + 1334.0 * load) ** 0.5
        for _ in range(4):
            k -= (deviance(k, load, k - load) - 640.0) / log(k / load)
        return int(k)
