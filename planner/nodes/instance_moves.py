"""How do moves of instances between nodes change the local part of each edge and the nodes' loads?

Tuples are taken to be spread evenly over the instances of an operator. Of the tuples of an edge, the part

    Σ_n u_n v_n / (u v)                               stays on a node: node n has u_n of u sources and v_n of v targets

and the nodes' loads R_n, with mean R̄ over n nodes, deviate from their mean by

    (1/n) Σ |R_n − R̄|                                 in the form of Mc-Stream's eq. 4
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from planner.nodes.usage import Instance, Node, Usage, has_room

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class EdgeShift:
    """The tuples per second of an edge that stay on their node, before and after a move of an instance."""

    source: str
    target: str
    local_rate_before: float
    local_rate_after: float


@dataclass(frozen=True, slots=True)
class InstanceMove:
    """A move of one instance from node to node, and its expected effects on edges and queues."""

    operator: str
    instance: str
    source: str
    target: str
    edges: tuple[EdgeShift, ...]
    queue_deviation_before: float
    queue_deviation_after: float
    node_deviation_before: float
    node_deviation_after: float


class Deployment:
    """The instances on each node; each move changes the deployment, so that the next move starts from there."""

    def __init__(
        self,
        nodes: Sequence[Node],
        instances: Sequence[Instance],
        usages: Mapping[str, Usage],
        edge_rates: Mapping[Edge, float],
        fullest: Usage,
    ) -> None:
        self.fullest = fullest
        self.usages = {node.name: node.usage for node in nodes}
        self.where = {
            (one.operator, one.name): one.node
            for one in instances
            if one.node is not None and one.node in self.usages
        }
        self.placed = [one for one in instances if (one.operator, one.name) in self.where]
        self.counts = Counter((one.operator, one.node) for one in self.placed)
        self.totals = Counter(one.operator for one in self.placed)
        # The local part of an edge is known only where every instance of both ends has a known node.
        listed = Counter(one.operator for one in instances)
        self.edge_rates = {
            edge: rate
            for edge, rate in edge_rates.items()
            if all(listed[end] and listed[end] == self.totals[end] for end in edge)
        }
        self._by_operator = usages

    def usage_of(self, instance: Instance) -> Usage:
        """Returns the part of a node that the instance uses: as measured, else the mean of its operator (eq. 21)."""
        return instance.usage or self._by_operator[instance.operator]

    def node_of(self, instance: Instance) -> str | None:
        """Returns the node of the instance after the moves so far; None if the snapshot does not have this node."""
        return self.where.get((instance.operator, instance.name))

    def find_room(self, instance: Instance) -> list[str]:
        """Returns the other nodes that have room for the instance (eq. 22), the least loaded node first."""
        taken, here = self.usage_of(instance), self.node_of(instance)
        fitting = [
            node
            for node, usage in self.usages.items()
            if node != here and has_room(usage, taken, self.fullest)
        ]
        return sorted(fitting, key=lambda node: self.usages[node].load)

    def local_rate(self, edge: Edge) -> float:
        """Returns how many tuples per second of the edge stay on their node."""
        source, target = edge
        pairs = sum(
            count * self.counts[target, node]
            for (operator, node), count in self.counts.items()
            if operator == source
        )
        return self.edge_rates[edge] * pairs / (self.totals[source] * self.totals[target])

    def deviation(self) -> float:
        """Returns the mean deviation of the nodes' loads from their mean."""
        return deviate([usage.load for usage in self.usages.values()])

    def move(self, instance: Instance, target: str, queues: tuple[float, float]) -> InstanceMove:
        """Moves the instance to the node `target`, and returns the move with its effects.

        `queues` are the deviations of the queue lengths of its operator before and after the move.
        """
        key = (instance.operator, instance.name)
        source, taken = self.where[key], self.usage_of(instance)
        touched = [edge for edge in self.edge_rates if instance.operator in edge]
        local, uneven = {edge: self.local_rate(edge) for edge in touched}, self.deviation()
        self.where[key] = target
        self.counts[instance.operator, source] -= 1
        self.counts[instance.operator, target] += 1
        self.usages[source] = self.usages[source].minus(taken)
        self.usages[target] = self.usages[target].plus(taken)
        shifts = (EdgeShift(*edge, local[edge], self.local_rate(edge)) for edge in touched)
        return InstanceMove(
            operator=instance.operator,
            instance=instance.name,
            source=source,
            target=target,
            edges=tuple(one for one in shifts if one.local_rate_before != one.local_rate_after),
            queue_deviation_before=queues[0],
            queue_deviation_after=queues[1],
            node_deviation_before=uneven,
            node_deviation_after=self.deviation(),
        )


def deviate(values: Sequence[float]) -> float:
    """The mean deviation of the values x_k from their mean, (1/m) Σ |x_k − mean x| for m values (Mc-Stream, eq. 4)."""
    mean = fsum(values) / len(values)
    return fsum(abs(value - mean) for value in values) / len(values)
