"""Capacity that bends: how fast one of k processors is, where locks, network or disks are shared.

    μ(k) = μ₁·s(k),   s(k) = k^−γ / (1 + σ(k − 1) + κk(k − 1))        (power law, Gunther's universal scalability law)

The capacity k·μ(k) has a peak where κ > 0; more processors than there would serve less.
"""

from collections.abc import Callable
from math import ceil, floor, inf, sqrt
from typing import Any

from planner.values import Scaling

Real = Any  # a float or an array of floats
FARTHEST = 2**40
"""The largest number of processors that is tried."""


def slow_down(scaling: Scaling, k: Real) -> Real:
    """The part s(k) of its speed alone that each of k processors keeps."""
    return k**-scaling.gamma / (1.0 + scaling.sigma * (k - 1.0) + scaling.kappa * k * (k - 1.0))


def find_peak(scaling: Scaling) -> int | None:
    """The number of processors that serve most together; None where more always serve more, up to FARTHEST.

    A scaling has gamma alone, or sigma and kappa.
    """
    if scaling.gamma >= 1.0:
        return 1
    at = sqrt(max(1.0 - scaling.sigma, 0.0) / scaling.kappa) if scaling.kappa > 0.0 else inf
    if at > FARTHEST:
        return None
    return max((max(floor(at), 1), max(ceil(at), 1)), key=lambda k: (k * slow_down(scaling, float(k)), -k))


def find_first(is_enough: Callable[[int], bool], least: int, most: int) -> int | None:
    """The first count from `least` to `most` that is enough, where all after it are too; None if there is none."""
    if least > most:
        return None
    low, high = least - 1, least
    while not is_enough(high):
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
