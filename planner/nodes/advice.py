"""Should a topology use more nodes, fewer, or as many? The spread of the nodes' loads decides (Es-Stream, V-B).

    SK = n Σ(R − R̄)³ / ((n − 1)(n − 2)σ³),   σ² = Σ(R − R̄)²/n               eqs. 19-20

SK is the skewness of the loads R of n nodes, with mean R̄. The paper mixes the n-denominator σ with the sample's
skewness coefficient; it is computed as printed. For fewer than three nodes or equal loads SK is undefined: then it is
0, and the answer says so. The paper's three rules overlap: first the rule for fewer nodes is tried, then the rule for
more nodes; else the nodes stay.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, sqrt
from typing import Literal

from planner.nodes.packing import (
    Emptied,
    NodesLoad,
    Relocation,
    Wanted,
    empty_nodes,
    fill_new_nodes,
    fill_nodes,
)
from planner.nodes.usage import InstanceUsage, Node, Usage
from planner.wording import write_counted, write_number

Advice = Literal["scale_in", "scale_out", "in_place"]
# Symmetric loads have a skewness of 0, and rounding must not move it across a threshold of 0.
ROUNDING = 1e-9
FULLEST = Usage(0.9, 0.9, 0.9)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The thresholds for advice on nodes.

    η and φ are for more nodes (scaling out), χ and ζ for fewer (scaling in), and α are the limits to which a node may
    be filled (eq. 5 of Es-Stream).
    """

    scale_out_skewness: float = 0.0
    scale_out_load: float = 0.7
    scale_in_skewness: float = 0.5
    scale_in_load: float = 0.3
    fullest: Usage = FULLEST


USUAL_THRESHOLDS = Thresholds()


@dataclass(frozen=True, slots=True)
class NodeAdvice:
    """Which nodes to use, to add and to release.

    `use`: new instances by node and operator. `new_nodes`: new instances by operator on each node to add. `release`:
    the nodes to empty, in this order. `relocations`: where their instances go. `new_instances`: the assumed usage of
    one new instance of each operator (eq. 21).
    """

    advice: Advice
    skewness: float
    mean_load: float
    use: Mapping[str, Mapping[str, int]]
    new_nodes: tuple[Mapping[str, int], ...]
    release: tuple[str, ...]
    relocations: tuple[Relocation, ...]
    reason: str
    new_instances: Mapping[str, InstanceUsage] = field(default_factory=dict)

    @property
    def add(self) -> int:
        """The number of new nodes to add."""
        return len(self.new_nodes)


def advise_nodes(
    nodes: Sequence[Node],
    thresholds: Thresholds,
    wanted: Sequence[Wanted] = (),
    loads: Mapping[str, list[NodesLoad]] | None = None,
) -> NodeAdvice:
    """Advises on nodes by the three rules of Es-Stream, for new instances (`wanted`) and the
    present load of each node.
    """
    extra = sum(one.instances for one in wanted)
    fullest = thresholds.fullest
    spread = [node.usage.load for node in nodes]
    mean = fsum(spread) / len(spread)
    skewness, known = find_skewness(spread)
    seen = f"mean load {write_number(mean)}, skewness {write_number(skewness)}"
    if not known:
        seen += " (undefined for fewer than three nodes or equal loads, taken as 0)"
    if skewness >= thresholds.scale_in_skewness and mean <= thresholds.scale_in_load and not extra:
        loads = loads or {node.name: [NodesLoad(node.name, node.usage)] for node in nodes}
        found = empty_nodes(nodes, loads, fullest, thresholds.scale_out_load)
        reason = f"Scale in: {seen}: most nodes idle. {describe_emptied(found, len(nodes))}"
        return NodeAdvice("scale_in", skewness, mean, {}, (), found.nodes, found.relocations, reason)
    if skewness <= thresholds.scale_out_skewness and mean >= thresholds.scale_out_load:
        new_nodes = tuple(fill_new_nodes(wanted, fullest))
        reason = f"Scale out: {seen}: most nodes are full. {describe_new(extra, len(new_nodes))}"
        return NodeAdvice("scale_out", skewness, mean, {}, new_nodes, (), (), reason)
    use, left = fill_nodes(nodes, fullest, wanted)
    if left:
        new_nodes = tuple(fill_new_nodes(left, fullest))
        over = sum(one.instances for one in left)
        find, go = ("finds", "goes") if over == 1 else ("find", "go")
        reason = (
            f"Scale out: {seen}; {over} of {write_counted(extra, 'new instance')} {find} no room on the present nodes "
            f"(eq. 22), and {go} to {count_new(len(new_nodes))}."
        )
        return NodeAdvice("scale_out", skewness, mean, use, new_nodes, (), (), reason)
    reason = f"In place: {seen}; the least loaded nodes have room for {write_counted(extra, 'new instance')}."
    return NodeAdvice("in_place", skewness, mean, use, (), (), (), reason)


def describe_emptied(found: Emptied, nodes: int) -> str:
    """Returns a sentence on how many nodes can be emptied, and on why no more can be."""
    if not found.nodes:
        return f"Yet none can be emptied. {found.ended_by}"
    sizes = "" if found.measured else " Unmeasured usage of an instance is taken as the mean."
    some = f"{len(found.nodes)} of {write_counted(nodes, 'node')}"
    return f"{some} can be emptied, one after the other. {found.ended_by}{sizes}"


def describe_new(extra: int, new_nodes: int) -> str:
    """Returns a sentence on the new nodes that `extra` new instances need."""
    if not extra:
        return "The decision has no new instances; the next ones belong on new nodes."
    return f"The {extra} new instances belong on {count_new(new_nodes)}."


def count_new(nodes: int) -> str:
    """Returns a number of new nodes in words: `1 new node`, `2 new nodes`."""
    return write_counted(nodes, "new node")


def find_skewness(loads: Sequence[float]) -> tuple[float, bool]:
    """Returns the skewness of the loads (0 if it is undefined), and whether it is defined."""
    count = len(loads)
    mean = fsum(loads) / count
    sigma = sqrt(fsum((load - mean) ** 2 for load in loads) / count)
    if count < 3 or sigma <= 1e-9 * max(mean, 1e-9):
        return 0.0, False
    cubes = fsum(((load - mean) / sigma) ** 3 for load in loads)
    skewness = count * cubes / ((count - 1) * (count - 2))
    return (skewness if abs(skewness) > ROUNDING else 0.0), True
