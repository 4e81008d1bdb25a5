"""Whether to use more nodes, fewer, or the same, by how their loads are spread (Es-Stream, section V-B).

    load of a node = max(cpu, memory, io)                                    eq. 6
    SK = n Σ(R − R̄)³ / ((n − 1)(n − 2)σ³),   σ² = Σ(R − R̄)²/n               eqs. 19-20

The paper mixes the n-denominator σ with the sample's skewness coefficient; kept as printed. Fewer than three nodes, or
no spread, leave SK undefined: then it is 0 and the answer says so. Its three rules overlap: scale in is tried first,
then scale out, else in place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import Literal

Advice = Literal["scale_in", "scale_out", "in_place"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Parts of a node, or of what one instance takes of it, from 0 to 1."""

    cpu: float
    memory: float
    io: float = 0.0

    @property
    def load(self) -> float:
        """The scarcest of the three (eq. 6)."""
        return max(self.cpu, self.memory, self.io)


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
    """Which nodes to take; `target`: where a new instance fits, `release`: the nodes to empty first."""

    advice: Advice
    skewness: float
    mean_load: float
    target: str | None
    release: tuple[str, ...]
    reason: str


def advise_nodes(nodes: Sequence[Node], thresholds: Thresholds, instance: Usage | None = None) -> NodeAdvice:
    """The paper's three rules in order, and eq. 22 on the least loaded node for a new instance in place."""
    loads = [node.usage.load for node in nodes]
    mean = fsum(loads) / len(loads)
    skewness, known = find_skewness(loads)
    seen = f"mean load {mean:.3g}, skewness {skewness:.3g}"
    if not known:
        seen += " (undefined for fewer than three nodes or equal loads, taken as 0)"
    if skewness >= thresholds.scale_in_skewness and mean <= thresholds.scale_in_load:
        release = tuple(one.name for one in sorted(nodes, key=lambda one: one.usage.load) if len(nodes) > 1)[
            :1
        ]
        reason = f"Scale in: {seen}: most nodes idle. Empty the least loaded first."
        return NodeAdvice("scale_in", skewness, mean, None, release, reason)
    if skewness <= thresholds.scale_out_skewness and mean >= thresholds.scale_out_load:
        reason = f"Scale out: {seen}: most nodes are full. New instances belong on new nodes."
        return NodeAdvice("scale_out", skewness, mean, None, (), reason)
    target = find_room(nodes, instance or Usage(0.0, 0.0), thresholds.fullest)
    if target is None:
        reason = f"Scale out: {seen}; in place no node has room for another instance (eq. 22)."
        return NodeAdvice("scale_out", skewness, mean, None, (), reason)
    reason = f"In place: {seen}; {target} is the least loaded that has room."
    return NodeAdvice("in_place", skewness, mean, target, (), reason)


def find_skewness(loads: Sequence[float]) -> tuple[float, bool]:
    """SK, and whether it is defined."""
    count = len(loads)
    mean = fsum(loads) / count
    sigma = sqrt(fsum((load - mean) ** 2 for load in loads) / count)
    if count < 3 or sigma <= 1e-9 * max(mean, 1e-9):
        return 0.0, False
    cubes = fsum(((load - mean) / sigma) ** 3 for load in loads)
    return count * cubes / ((count - 1) * (count - 2)), True


def find_room(nodes: Sequence[Node], instance: Usage, fullest: Usage) -> str | None:
    """The least loaded node with R + r ≤ α in all three (eq. 22); the first on ties."""
    for node in sorted(nodes, key=lambda one: one.usage.load):
        usage = node.usage
        if (
            usage.cpu + instance.cpu <= fullest.cpu
            and usage.memory + instance.memory <= fullest.memory
            and usage.io + instance.io <= fullest.io
        ):
            return node.name
    return None
