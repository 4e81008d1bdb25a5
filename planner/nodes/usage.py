"""Usage of nodes and of instances, and room for an instance on a node (Es-Stream, sections III-C and V-B).

load of a node = max(cpu, memory, io)                                    eq. 6
r_new of an operator = the mean over its instances                       eq. 21
R + r_new ≤ α                                                            eq. 22: room, in cpu, memory and io

If the io of an instance was not measured, the mean io of all instances is used.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import NamedTuple

from planner.values import Diagnostic
from planner.wording import join_names, write_number


@dataclass(frozen=True, slots=True)
class Usage:
    """The used parts of a node, from 0 to 1: by the whole node or by one instance."""

    cpu: float
    memory: float
    io: float = 0.0

    def plus(self, other: "Usage") -> "Usage":
        """The sum of both."""
        return Usage(self.cpu + other.cpu, self.memory + other.memory, self.io + other.io)

    def minus(self, other: "Usage") -> "Usage":
        """The difference, and no less than 0: measurements of nodes and instances need not add up."""
        return Usage(
            max(self.cpu - other.cpu, 0.0), max(self.memory - other.memory, 0.0), max(self.io - other.io, 0.0)
        )

    def part(self, count: int) -> "Usage":
        """One of so many equal parts."""
        return Usage(self.cpu / count, self.memory / count, self.io / count)

    @property
    def load(self) -> float:
        """The largest of the three (eq. 6)."""
        return max(self.cpu, self.memory, self.io)


NOTHING = Usage(0.0, 0.0)


class Node(NamedTuple):
    """A node that the topology runs on, and its usage."""

    name: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Instance:
    """One processor of an operator: its queue, its work in processors kept busy, its node and its usage there."""

    operator: str
    name: str
    queue_length: float
    queue_capacity: float
    work: float | None = None
    node: str | None = None
    usage: Usage | None = None


class InstanceUsage(NamedTuple):
    """The usage of an instance of an operator: the mean of `measured` instances; 0: the mean over all operators."""

    usage: Usage
    measured: int


def find_usages(
    running: Mapping[str, int], instances: Sequence[Instance], nodes: Sequence[Node]
) -> dict[str, InstanceUsage]:
    """Eq. 21 for each operator; if none of its instances was measured, the mean over all running processors."""
    everywhere = find_mean_usage(running, nodes)
    measured: dict[str, list[Usage]] = {name: [] for name in running}
    for one in instances:
        if one.usage is not None and one.operator in measured:
            measured[one.operator].append(one.usage)
    return {
        name: InstanceUsage(add_up(usages).part(len(usages)) if usages else everywhere, len(usages))
        for name, usages in measured.items()
    }


def find_mean_usage(running: Mapping[str, int], nodes: Sequence[Node]) -> Usage:
    """The mean usage of one processor, by what the nodes have in use."""
    return add_up([node.usage for node in nodes]).part(max(1, sum(running.values())))


def add_up(usages: Sequence[Usage]) -> Usage:
    """The sum of the usages."""
    return Usage(
        fsum(one.cpu for one in usages), fsum(one.memory for one in usages), fsum(one.io for one in usages)
    )


# Sums of decimal fractions miss a limit by some 1e-16 each; no instance is turned away for that.
ROUNDING = 1e-9


def has_room(in_use: Usage, instance: Usage, limits: Usage) -> bool:
    """R + r_new ≤ α in all three (eq. 22)."""
    return (
        in_use.cpu + instance.cpu <= limits.cpu + ROUNDING
        and in_use.memory + instance.memory <= limits.memory + ROUNDING
        and in_use.io + instance.io <= limits.io + ROUNDING
    )


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
    notes = (*describe_missing_nodes(nodes, every), *describe_assumed_io(known, mean_io))
    return Resources(nodes, instances, find_usages(running, every, nodes), notes)


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
        f"The io of instances of {join_names(unmeasured)} is not measured: the mean over all instances, "
        f"{write_number(mean_io)} of a node, is used."
    )
    return (Diagnostic("io-assumed", detail, unmeasured),)
