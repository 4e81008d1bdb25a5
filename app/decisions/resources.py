"""What a snapshot's nodes and instances say: where to put instances, where to send tuples."""

from app.snapshots.schemas import InstanceLoad, NodeLoad
from app.tables import SnapshotRow
from planner.decisions import Decision
from planner.nodes import Node, NodeAdvice, Thresholds, Usage, advise_nodes
from planner.streams import Instance, Spot, Weights, find_hot_and_cold, weigh_instances

# Instances beyond these are not placed one by one: nobody reads so long an advice.
MOST_PLACED = 10_000


def advise_on_nodes(newest: SnapshotRow, thresholds: Thresholds, decision: Decision) -> NodeAdvice | None:
    """More nodes, fewer, or in place; None where the snapshot has none."""
    if not newest.nodes:
        return None
    nodes = []
    for name, stored in newest.nodes.items():
        usage = NodeLoad.model_validate(stored)
        nodes.append(Node(name, Usage(usage.cpu, usage.memory, usage.io)))
    extra = max(0, decision.recommended.processors_total - decision.current.processors_total)
    return advise_nodes(nodes, thresholds, estimate_instance(nodes, decision), min(extra, MOST_PLACED))


def estimate_instance(nodes: list[Node], decision: Decision) -> Usage:
    """What a new instance takes: the mean over those that run (after eq. 21, over the whole topology)."""
    running = decision.current.processors_total
    return Usage(
        sum(node.usage.cpu for node in nodes) / running,
        sum(node.usage.memory for node in nodes) / running,
        sum(node.usage.io for node in nodes) / running,
    )


def advise_on_streams(
    newest: SnapshotRow, decision: Decision, most_deviation: float
) -> dict[str, list[Weights] | tuple[Spot, ...]] | None:
    """Redirect weights, and what is hot or cold; None where the snapshot has no instances."""
    if not newest.instances:
        return None
    known = {operator.name for operator in decision.situation.topology.operators}
    instances = {
        operator: [read_instance(operator, InstanceLoad.model_validate(one)) for one in listed]
        for operator, listed in newest.instances.items()
        if operator in known
    }
    redirect = [weigh_instances(operator, listed, most_deviation) for operator, listed in instances.items()]
    rates = {one.name: one.arrival_rate for one in decision.current.operators}
    edges = {
        (edge.source, edge.target): rates[edge.source] * edge.selectivity
        for edge in decision.situation.topology.edges
    }
    everyone = [one for listed in instances.values() for one in listed]
    return {"redirect": redirect, "spots": find_hot_and_cold(everyone, edges)}


def read_instance(operator: str, stored: InstanceLoad) -> Instance:
    """What the planner computes with."""
    return Instance(
        operator, stored.name, stored.queue_length, stored.queue_capacity, stored.work, stored.node
    )
