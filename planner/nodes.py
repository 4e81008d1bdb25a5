"""Whether to use more nodes, fewer, or the same, by how their loads are spread (Es-Stream, section V-B).

    load of a node = max(cpu, memory, io)                                    eq. 6
    SK = n Σ(R − R̄)³ / ((n − 1)(n − 2)σ³),   σ² = Σ(R − R̄)²/n               eqs. 19-20

The paper mixes the n-denominator σ with the sample's skewness coefficient; kept as printed. Fewer than three nodes, or
no spread, leave SK undefined: then it is 0 and the answer says so. Its three rules overlap: scale in is tried first,
then scale out, else in place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import ceil, floor, fsum, sqrt
from typing import Literal

Advice = Literal["scale_in", "scale_out", "in_place"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Parts of a node, or of what one instance takes of it, from 0 to 1."""

    cpu: float
    memory: float
    io: float = 0.0

    def plus(self, other: "Usage") -> "Usage":
        """With another on the same node."""
        return Usage(self.cpu + other.cpu, self.memory + other.memory, self.io + other.io)

    def fits(self, fullest: "Usage") -> bool:
        """R + r ≤ α in all three (eq. 22)."""
        return self.cpu <= fullest.cpu and self.memory <= fullest.memory and self.io <= fullest.io

    @property
    def load(self) -> float:
        """The scarcest of the three (eq. 6)."""
        return max(self.cpu, self.memory, self.io)


NOTHING = Usage(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Node:
    """A node that the topology uses."""

    name: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Thresholds:
    """η, φ (scale out), χ, ζ (scale in), and α, what a node may be filled to (eq. 5)."""

    scale_out_skewness: float = 0.0
    scale_out_load: float = 0.7
    scale_in_skewness: float = 0.5
    scale_in_load: float = 0.3
    fullest: Usage = Usage(0.9, 0.9, 0.9)


@dataclass(frozen=True, slots=True)
class NodeAdvice:
    """Which nodes to take: new instances by node that they fit on (`use`), new nodes for the rest (`add`), and the
    nodes to empty first (`release`).
    """

    advice: Advice
    skewness: float
    mean_load: float
    use: Mapping[str, int]
    add: int
    release: tuple[str, ...]
    reason: str


def advise_nodes(
    nodes: Sequence[Node], thresholds: Thresholds, instance: Usage = NOTHING, extra: int = 0
) -> NodeAdvice:
    """The paper's three rules in order, for `extra` new instances that take `instance` each."""
    loads = [node.usage.load for node in nodes]
    mean = fsum(loads) / len(loads)
    skewness, known = find_skewness(loads)
    seen = f"mean load {mean:.3g}, skewness {skewness:.3g}"
    if not known:
        seen += " (undefined for fewer than three nodes or equal loads, taken as 0)"
    if skewness >= thresholds.scale_in_skewness and mean <= thresholds.scale_in_load and not extra:
        release = tuple(one.name for one in sorted(nodes, key=lambda one: one.usage.load)[: len(nodes) > 1])
        reason = f"Scale in: {seen}: most nodes idle. Empty the least loaded first."
        return NodeAdvice("scale_in", skewness, mean, {}, 0, release, reason)
    if skewness <= thresholds.scale_out_skewness and mean >= thresholds.scale_out_load:
        add = count_new_nodes(extra, instance, thresholds.fullest)
        reason = f"Scale out: {seen}: most nodes are full. New instances belong on new nodes."
        return NodeAdvice("scale_out", skewness, mean, {}, add, (), reason)
    use, left = fill_nodes(nodes, thresholds.fullest, instance, extra)
    if left:
        add = count_new_nodes(left, instance, thresholds.fullest)
        reason = f"Scale out: {seen}; {left} of {extra} new instances find no room in place (eq. 22)."
        return NodeAdvice("scale_out", skewness, mean, use, add, (), reason)
    reason = f"In place: {seen}; the least loaded nodes have room for {extra} new instances."
    return NodeAdvice("in_place", skewness, mean, use, 0, (), reason)


def fill_nodes(
    nodes: Sequence[Node], fullest: Usage, instance: Usage, extra: int
) -> tuple[dict[str, int], int]:
    """New instances one by one on the least loaded node with room, the first on ties; how many are left over."""
    heap = [(node.usage.load, position, node.usage) for position, node in enumerate(nodes)]
    heapify(heap)
    use: dict[str, int] = {}
    while heap and extra:
        _, position, usage = heappop(heap)
        filled = usage.plus(instance)
        if not filled.fits(fullest):
            continue  # nor will it later: loads only grow
        name = nodes[position].name
        use[name] = use.get(name, 0) + 1
        extra -= 1
        heappush(heap, (filled.load, position, filled))
    return use, extra


def count_new_nodes(instances: int, instance: Usage, fullest: Usage) -> int:
    """Empty nodes that hold so many instances; one that fits on none is given one of its own."""
    pairs = ((fullest.cpu, instance.cpu), (fullest.memory, instance.memory), (fullest.io, instance.io))
    fits = min((floor(most / taken + 1e-9) for most, taken in pairs if taken), default=instances)
    return ceil(instances / max(fits, 1))


def find_skewness(loads: Sequence[float]) -> tuple[float, bool]:
    """SK, and whether it is defined."""
    count = len(loads)
    mean = fsum(loads) / count
    sigma = sqrt(fsum((load - mean) ** 2 for load in loads) / count)
    if count < 3 or sigma <= 1e-9 * max(mean, 1e-9):
        return 0.0, False
    cubes = fsum(((load - mean) / sigma) ** 3 for load in loads)
    return count * cubes / ((count - 1) * (count - 2)), True
