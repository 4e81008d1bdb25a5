"""An operator whose instances all receive 1/k of the arrivals, of which no bursts are known: in plain floats.

The formulas are those of planner.queueing.instance_queues, which has them in arrays, for many operators and for bursts.
"""

from math import floor, inf
from typing import NamedTuple

from planner.queueing.batches import square_of_dealt
from planner.queueing.erlang import LEAST_LOAD, STABILITY_MARGIN, anchored_erlang_b, split_offered_load
from planner.queueing.queueings import KEYED, RANDOM, ROUND_ROBIN, Inflow, deal_in_turn_plainly
from planner.queueing.waiting_models import (
    FLOATS,
    MOST_VARIABLE,
    WAITING_MODELS,
    evaluate_variability,
    weigh_operator,
)
from planner.values import SHARED, Model


def is_dealt(inflow: Inflow) -> bool:
    """Whether each processor has a queue of its own, all instances are alike, and no bursts are known."""
    return inflow.queueing != SHARED and not inflow.idc and not inflow.instances


class DealtQueue(NamedTuple):
    """How tuples reach the instances, SCVs, model, and the factor of measured waits."""

    inflow: Inflow
    arrival_scv: float
    service_scv: float
    model: Model
    factor: float = 1.0

    def wait_seconds(self, arrival_rate: float, service_rate: float, k: int) -> float:
        """The mean wait; inf where unstable, 0 where nothing arrives."""
        high, low = split_offered_load(arrival_rate, service_rate)
        if (k - high) - low <= k * STABILITY_MARGIN:
            return inf
        if high < LEAST_LOAD:
            return 0.0
        wait = self.wait_before_factor(high, low, k)
        if k > 1 and high < 1.0 - STABILITY_MARGIN:  # as one processor would have it, if that is less
            wait = min(wait, self.wait_before_factor(high, low, 1))
        return wait * self.factor / service_rate

    def wait_before_factor(self, high: float, low: float, k: int) -> float:
        """μW as the formulas have it, before the measured factor."""
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
        """The SCV of arrivals at one of k instances."""
        if self.inflow.queueing == ROUND_ROBIN:
            return deal_in_turn_plainly(self.arrival_scv, k, self.inflow.senders, high)
        together = self.inflow.root_batch if self.inflow.queueing == KEYED else 1.0
        return together * (1.0 - 1.0 / k) + self.arrival_scv / k

    def wait_pooled(self, high: float, low: float, k: int) -> float:
        """μW of a shared queue."""
        slack = (k - high) - low
        b = anchored_erlang_b(k, high, low)
        weights = weigh_operator(self.model, self.arrival_scv, self.service_scv)
        v: float = evaluate_variability(weights, slack / high, k, FLOATS)
        return v * (k * b) / (slack * (slack + high * b))

    def weigh_batches(self, k: int) -> float:
        """b − 1 of planner.queueing.batches at one of k instances."""
        total, dealt = 0.0, k if self.inflow.queueing == ROUND_ROBIN else 1
        for part, selectivity in self.inflow.batches:
            whole = floor(selectivity)
            rest = selectivity - whole
            squares = square_of_dealt(whole, dealt) * (1.0 - rest) + square_of_dealt(whole + 1, dealt) * rest
            total += part * (squares / selectivity - 1.0)
        return total / k if self.inflow.queueing == RANDOM else total
