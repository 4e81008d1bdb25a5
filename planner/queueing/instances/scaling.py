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

    Where more than `most` were seen to serve no more, it is at most that. At the peak k·μ(k) has the derivative 0:
    κ(1 + γ)k² + γ(σ − κ)k = (1 − γ)(1 − σ).
    """
    if scaling.gamma >= 1.0:
        return 1
    if scaling.most is not None:
        return min(scaling.most, find_peak(scaling._replace(most=None)) or scaling.most)
    gamma, sigma, kappa = scaling.gamma, scaling.sigma, scaling.kappa
    square, slope, level = (
        kappa * (1.0 + gamma),
        gamma * (sigma - kappa),
        (1.0 - gamma) * max(1.0 - sigma, 0.0),
    )
    root = slope + sqrt(slope * slope + 4.0 * square * level)
    at = 2.0 * level / root if root > 0.0 else inf if level or not square else 0.0
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
