"""Where tuples should go, and what should move, by what waits at each instance (Mc-Stream, sections 4.2, 5.3, 5.5).

p_k = (l_k − len_k) / Σ (l − len)                     redirect weights, eq. 10
lbd = (1/m) Σ |len_k − mean len|                      load deviation, eq. 4
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from planner.errors import InvalidLoad, escape_pointer


@dataclass(frozen=True, slots=True)
class Instance:
    """One processor of an operator: its queue, what it works per second, and where it runs."""

    operator: str
    name: str
    queue_length: float
    queue_capacity: float
    work: float | None = None
    node: str | None = None


@dataclass(frozen=True, slots=True)
class Weights:
    """How an operator's tuples should be spread over its instances, and whether it is uneven enough to bother."""

    operator: str
    deviation: float
    redirect: bool
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Spot:
    """An instance or an edge that stands out, and what to do about it."""

    kind: str
    name: str
    weight: float
    suggestion: str


def weigh_instances(operator: str, instances: Sequence[Instance], most_deviation: float) -> Weights:
    """Weights in proportion to free queue room; equal where every queue is full."""
    for one in instances:
        if not 0.0 <= one.queue_length <= one.queue_capacity:
            raise InvalidLoad(
                f"Instance {one.name!r} of {operator!r} holds {one.queue_length:g} of {one.queue_capacity:g}: a queue "
                "length lies between 0 and its capacity.",
                f"/instances/{escape_pointer(operator)}",
            )
    lengths = [one.queue_length for one in instances]
    mean = fsum(lengths) / len(lengths)
    deviation = fsum(abs(length - mean) for length in lengths) / len(lengths)
    room = [one.queue_capacity - one.queue_length for one in instances]
    total = fsum(room)
    weights = [one / total if total else 1.0 / len(room) for one in room]
    return Weights(
        operator,
        deviation,
        deviation > most_deviation,
        {one.name: weight for one, weight in zip(instances, weights, strict=True)},
    )


def find_hot_and_cold(
    instances: Sequence[Instance], edge_rates: Mapping[tuple[str, str], float]
) -> tuple[Spot, ...]:
    """The instances and edges of most and least weight, with the moves of Mc-Stream's Algorithm 4.

    Weight of an instance: its work where it is measured, else the filling of its queue. Weight of an edge: tuples/s.
    """
    spots: list[Spot] = []
    if len(instances) > 1:
        weights = [weigh(one) for one in instances]
        if max(weights) > min(weights):
            hot = instances[weights.index(max(weights))]
            cold = instances[weights.index(min(weights))]
            spots += [
                Spot("hot-instance", f"{hot.operator}/{hot.name}", max(weights), suggest_for_hot(hot)),
                Spot(
                    "cold-instance",
                    f"{cold.operator}/{cold.name}",
                    min(weights),
                    suggest_for_cold(cold, instances),
                ),
            ]
    if len(edge_rates) > 1 and max(edge_rates.values()) > min(edge_rates.values()):
        hot_edge = max(edge_rates, key=lambda edge: edge_rates[edge])
        cold_edge = min(edge_rates, key=lambda edge: edge_rates[edge])
        spots += [
            Spot(
                "hot-edge",
                " → ".join(hot_edge),
                edge_rates[hot_edge],
                f"Run instances of {hot_edge[0]} and {hot_edge[1]} on the same nodes, where limits allow.",
            ),
            Spot("cold-edge", " → ".join(cold_edge), edge_rates[cold_edge], "Its ends may run apart."),
        ]
    return tuple(spots)


def weigh(instance: Instance) -> float:
    """Measured work, else how full the queue is."""
    if instance.work is not None:
        return instance.work
    return instance.queue_length / instance.queue_capacity if instance.queue_capacity else 0.0


def suggest_for_hot(hot: Instance) -> str:
    """More resources for it: away from where it is, or less of the stream."""
    where = f" from {hot.node}" if hot.node else ""
    return f"Move it{where} to the freest node without another instance of {hot.operator}, or send it less."


def suggest_for_cold(cold: Instance, instances: Sequence[Instance]) -> str:
    """Fewer resources for it: beside a sibling."""
    beside = sorted(
        {
            one.node
            for one in instances
            if one.operator == cold.operator and one.node and one.node != cold.node
        }
    )
    if beside:
        return f"Move it beside another instance of {cold.operator} (on {beside[0]}), to free its node."
    return f"Give {cold.operator} one instance fewer, if the plan allows."
