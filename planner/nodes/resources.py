"""What a snapshot knows of nodes and instances, completed for computing: io that was not measured is assumed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from planner.nodes.usage import Instance, InstanceUsage, Node, Usage, find_mean_usage, find_usages
from planner.values import Diagnostic
from planner.wording import join_names


@dataclass(frozen=True, slots=True)
class MeasuredInstance:
    """One processor of an operator as a snapshot has it; parts of a node that are None were not measured."""

    name: str
    queue_length: float
    queue_capacity: float
    work: float | None = None
    node: str | None = None
    cpu: float | None = None
    memory: float | None = None
    io: float | None = None


@dataclass(frozen=True)
class Resources:
    """Nodes, instances by operator, and what one instance of each operator takes of a node (eq. 21)."""

    nodes: Sequence[Node]
    instances: Mapping[str, Sequence[Instance]]
    usages: Mapping[str, InstanceUsage]
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def all_instances(self) -> list[Instance]:
        """The instances of every operator."""
        return [one for listed in self.instances.values() for one in listed]


def find_resources(
    running: Mapping[str, int], nodes: Sequence[Node], measured: Mapping[str, Sequence[MeasuredInstance]]
) -> Resources:
    """The resources of the operators that are `running`, with their processors; other operators are left out."""
    known = {operator: listed for operator, listed in measured.items() if operator in running}
    mean_io = find_mean_usage(running, nodes).io
    instances = {
        operator: [complete_instance(operator, one, mean_io) for one in listed]
        for operator, listed in known.items()
    }
    every = [one for listed in instances.values() for one in listed]
    said = (*describe_missing_nodes(nodes, every), *describe_assumed_io(known, mean_io))
    return Resources(nodes, instances, find_usages(running, every, nodes), said)


def complete_instance(operator: str, measured: MeasuredInstance, mean_io: float) -> Instance:
    """The instance with its usage, where cpu and memory were measured; io that was not is the mean of all."""
    usage = None
    if measured.cpu is not None and measured.memory is not None:
        usage = Usage(measured.cpu, measured.memory, mean_io if measured.io is None else measured.io)
    return Instance(
        operator,
        measured.name,
        measured.queue_length,
        measured.queue_capacity,
        measured.work,
        measured.node,
        usage,
    )


def describe_missing_nodes(nodes: Sequence[Node], instances: Sequence[Instance]) -> tuple[Diagnostic, ...]:
    """A diagnostic where instances run on nodes whose load the snapshot does not have."""
    known = {node.name for node in nodes}
    missing = sorted({one.node for one in instances if one.node is not None} - known)
    if not missing:
        return ()
    detail = (
        f"Instances run on {join_names(missing)}, but the snapshot has no load of these nodes, so moves to them and "
        "from them are not computed. Add them to `nodes` of the snapshot."
    )
    return (Diagnostic("missing-nodes", detail),)


def describe_assumed_io(
    measured: Mapping[str, Sequence[MeasuredInstance]], mean_io: float
) -> tuple[Diagnostic, ...]:
    """A diagnostic where the io of an instance was not measured, though that of the nodes was."""
    unmeasured = tuple(
        operator
        for operator, listed in measured.items()
        if any(one.cpu is not None and one.io is None for one in listed)
    )
    if not unmeasured or not mean_io:
        return ()
    detail = (
        f"The io of instances of {join_names(unmeasured)} is not measured: the mean over all that run, "
        f"{mean_io:.3g} of a node, stands in."
    )
    return (Diagnostic("io-assumed", detail, unmeasured),)
