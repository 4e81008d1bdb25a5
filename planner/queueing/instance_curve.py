"""The gain of each further processor at an operator with bursts or with a queue for each processor.

The gain is the difference of two waits. Waits fall like 1/(k − A) or slower here, so the difference keeps all but the
digits of k − A. Where the wait would rise with one processor more it stays; greedy then looks ahead to where it falls.
"""

from planner.queueing.dealt_queues import DealtQueue
from planner.queueing.erlang import LEAST_LOAD
from planner.queueing.gain_curve import LEAST_GAIN, Curve
from planner.queueing.wait_blocks import WaitBlocks
from planner.queueing.waiting_models import VariabilityWeights

FAR = 2**53
FARTHEST = 2**30


class DifferenceCurve(Curve):
    """The gains of one operator by differences of waits, as gain_curve.Curve has them for a shared queue."""

    def __missing__(self, k: int) -> float:
        """λ(W(k) − W(k+1)); where that is 0 and the wait falls later, the gain per processor until there."""
        gain = self.find_gain(k)
        self[k] = gain = gain if gain > LEAST_GAIN else self.look_ahead(k)
        return gain

    def find_gain(self, k: int) -> float:
        """λ(W(k) − W(k+1)), at least 0."""
        return max(self.high * self.service_rate * (self.wait_seconds(k) - self.wait_seconds(k + 1)), 0.0)

    def look_ahead(self, k: int) -> float:
        """The gain per processor up to the nearest power of two at which the wait is shorter, 0 where there is none."""
        here, ahead = self.wait_seconds(k), 2
        while here > 0.0 and ahead <= FARTHEST:
            gain = self.high * self.service_rate * (here - self.wait_seconds(k + ahead)) / ahead
            if gain > LEAST_GAIN:
                return gain
            ahead *= 2
        return 0.0

    def find_vanishing(self) -> int:
        """Gains of a queue for each processor fall like 1/k² and never vanish."""
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
        """The mean wait; inf where an instance cannot keep up."""
        wait = self._waits.get(k)
        if wait is None:
            self.blocks.fill(self.place, k)
            wait = self._waits[k]
        return wait

    def find_vanishing(self) -> int:
        """Gains of a shared queue may vanish."""
        return Curve.find_vanishing(self) if not self.blocks.queues.code[self.place] else FAR


class DealtCurve(DifferenceCurve):
    """The gains of an operator whose instances are alike and whose bursts are not known, in plain floats."""

    __slots__ = ("arrival_rate", "queue")

    def __init__(self, queue: DealtQueue, arrival_rate: float, service_rate: float, least: int) -> None:
        super().__init__(arrival_rate, service_rate, VariabilityWeights(1.0), least)
        self.queue, self.arrival_rate = queue, arrival_rate
        self.is_busy = self.high >= LEAST_LOAD and self.wait_seconds(self.floor) > 0.0

    def wait_seconds(self, k: int) -> float:
        """The mean wait; inf where unstable, 0 where nothing arrives."""
        wait = self._waits.get(k)
        if wait is None:
            wait = self._waits[k] = self.queue.wait_seconds(self.arrival_rate, self.service_rate, k)
        return wait
