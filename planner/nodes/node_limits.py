"""Whether an instance has room on a node: no resource is filled above its limit (Es-Stream, eq. 22).

R + r_new ≤ α        in cpu, memory and io, with R in use on the node and r_new what the instance takes (eq. 21)
"""

from planner.nodes.usage import Usage

# Sums of decimal fractions miss a limit by some 1e-16 each; no instance is turned away for that.
ROUNDING = 1e-9


def has_room(in_use: Usage, instance: Usage, limits: Usage) -> bool:
    """R + r_new ≤ α in all three (eq. 22)."""
    return (
        in_use.cpu + instance.cpu <= limits.cpu + ROUNDING
        and in_use.memory + instance.memory <= limits.memory + ROUNDING
        and in_use.io + instance.io <= limits.io + ROUNDING
    )
