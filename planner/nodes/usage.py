"""How much of a node is used, by all or by one instance, and has a node room for an instance? (Es-Stream, III-C and
V-B)

load of a node = max(cpu, memory, io) eq. 6 usage r_new by a new instance of an operator = the mean of its instances eq.
21 R + r_new ≤ α in cpu, memory and io: a node with usage R has room eq. 22, with the limits α

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
    """The used parts of a node's cpu, memory and io, from 0 to 1: by the whole node or by one instance."""

    cpu: float
    memory: float
    io: float = 0.0

    def plus(self, other: "Usage") -> "Usage":
        """Returns the sum of two usages."""
        return Usage(self.cpu + other.cpu, self.memory + other.memory, self.io + other.io)

    def minus(self, other: "Usage") -> "Usage":
        """Returns the difference of two usages, at least 0: measurements of nodes and instances need not add up."""
        return Usage(
            max(self.cpu - other.cpu, 0.0), max(self.memory - other.memory, 0.0), max(self.io - other.io, 0.0)
        )

    def part(self, count: int) -> "Usage":
        """Returns one of `count` equal parts of the usage."""
        return Usage(self.cpu / count, self.memory / count, self.io / count)

    @property
    def load(self) -> float:
        """The largest of the used parts of cpu, memory and io (eq. 6)."""
        return max(self.cpu, self.memory, self.io)


NOTHING = Usage(0.0, 0.0)


class Node(NamedTuple):
    """A node on which instances of the topology run, with its usage."""

    name: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Instance:
    """One processor of an operator, with its queue, its work as a number of busy processors, its node and its usage
    there.
    """

    operator: str
    name: str
    queue_length: float
    queue_capacity: float
    work: float | None = None
    node: str | None = None
    usage: Usage | None = None


class InstanceUsage(NamedTuple):
    """The part of a node that an instance of an operator uses, as the mean of `measured` instances.

    If no instance of the operator was measured (0), it is the mean over all operators.
    """

    usage: Usage
    measured: int


def find_usages(
    running: Mapping[str, int], instances: Sequence[Instance], nodes: Sequence[Node]
) -> dict[str, InstanceUsage]:
    """Returns for each operator the part of a node that one instance uses (eq. 21).

    If no instance of an operator was measured, the mean over all running processors takes its place.
    """
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
    """Returns the mean part of a node that one running processor uses, from the usage of all nodes."""
    return add_up([node.usage for node in nodes]).part(max(1, sum(running.values())))


def add_up(usages: Sequence[Usage]) -> Usage:
    """Returns the sum of several usages."""
    return Usage(
        fsum(one.cpu for one in usages), fsum(one.memory for one in usages), fsum(one.io for one in usages)
    )


# Sums of decimal fractions miss a limit by some 1e-16 each; no instance is turned away for that.
ROUNDING = 1e-9


def has_room(in_use: Usage, instance: Usage, limits: Usage) -> bool:
    """Returns whether a node with the usage `in_use` has room for an instance within the limits of cpu, memory and io
    (eq. 22).
    """
    return (
        in_use.cpu + instance.cpu <= limits.cpu + ROUNDING
        and in_use.memory + instance.memory <= limits.memory + ROUNDING
        and in_use.io + instance.io <= limits.io + ROUNDING
    )


@dataclass(frozen=True, slots=True)
class MeasuredInstance:
    """One processor of an operator as a snapshot has it; its parts of a node are None if they were not measured."""

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
    """The nodes, the instances of each operator, and the part of a node that one instance of each operator uses (eq.
    21).
    """

    nodes: Sequence[Node]
    instances: Mapping[str, Sequence[Instance]]
    usages: Mapping[str, InstanceUsage]
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def all_instances(self) -> list[Instance]:
        """The instances of all operators."""
        return [one for listed in self.instances.values() for one in listed]


def find_resources(
    running: Mapping[str, int], nodes: Sequence[Node], measured: Mapping[str, Sequence[MeasuredInstance]]
) -> Resources:
    """Returns the nodes and instances of the operators that are `running`; other operators are left out."""
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
    """The instance with its usage if its cpu and memory were measured; the mean io replaces an unmeasured io."""
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
    """Returns a diagnostic if instances run on nodes whose load is not in the snapshot."""
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
    """Returns a diagnostic if the io of some instances was not measured, although the io of nodes was."""
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
