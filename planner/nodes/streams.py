"""How should tuples be spread over instances, and which instances should move? (Mc-Stream)

    p_k = (l_k − len_k) / Σ (l − len)                     redirect weights, eq. 10
    lbd = (1/m) Σ |len_k − mean len|                      load deviation, eq. 4

The weight p_k of instance k is its part of the free room in queues: l_k is the capacity of its queue and len_k its
length. The load deviation of m instances is the mean deviation of their queue lengths.

Moves follow Algorithm 4. A hot instance moves to a freer node. An end of a hot edge moves to the node of its other end.
A cold instance moves to the node of a sibling, which frees its own node. Target nodes follow Algorithm 3: one with an
upstream instance and no sibling, else one without a sibling, else the freest; no node is filled above its limits
(Es-Stream, eq. 22). Each move assumes that the moves before it were made.
"""

from collections.abc import Mapping, Sequence
from math import fsum
from typing import NamedTuple

from planner.errors import InvalidLoad, escape_pointer
from planner.nodes.instance_moves import Deployment, Edge, InstanceMove, deviate
from planner.nodes.usage import Instance
from planner.wording import write_number

# Nodes from which an end of a hot edge is tried on every other node; further nodes are left out.
MOST_SOURCES = 200


class Spot(NamedTuple):
    """An instance or an edge with much more or less work than others, the advice on it, and the
    move (None: no move).
    """

    kind: str
    name: str
    weight: float
    suggestion: str
    move: InstanceMove | None = None


def find_hot_and_cold(
    instances: Sequence[Instance], edge_rates: Mapping[Edge, float], deployment: Deployment
) -> tuple[Spot, ...]:
    """Returns the instances and edges of most and least weight, with the moves of Mc-Stream's Algorithm 4.

    The weight of an instance is its work where the work of all is measured, else how full its queue is: the two cannot
    be compared with each other. The weight of an edge is its rate in tuples/s.
    """
    weights = weigh_instances(instances)
    stand_out = len(instances) > 1 and max(weights) > min(weights)
    edges_do = len(edge_rates) > 1 and max(edge_rates.values()) > min(edge_rates.values())
    spots: list[Spot] = []
    hot = cold = None
    if stand_out:
        hot, cold = instances[weights.index(max(weights))], instances[weights.index(min(weights))]
        spots.append(describe_hot(hot, max(weights), instances, deployment))
    if edges_do:
        hot_edge = max(edge_rates, key=lambda edge: edge_rates[edge])
        still = [one for one in instances if one not in {hot, cold}]
        spots.append(describe_hot_edge(hot_edge, edge_rates[hot_edge], still, deployment))
    if cold is not None:
        spots.append(describe_cold(cold, min(weights), instances, deployment))
    if edges_do:
        cold_edge = min(edge_rates, key=lambda edge: edge_rates[edge])
        spots.append(
            Spot(
                "cold-edge",
                join_edge(cold_edge),
                edge_rates[cold_edge],
                "Its ends may run on different nodes.",
            )
        )
    return tuple(spots)


def weigh_instances(instances: Sequence[Instance]) -> list[float]:
    """Returns the measured work of each instance if all have it, else how full the queue of each instance is."""
    works = [one.work for one in instances if one.work is not None]
    if len(works) == len(instances):
        return works
    return [one.queue_length / one.queue_capacity if one.queue_capacity else 0.0 for one in instances]


def describe_hot(hot: Instance, weight: float, instances: Sequence[Instance], deployment: Deployment) -> Spot:
    """The advice on the instance with the most work: a move to a freer node, else a smaller part of the stream."""
    name = f"{hot.operator}/{hot.name}"
    source = deployment.node_of(hot)
    if source is None:
        where = f" from {hot.node}" if hot.node else ""
        advice = f"Move {name}{where} to the freest node without another of {hot.operator}, or send it fewer tuples."
        return Spot("hot-instance", name, weight, advice)
    taken = deployment.usage_of(hot)
    freer = [
        node
        for node in deployment.find_room(hot)
        if deployment.usages[node].plus(taken).load < deployment.usages[source].load
    ]
    if not freer:
        advice = f"No node with room for {name} would be freer than {source} is: send it fewer tuples."
        return Spot("hot-instance", name, weight, advice)
    target = choose_by_neighbours(hot, freer, deployment)
    move = deployment.move(hot, target, expect_queues(hot, instances))
    advice = f"Move {name} from {source} to {target}{describe_shifts(move)}, or send it fewer tuples."
    return Spot("hot-instance", name, weight, advice, move)


def choose_by_neighbours(instance: Instance, fitting: Sequence[str], deployment: Deployment) -> str:
    """Chooses among the nodes with room (`fitting`) a new node for the instance, by Mc-Stream's Algorithm 3.

    The best node has an upstream instance and no instance of the same operator, the next best no instance of the same
    operator; else the first node is chosen.
    """
    alone = [node for node in fitting if not deployment.counts[instance.operator, node]]
    feeders = [source for source, target in deployment.edge_rates if target == instance.operator]
    fed = [node for node in alone if any(deployment.counts[feeder, node] for feeder in feeders)]
    return (fed or alone or fitting)[0]


def expect_queues(hot: Instance, instances: Sequence[Instance]) -> tuple[float, float]:
    """Returns the deviation of queue lengths in the operator of a hot instance (eq. 4): now, and after its move.

    After the move the hot queue is taken to be as long as the operator's other queues on average.
    """
    lengths = [one.queue_length for one in instances if one.operator == hot.operator]
    siblings = [one.queue_length for one in instances if one.operator == hot.operator and one != hot]
    if not siblings:
        return 0.0, 0.0
    return deviate(lengths), deviate([*siblings, fsum(siblings) / len(siblings)])


def describe_hot_edge(edge: Edge, rate: float, instances: Sequence[Instance], deployment: Deployment) -> Spot:
    """The advice on the edge with the most tuples: the move of one instance that keeps most tuples on their node."""
    advice = f"Run instances of {edge[0]} and {edge[1]} on the same nodes, where limits allow."
    if edge not in deployment.edge_rates:
        return Spot("hot-edge", join_edge(edge), rate, advice)
    best: tuple[float, Instance, str] | None = None
    for end, other in (edge, edge[::-1]):
        tried: set[str] = set()
        for one in instances:
            node = deployment.node_of(one)
            if one.operator != end or node is None or node in tried or len(tried) == MOST_SOURCES:
                continue  # instances of one operator on one node are alike: the first is tried
            tried.add(node)
            for target in deployment.find_room(one):
                more = deployment.counts[other, target] - deployment.counts[other, node]
                gain = more / deployment.totals[other] / deployment.totals[end]
                if gain > (best[0] if best else 0.0):
                    best = (gain, one, target)
    if best is None:
        advice = "No single move would keep more tuples of this edge on one node within the limits of nodes."
        return Spot("hot-edge", join_edge(edge), rate, advice)
    _, one, target = best
    source = deployment.node_of(one)
    queues = [other.queue_length for other in instances if other.operator == one.operator]
    move = deployment.move(one, target, (deviate(queues), deviate(queues)))
    advice = f"Move {one.operator}/{one.name} from {source} to {target}{describe_shifts(move)}."
    return Spot("hot-edge", join_edge(edge), rate, advice, move)


def describe_cold(
    cold: Instance, weight: float, instances: Sequence[Instance], deployment: Deployment
) -> Spot:
    """The advice on the instance with the least work: a move to a node of its operator, else one instance fewer."""
    name = f"{cold.operator}/{cold.name}"
    source = deployment.node_of(cold)
    siblings = [one for one in instances if one.operator == cold.operator and one != cold]
    if source is None:
        beside = sorted({one.node for one in siblings if one.node and one.node != cold.node})
        if beside:
            advice = f"Move {name} beside another of {cold.operator} (on {beside[0]}), to free its node."
        else:
            advice = f"Give {cold.operator} one instance fewer, if the plan allows."
        return Spot("cold-instance", name, weight, advice)
    room = [node for node in deployment.find_room(cold) if deployment.counts[cold.operator, node]]
    if not room:
        advice = (
            f"No node with another instance of {cold.operator} has room for {name}: give {cold.operator} one "
            "instance fewer, if the plan allows."
        )
        return Spot("cold-instance", name, weight, advice)
    lengths = [one.queue_length for one in (cold, *siblings)]
    move = deployment.move(cold, room[0], (deviate(lengths), deviate(lengths)))
    advice = (
        f"Move {name} from {source} to {room[0]}, beside another of {cold.operator}{describe_shifts(move)}."
    )
    return Spot("cold-instance", name, weight, advice, move)


def describe_shifts(move: InstanceMove) -> str:
    """Returns a clause on the tuples that a move keeps on their node, such as ` (40 tuples/s more of a → b stay ...)`.

    The text is empty if the move changes no such number.
    """
    shifts = []
    for one in move.edges:
        more = one.local_rate_after - one.local_rate_before
        verb = "more" if more > 0.0 else "fewer"
        shifts.append(
            f"{write_number(abs(more))} tuples/s {verb} of {one.source} → {one.target} stay on their node"
        )
    return f" ({', '.join(shifts)})" if shifts else ""


def join_edge(edge: Edge) -> str:
    """Returns the name of an edge, such as `a → b`."""
    return " → ".join(edge)


class RedirectWeights(NamedTuple):
    """The parts of a stream that the instances of an operator should get, and whether queues are uneven enough to
    redirect.
    """

    operator: str
    deviation: float
    redirect: bool
    weights: Mapping[str, float]


def find_redirect_weights(
    operator: str, instances: Sequence[Instance], most_deviation: float
) -> RedirectWeights:
    """Returns the parts of a stream for the instances of an operator, in proportion to the free room in their queues.

    The parts are equal if every queue is full. Tuples are redirected if queue lengths deviate by more than
    `most_deviation`.
    """
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
