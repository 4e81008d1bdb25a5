"""Capacity that bends: how fast one of k processors is, where locks, network or disks are shared.

    μ(k) = μ₁·s(k),   s(k) = k^−γ / (1 + σ(k − 1) + κk(k − 1))        (power law, Gunther's universal scalability law)

The capacity k·μ(k) has a peak where κ > 0; more processors than there would serve less.
"""

from collections.abc import Callable
from math import ceil, floor, inf, sqrt
from typing import Any, NamedTuple

from planner.values import Scaling
from planner.wording import write_percent

LEAST_APART = 1.2
"""The least ratio of two numbers of processors that are compared."""
LEAST_BROUGHT = 0.2
"""A change brought nothing where capacity grew by less than this part of what the processors grew by."""
Real = Any  # a float or an array of floats
FARTHEST = 2**40
"""The largest number of processors that is tried."""


def slow_down(scaling: Scaling, k: Real) -> Real:
    """The part s(k) of its speed alone that each of k processors keeps."""
    return k**-scaling.gamma / (1.0 + scaling.sigma * (k - 1.0) + scaling.kappa * k * (k - 1.0))


class FutileChange(NamedTuple):
    """A change to more processors after which hardly more could be served; `grown` is by which part more."""

    before: int
    after: int
    grown: float


def judge_change(before: int, rate_before: float, after: int, rate_after: float) -> FutileChange | None:
    """The change to more processors, with the service rates of one of them, if it brought nothing; else None."""
    if after < LEAST_APART * before:
        return None
    grown = after * rate_after / (before * rate_before) - 1.0
    return FutileChange(before, after, grown) if grown < LEAST_BROUGHT * (after / before - 1.0) else None


def describe_futile(name: str, futile: tuple[int, int, float]) -> str:
    """A sentence on a change of processors that brought nothing."""
    before, after, grown = futile
    more = f"{write_percent(abs(grown))} {'more' if grown >= 0.0 else 'less'}"
    return f"{before} → {after} processors at {name} served {more}."


def find_peak(scaling: Scaling) -> int | None:
    """The number of processors that serve most together; None where more always serve more, up to FARTHEST.

    Where a change to more was futile, it is at most what ran before. At the peak k·μ(k) has the derivative 0:
    κ(1 + γ)k² + γ(σ − κ)k = (1 − γ)(1 − σ).
    """
    if scaling.gamma >= 1.0:
        return 1
    if scaling.futile is not None:
        before = scaling.futile[0]
        return min(before, find_peak(scaling._replace(futile=None)) or before)
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
