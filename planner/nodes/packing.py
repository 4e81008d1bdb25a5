"""On which nodes do instances find room? Instances are packed one after the other, within the limits of the nodes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from planner.nodes.usage import NOTHING, Instance, Node, Usage, add_up, has_room

# The largest number of parts into which the load of a node without named instances is split.
MOST_PARTS = 1_000
# The largest number of tried placements: some seconds of searching for nodes to empty.
MOST_TRIED = 2_000_000


class Wanted(NamedTuple):
    """New instances of one operator, and the part of a node that each of them uses."""

    operator: str
    instances: int
    usage: Usage


Filled = dict[str, dict[str, int]]


def fill_nodes(
    nodes: Sequence[Node], fullest: Usage, wanted: Sequence[Wanted]
) -> tuple[Filled, list[Wanted]]:
    """Puts each new instance on the least loaded node that has room; returns the filled nodes and the instances left
    over.
    """
    usages = [node.usage for node in nodes]
    filled: dict[str, Counter[str]] = {}
    left: list[Wanted] = []
    for one in wanted:
        heap = [(usage.load, position) for position, usage in enumerate(usages)]
        heapify(heap)
        count = one.instances
        while heap and count:
            _, position = heappop(heap)
            if not has_room(usages[position], one.usage, fullest):
                continue  # nor will it have room later: loads only grow
            usages[position] = usage = usages[position].plus(one.usage)
            filled.setdefault(nodes[position].name, Counter())[one.operator] += 1
            count -= 1
            heappush(heap, (usage.load, position))
        if count:
            left.append(Wanted(one.operator, count, one.usage))
    return {name: dict(counts) for name, counts in filled.items()}, left


def fill_new_nodes(wanted: Sequence[Wanted], fullest: Usage) -> list[dict[str, int]]:
    """Puts instances on new nodes by first fit, and returns the instances of each node.

    An instance that is too large for any node gets its own node.
    """
    usages: list[Usage] = []
    holding: list[Counter[str]] = []
    for one in wanted:
        position = 0  # a node without room for one instance has none for the next
        for _ in range(one.instances):
            while position < len(usages) and not has_room(usages[position], one.usage, fullest):
                position += 1
            if position == len(usages):
                usages.append(NOTHING)
                holding.append(Counter())
            usages[position] = usages[position].plus(one.usage)
            holding[position][one.operator] += 1
    return [dict(counts) for counts in holding]


@dataclass(slots=True)
class NodesLoad:
    """A part of a node's load that could run on another node; names that are None are not in the snapshot."""

    origin: str
    usage: Usage
    measured: bool = False
    operator: str | None = None
    instance: str | None = None


@dataclass(frozen=True, slots=True)
class Relocation:
    """A number of instances to move from one node to another; names that are None are not in the snapshot."""

    operator: str | None
    instance: str | None
    instances: int
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Emptied:
    """The nodes that can be released, in this order, the nodes that take their load, and why the search ended.

    `measured`: whether the usage of every relocated instance was measured; if not, means are used.
    """

    nodes: tuple[str, ...]
    relocations: tuple[Relocation, ...]
    ended_by: str
    measured: bool


def list_loads(
    nodes: Sequence[Node], instances: Sequence[Instance], processors: int
) -> dict[str, list[NodesLoad]]:
    """Returns the loads on each node that could be moved.

    Measured instances have their own load, other named instances equal parts of the rest. Where not every processor is
    named, the rest of a node's usage is taken to belong to the unnamed ones, in parts of mean size.
    """
    named: dict[str, list[Instance]] = {node.name: [] for node in nodes}
    for one in instances:
        if one.node in named:
            named[one.node].append(one)
    known = sum(map(len, named.values())) >= processors
    mean = add_up([node.usage for node in nodes]).part(max(1, processors)).load
    loads: dict[str, list[NodesLoad]] = {}
    for node in nodes:
        here = named[node.name]
        measured = [one.usage for one in here if one.usage is not None]
        rest = node.usage.minus(add_up(measured))
        unmeasured = len(here) - len(measured)
        loads[node.name] = [
            NodesLoad(
                node.name, one.usage or rest.part(unmeasured), one.usage is not None, one.operator, one.name
            )
            for one in here
        ]
        if not unmeasured and not known and rest.load > 0.0:
            parts = min(max(1, round(rest.load / mean)), MOST_PARTS)
            loads[node.name] += [NodesLoad(node.name, rest.part(parts)) for _ in range(parts)]
    return loads


def empty_nodes(
    nodes: Sequence[Node], loads: Mapping[str, list[NodesLoad]], fullest: Usage, most_mean_load: float
) -> Emptied:
    """Empties the least loaded node, then the next, as long as their loads find room on the nodes that stay (eq. 22).

    Each load goes to the fullest node with room, which leaves the others easy to empty. The search ends at the first
    node that cannot be emptied, or where the mean load of the rest would reach `most_mean_load`: then the next advice
    would be to scale out.
    """
    usages = {node.name: node.usage for node in nodes}
    running = {name: list(here) for name, here in loads.items()}
    released: list[str] = []
    tried, ended_by = 0, "At least one node must remain."
    for node in sorted(nodes, key=lambda one: one.usage.load)[:-1]:
        tried += len(running[node.name]) * len(usages)
        if tried > MOST_TRIED:
            ended_by = "More nodes were not tried."
            break
        after = {name: usage for name, usage in usages.items() if name != node.name}
        moved = move_all(running[node.name], after, fullest)
        if moved is None:
            ended_by = f"The instances on {node.name} have no room on other nodes (eq. 22)."
            break
        if sum(usage.load for usage in after.values()) / len(after) >= most_mean_load:
            ended_by = f"Without {node.name} the mean load would come to scale_out_load = {most_mean_load:g}."
            break
        usages = after
        released.append(node.name)
        del running[node.name]
        for one, target in moved:
            running[target].append(one)
    moved_away = [one for name in released for one in loads[name]]
    return Emptied(
        tuple(released),
        sum_up_moves(moved_away, running),
        ended_by,
        all(one.measured for one in moved_away),
    )


def sum_up_moves(
    moved_away: Sequence[NodesLoad], running: Mapping[str, list[NodesLoad]]
) -> tuple[Relocation, ...]:
    """One relocation for all loads of the same instance, first and final node, however often each load moved."""
    finally_on = {id(one): name for name, here in running.items() for one in here}
    counts = Counter((one.operator, one.instance, one.origin, finally_on[id(one)]) for one in moved_away)
    return tuple(
        Relocation(operator, instance, count, source, target)
        for (operator, instance, source, target), count in counts.items()
    )


def move_all(
    leaving: Sequence[NodesLoad], usages: dict[str, Usage], fullest: Usage
) -> list[tuple[NodesLoad, str]] | None:
    """Returns the node for each load that leaves a node: the fullest with room, the largest load first.

    Returns None if a load finds no room.
    """
    moved = []
    for one in sorted(leaving, key=lambda load: -load.usage.load):
        fitting = [name for name, usage in usages.items() if has_room(usage, one.usage, fullest)]
        if not fitting:
            return None
        target = max(fitting, key=lambda name: usages[name].load)
        usages[target] = usages[target].plus(one.usage)
        moved.append((one, target))
    return moved
