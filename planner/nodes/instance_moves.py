"""Moves of instances between nodes, and their effects on the local part of each edge and on the nodes' loads.

Tuples are taken to be spread evenly over the instances of an operator, so that of an edge's tuples

    Σ_n u_n v_n / (u v)                               stay on node n, with u_n of u sources and v_n of v targets

    (1/n) Σ |R_n − R̄|                                 deviation of the nodes' loads, in the form of Mc-Stream's eq. 4
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from planner.nodes.usage import Instance, Node, Usage, has_room

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class EdgeShift:
    """Tuples/s of an edge that stay on their node, before a move and after it."""

    source: str
    target: str
    local_rate_before: float
    local_rate_after: float


@dataclass(frozen=True, slots=True)
class InstanceMove:
    """The move of one instance from node to node, and its expected effects."""

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
    """Instances on nodes; each move changes it, so that the next move starts from there."""

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
        """The instance's usage as measured, else the mean of its operator (eq. 21)."""
        return instance.usage or self._by_operator[instance.operator]

    def node_of(self, instance: Instance) -> str | None:
        """The instance's node after the moves so far; None if the snapshot does not have it."""
        return self.where.get((instance.operator, instance.name))

    def find_room(self, instance: Instance) -> list[str]:
        """The other nodes with room for the instance (eq. 22), the least loaded first."""
        taken, here = self.usage_of(instance), self.node_of(instance)
        fitting = [
            node
            for node, usage in self.usages.items()
            if node != here and has_room(usage, taken, self.fullest)
        ]
        return sorted(fitting, key=lambda node: self.usages[node].load)

    def local_rate(self, edge: Edge) -> float:
        """Tuples/s of the edge that stay on their node."""
        source, target = edge
        pairs = sum(
            count * self.counts[target, node]
            for (operator, node), count in self.counts.items()
            if operator == source
        )
        return self.edge_rates[edge] * pairs / (self.totals[source] * self.totals[target])

    def deviation(self) -> float:
        """The deviation of the nodes' loads."""
        return deviate([usage.load for usage in self.usages.values()])

    def move(self, instance: Instance, target: str, queues: tuple[float, float]) -> InstanceMove:
        """Move the instance; `queues` are the deviations of its operator's queue lengths before and after."""
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
    """(1/m) Σ |x_k − mean x| (Mc-Stream, eq. 4)."""
    mean = fsum(values) / len(values)
    return fsum(abs(value - mean) for value in values) / len(values)
