"""What nodes have in use and what an instance takes of them (Es-Stream, sections III-C and V-B).

load of a node = max(cpu, memory, io)                                    eq. 6
r_new of an operator = the mean over its instances                       eq. 21
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Usage:
    """Parts of a node, or of what one instance takes of it, from 0 to 1."""

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
    """A node that the topology runs on, and what is in use of it."""

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
    """What an instance of an operator takes: the mean of `measured` instances; 0: the mean over all operators."""

    usage: Usage
    measured: int


def find_usages(
    running: Mapping[str, int], instances: Sequence[Instance], nodes: Sequence[Node]
) -> dict[str, InstanceUsage]:
    """Eq. 21 for each operator; where none of its instances was measured, the mean over all processors that run."""
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
