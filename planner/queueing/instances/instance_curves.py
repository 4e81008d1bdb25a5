"""The waits of few operators with bursts or with a queue per processor, and the gain of each further processor.

DealtQueue has the formulas of instance_queues.py in plain floats and without bursts. A gain is the difference of two
waits. Such waits fall like 1/(k − A) or slower, with k processors under an offered load A, so the difference keeps all
but the digits of k − A. If one processor more would lengthen the wait, the wait stays as it is, and greedy looks ahead
to the number of processors where the wait falls.

Where key groups are dealt out whole, the wait is a staircase in k: stair_curves has these.
"""

from math import floor, inf
from typing import NamedTuple

from planner.queueing.erlang import (
    LEAST_LOAD,
    STABILITY_MARGIN,
    anchored_erlang_b,
    mmk_wait,
)
from planner.queueing.gain_curves import LEAST_GAIN, Curve, WaitBlocks
from planner.queueing.queueings import (
    KEYED,
    RANDOM,
    ROUND_ROBIN,
    Inflow,
    deal_in_turn,
    square_of_dealt,
)
from planner.queueing.waiting_models import (
    FLOATS,
    MOST_VARIABLE,
    WAITING_MODELS,
    VariabilityWeights,
    evaluate_variability,
    weigh_operator,
)
from planner.values import SHARED, Model


def is_dealt(inflow: Inflow) -> bool:
    """Whether each processor has a queue of its own, all instances are alike, and no bursts are known."""
    known = inflow.idc or inflow.instances or inflow.groups
    is_plain = inflow.concurrency == 1 and inflow.scaling is None
    return inflow.queueing != SHARED and not known and is_plain


class DealtQueue(NamedTuple):
    """An operator with one queue per instance: how tuples reach it, its SCVs, waiting model, and calibration factor."""

    inflow: Inflow
    arrival_scv: float
    service_scv: float
    model: Model
    factor: float = 1.0

    def wait_in_services(self, high: float, low: float, k: int) -> float:
        """The mean wait with k processors in services; inf if they cannot keep up, 0 where nothing arrives."""
        if (k - high) - low <= k * STABILITY_MARGIN:
            return inf
        if high < LEAST_LOAD:
            return 0.0
        wait = self.wait_before_factor(high, low, k)
        if k > 1 and high < 1.0 - STABILITY_MARGIN:  # or the wait of one processor, if that is shorter
            wait = min(wait, self.wait_before_factor(high, low, 1))
        return wait * self.factor

    def wait_before_factor(self, high: float, low: float, k: int) -> float:
        """The mean wait by the formulas in units of one service, before the calibration factor multiplies it."""
        s, inflow = self.service_scv, self.inflow
        if k == 1:
            return self.wait_pooled(high, low, 1)
        a = self.see_one(high, k)
        rho, busy = high / k, max(high, 1.0) / k
        wait: float = WAITING_MODELS[self.model].alone(a, s, (1.0 - busy) / busy, FLOATS) * rho / (1.0 - rho)
        if inflow.batches:
            wait += self.weigh_batches(k) / 2.0
        # A shared queue waits less than MOST_VARIABLE·(a + s)/2 by the formulas, which is quickly compared.
        is_longer = wait * ((k - high) - low) >= MOST_VARIABLE * (self.arrival_scv + s) / 2.0
        return wait if is_longer or inflow.queueing == KEYED else max(wait, self.wait_pooled(high, low, k))

    def see_one(self, high: float, k: int) -> float:
        """The SCV of the arrivals that one of k instances sees, at an offered load `high` of the operator."""
        if self.inflow.queueing == ROUND_ROBIN:
            return float(deal_in_turn(self.arrival_scv, k, self.inflow.senders, high, FLOATS))
        together = self.inflow.root_batch if self.inflow.queueing == KEYED else 1.0
        return together * (1.0 - 1.0 / k) + self.arrival_scv / k

    def wait_pooled(self, high: float, low: float, k: int) -> float:
        """The mean wait in units of one service, if all k processors shared one queue."""
        slack = (k - high) - low
        b = anchored_erlang_b(k, high, low)
        weights = weigh_operator(self.model, self.arrival_scv, self.service_scv)
        v: float = evaluate_variability(weights, slack / high, k, FLOATS)
        return float(v * mmk_wait(k, b, high, slack))

    def weigh_batches(self, k: int) -> float:
        """By how much the batch of an arriving tuple at one of k instances is above 1 tuple on average (queueings)."""
        total, dealt = 0.0, k if self.inflow.queueing == ROUND_ROBIN else 1
        for part, selectivity in self.inflow.batches:
            whole = floor(selectivity)
            rest = selectivity - whole
            squares = square_of_dealt(whole, dealt) * (1.0 - rest) + square_of_dealt(whole + 1, dealt) * rest
            total += part * (squares / selectivity - 1.0)
        return total / k if self.inflow.queueing == RANDOM or self.inflow.is_by_tuple else total


FAR = 2**53
FARTHEST = 2**30
RESOLVED = 2**24
"""Up to so many processors above the load, doubles show that gains fall from one processor to the next."""


def find_stride(spare: float) -> int:
    """The processors more, from `spare` above the load, over which the wait falls enough for doubles to show by how
    much. A wait falls like 1/spare and a gain like 1/spare², so that rounding grows like spare² beside its steps.
    """
    return max(int((spare / RESOLVED) ** 2), 1)


class DifferenceCurve(Curve):
    """The gains of one operator as differences of waits; gain_curves.Curve has them for a shared queue."""

    def __missing__(self, k: int) -> float:
        """The waiting tuples that processor k + 1 saves, λ(W(k) − W(k+1)); with many, the mean over the next stride.

        Where processor k + 1 saves none and the wait falls with more processors, the gain per processor until there.
        """
        gain, stride = self.find_gain(k), find_stride(k - self.high)
        if stride > 1:
            fall = self.wait_seconds(k) - self.wait_seconds(k + stride)
            gain = self.high * self.service_rate * fall / stride
        self[k] = gain = gain if gain > LEAST_GAIN else self.look_ahead(k)
        return gain

    def find_gain(self, k: int) -> float:
        """The waiting tuples that processor k + 1 saves, λ(W(k) − W(k+1)), at least 0."""
        return max(self.high * self.service_rate * (self.wait_seconds(k) - self.wait_seconds(k + 1)), 0.0)

    def look_ahead(self, k: int) -> float:
        """The gain per processor from k up to the nearest power of two more at which the wait is shorter; 0 if there is
        none.
        """
        here, ahead = self.wait_seconds(k), 2
        while here > 0.0 and ahead <= FARTHEST:
            gain = self.high * self.service_rate * (here - self.wait_seconds(k + ahead)) / ahead
            if gain > LEAST_GAIN:
                return gain
            ahead *= 2
        return 0.0

    def find_vanishing(self) -> int:
        """No number of processors: where each has a queue, gains fall like 1/k² and never vanish."""
        return FAR


class InstanceCurve(DifferenceCurve):
    """The gains of an operator with bursts or measured instances, whose waits WaitBlocks computes in arrays."""

    blocks: WaitBlocks

    def __init__(self, blocks: WaitBlocks, place: int, arrival_rate: float, floor: int) -> None:
        rate = float(blocks.queues.service_rate[place])
        super().__init__(arrival_rate, rate, VariabilityWeights(1.0), floor)
        self.blocks, self.place, self._waits = blocks, place, blocks.known[place]
        self.is_busy = self.high >= LEAST_LOAD and self.floor < FAR and self.wait_seconds(self.floor) > 0.0

    def wait_seconds(self, k: int) -> float:
        """The mean wait with k processors in seconds; inf where an instance cannot keep up."""
        wait = self._waits.get(k)
        if wait is None:
            self.blocks.fill(self.place, k)
            wait = self._waits[k]
        return wait

    def find_vanishing(self) -> int:
        """The number of processors beyond which the gain of a shared queue is too small for a float."""
        return Curve.find_vanishing(self) if not self.blocks.queues.code[self.place] else FAR


class DealtCurve(DifferenceCurve):
    """The gains of an operator whose instances are alike and whose bursts are not known, in plain floats."""

    __slots__ = ("queue",)

    def __init__(self, queue: DealtQueue, arrival_rate: float, service_rate: float, least: int) -> None:
        super().__init__(arrival_rate, service_rate, VariabilityWeights(1.0), least)
        self.queue = queue
        varies = queue.arrival_scv + queue.service_scv > 0.0
        self.is_busy = self.high >= LEAST_LOAD and (varies or self.wait_seconds(self.floor) > 0.0)

    def wait_seconds(self, k: int) -> float:
        """The mean wait with k processors in seconds; inf where they cannot keep up, 0 where nothing arrives."""
        wait = self._waits.get(k)
        if wait is None:
            wait = self._waits[k] = self.queue.wait_in_services(self.high, self.low, k) / self.service_rate
        return wait
