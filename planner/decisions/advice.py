"""What a decision means for nodes and streams: where new instances go, where tuples go, which instance to move."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.nodes.advice import NodeAdvice, Thresholds, advise_nodes
from planner.nodes.instance_moves import Deployment
from planner.nodes.packing import Wanted, list_loads
from planner.nodes.streams import RedirectWeights, Spot, find_hot_and_cold, find_redirect_weights
from planner.nodes.usage import Resources
from planner.values import Estimate, Topology
from planner.wording import join_names

# More new instances are not placed one by one: an advice of that length has no reader.
MOST_PLACED = 10_000


@dataclass(frozen=True)
class StreamAdvice:
    """Redirect weights of each operator, and the hot and cold instances and edges."""

    redirect: Sequence[RedirectWeights]
    spots: Sequence[Spot]


def advise_on_nodes(
    before: Estimate, after: Estimate, resources: Resources, thresholds: Thresholds
) -> NodeAdvice | None:
    """More nodes, fewer, or in place, for the instances that the decision adds; None where no node is known."""
    if not resources.nodes:
        return None
    wanted = list_wanted(before, after, resources)
    loads = list_loads(resources.nodes, resources.all_instances, before.processors_total)
    advice = advise_nodes(resources.nodes, thresholds, wanted, loads)
    taken = {one.operator: resources.usages[one.operator] for one in wanted}
    unmeasured = [name for name, one in taken.items() if not one.measured]
    reason = advice.reason
    if unmeasured:
        reason += (
            f" No instance of {join_names(unmeasured)} was measured: the mean over all that run stands in."
        )
    return replace(advice, new_instances=taken, reason=reason)


def list_wanted(current: Estimate, recommended: Estimate, resources: Resources) -> list[Wanted]:
    """The instances that the decision adds, by operator, at most MOST_PLACED of them."""
    wanted = []
    left = MOST_PLACED
    for before, after in zip(current.operators, recommended.operators, strict=True):
        count = min(after.processors - before.processors, left)
        if count > 0:
            wanted.append(Wanted(after.name, count, resources.usages[after.name].usage))
            left -= count
    return wanted


def advise_on_streams(
    topology: Topology, current: Estimate, resources: Resources, thresholds: Thresholds, most_deviation: float
) -> StreamAdvice | None:
    """Redirect weights, hot and cold spots, and instances to move; None where no instance is known."""
    if not resources.instances:
        return None
    redirect = [
        find_redirect_weights(operator, listed, most_deviation)
        for operator, listed in resources.instances.items()
    ]
    rates = {one.name: one.arrival_rate for one in current.operators}
    edges = {(edge.source, edge.target): rates[edge.source] * edge.selectivity for edge in topology.edges}
    usages = {name: one.usage for name, one in resources.usages.items()}
    instances = resources.all_instances
    deployment = Deployment(resources.nodes, instances, usages, edges, thresholds.fullest)
    return StreamAdvice(redirect, find_hot_and_cold(instances, edges, deployment))
