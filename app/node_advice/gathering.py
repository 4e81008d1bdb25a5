"""What a snapshot's nodes and instances say: where to put instances, where to send tuples, what to place anew."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.described.nodes import InstanceLoad, NodeLoad
from app.tables import SnapshotRow
from planner.decisions.decide import Decision
from planner.errors import join_names
from planner.nodes.advice import Thresholds, advise_nodes
from planner.nodes.hotspots import Spot, find_hot_and_cold
from planner.nodes.instance_moves import Deployment
from planner.nodes.packing import Wanted, list_loads
from planner.nodes.redirect_weights import RedirectWeights, weigh_instances
from planner.nodes.usage import Instance, InstanceUsage, Node, Usage, find_mean_usage, find_usages
from planner.values import Diagnostic

# Instances beyond these are not placed one by one: nobody reads so long an advice.
MOST_PLACED = 10_000
ADVICE_FIELDS = (
    "advice",
    "skewness",
    "mean_load",
    "use",
    "add",
    "new_nodes",
    "release",
    "relocations",
    "reason",
)


@dataclass(frozen=True)
class Resources:
    """What the newest snapshot has of nodes and instances, and what an instance of each operator takes."""

    nodes: Sequence[Node]
    instances: Mapping[str, Sequence[Instance]]
    usages: Mapping[str, InstanceUsage]
    assumed_io: Diagnostic | None = None

    @property
    def all_instances(self) -> list[Instance]:
        """Of every operator."""
        return [one for listed in self.instances.values() for one in listed]


def read_resources(newest: SnapshotRow, decision: Decision) -> Resources:
    """Of the operators that the topology has."""
    running = {one.name: one.processors for one in decision.current.operators}
    nodes = [
        Node(name, read_usage(NodeLoad.model_validate(one))) for name, one in (newest.nodes or {}).items()
    ]
    stored = {
        operator: [InstanceLoad.model_validate(one) for one in listed]
        for operator, listed in (newest.instances or {}).items()
        if operator in running
    }
    mean_io = find_mean_usage(running, nodes).io
    instances = {
        operator: [read_instance(operator, one, mean_io) for one in listed]
        for operator, listed in stored.items()
    }
    everyone = [one for listed in instances.values() for one in listed]
    assumed = describe_assumed_io(stored, mean_io)
    return Resources(nodes, instances, find_usages(running, everyone, nodes), assumed)


def describe_assumed_io(stored: Mapping[str, Sequence[InstanceLoad]], mean_io: float) -> Diagnostic | None:
    """A word where the io of an instance is not measured, though that of the nodes is."""
    unmeasured = tuple(
        operator
        for operator, listed in stored.items()
        if any(one.cpu is not None and one.io is None for one in listed)
    )
    if not unmeasured or not mean_io:
        return None
    detail = (
        f"The io of instances of {join_names(unmeasured)} is not measured: the mean over all that run, "
        f"{mean_io:.3g} of a node, stands in."
    )
    return Diagnostic("io-assumed", detail, unmeasured)


def read_instance(operator: str, stored: InstanceLoad, mean_io: float) -> Instance:
    """What the planner computes with; io that is not measured is the mean over all that run."""
    usage = None
    if stored.cpu is not None and stored.memory is not None:
        usage = Usage(stored.cpu, stored.memory, mean_io if stored.io is None else stored.io)
    return Instance(
        operator, stored.name, stored.queue_length, stored.queue_capacity, stored.work, stored.node, usage
    )


def read_usage(stored: NodeLoad) -> Usage:
    """What the planner computes with."""
    return Usage(stored.cpu, stored.memory, stored.io)


def find_missing_nodes(resources: Resources) -> tuple[Diagnostic, ...]:
    """A word where the snapshot lacks the loads of nodes that instances run on, or what instances take of them."""
    known = {node.name for node in resources.nodes}
    missing = sorted({one.node for one in resources.all_instances if one.node is not None} - known)
    assumed = (resources.assumed_io,) if resources.assumed_io else ()
    if not missing:
        return assumed
    detail = (
        f"Instances run on {join_names(missing)}, of which the snapshot has no load: nothing can be said of what "
        "would move there or from there. Add them to its nodes."
    )
    return (Diagnostic("missing-nodes", detail), *assumed)


def advise_on_nodes(
    resources: Resources, thresholds: Thresholds, decision: Decision
) -> dict[str, object] | None:
    """More nodes, fewer, or in place; None where the snapshot has none."""
    if not resources.nodes:
        return None
    wanted = list_wanted(resources, decision)
    loads = list_loads(resources.nodes, resources.all_instances, decision.current.processors_total)
    advice = advise_nodes(resources.nodes, thresholds, wanted, loads)
    new_instances = {one.operator: resources.usages[one.operator] for one in wanted}
    fields: dict[str, object] = {field: getattr(advice, field) for field in ADVICE_FIELDS}
    unmeasured = [name for name, one in new_instances.items() if not one.measured]
    if unmeasured:
        stand_in = (
            f"No instance of {join_names(unmeasured)} was measured: the mean over all that run stands in."
        )
        fields["reason"] = f"{advice.reason} {stand_in}"
    return fields | {"new_instances": new_instances}


def list_wanted(resources: Resources, decision: Decision) -> list[Wanted]:
    """The instances that the decision adds, by operator."""
    wanted = []
    left = MOST_PLACED
    for before, after in zip(decision.current.operators, decision.recommended.operators, strict=True):
        count = min(after.processors - before.processors, left)
        if count > 0:
            wanted.append(Wanted(after.name, count, resources.usages[after.name].usage))
            left -= count
    return wanted


def advise_on_streams(
    resources: Resources, thresholds: Thresholds, decision: Decision, most_deviation: float
) -> dict[str, list[RedirectWeights] | tuple[Spot, ...]] | None:
    """Redirect weights, what is hot or cold, and what to move; None where the snapshot has no instances."""
    if not resources.instances:
        return None
    redirect = [
        weigh_instances(operator, listed, most_deviation) for operator, listed in resources.instances.items()
    ]
    rates = {one.name: one.arrival_rate for one in decision.current.operators}
    edges = {
        (edge.source, edge.target): rates[edge.source] * edge.selectivity
        for edge in decision.situation.topology.edges
    }
    usages = {name: one.usage for name, one in resources.usages.items()}
    everyone = resources.all_instances
    deployment = Deployment(resources.nodes, everyone, usages, edges, thresholds.fullest)
    return {"redirect": redirect, "spots": find_hot_and_cold(everyone, edges, deployment)}
