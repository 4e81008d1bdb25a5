"""Redirect weights: how tuples should be spread over instances, by the room in their queues (Mc-Stream, 4.2 and 5.3).

p_k = (l_k − len_k) / Σ (l − len)                     redirect weights, eq. 10
lbd = (1/m) Σ |len_k − mean len|                      load deviation, eq. 4
"""

from collections.abc import Mapping, Sequence
from math import fsum
from typing import NamedTuple

from planner.errors import InvalidLoad, escape_pointer
from planner.nodes.instance_moves import deviate
from planner.nodes.usage import Instance


class RedirectWeights(NamedTuple):
    """The weights of an operator's instances, and whether their queues are uneven enough to redirect tuples."""

    operator: str
    deviation: float
    redirect: bool
    weights: Mapping[str, float]


def find_redirect_weights(operator: str, instances: Sequence[Instance], most_deviation: float) -> RedirectWeights:
    """Weights in proportion to free queue room; equal where every queue is full."""
    for one in instances:
        if not 0.0 <= one.queue_length <= one.queue_capacity:
            raise InvalidLoad(
                f"Instance {one.name!r} of {operator!r} holds {one.queue_length:g} of {one.queue_capacity:g}: a queue "
                "length lies between 0 and its capacity.",
                f"/{escape_pointer(operator)}",
                "instances",
            )
    lengths = [one.queue_length for one in instances]
    deviation = deviate(lengths)
    room = [one.queue_capacity - one.queue_length for one in instances]
    total = fsum(room)
    weights = [one / total if total else 1.0 / len(room) for one in room]
    return RedirectWeights(
        operator,
        deviation,
        deviation > most_deviation,
        {one.name: weight for one, weight in zip(instances, weights, strict=True)},
    )
