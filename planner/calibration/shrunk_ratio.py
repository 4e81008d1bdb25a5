"""The factor of one operator: measured over modelled wait, pooled over intervals and shrunk by its noise.

    c = Σ nⱼ·min(Mⱼ, 8Wⱼ) / Σ nⱼWⱼ,    factor = exp(s·ln c),    s = τ²/(τ² + σ²),

with the tuples nⱼ of interval j, its measured wait Mⱼ and modelled wait Wⱼ. τ is the spread of ln c that the known
error of the model leads one to expect, σ² the variance of ln c by sampling: the normal posterior mean. σ² follows from
loads and processors alone. Were it estimated from the scatter of the measured ratios, one interval of very long waits
would raise it, and so lower the factor; so a longer measured wait never lowers the factor.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, log, sqrt

# The spread of true waits about modelled ones, in logarithms: 0.1 to 0.4 in simulations (docs/models/calibration.md).
PRIOR_SPREAD = log(1.5)
# A factor beyond these bounds has another cause than the error of a model: other queues, or wrong measurements.
LARGEST, SMALLEST = 8.0, 1.0 / 8.0


@dataclass(frozen=True, slots=True)
class SeenWait:
    """One interval: measured and modelled wait, the relative variance of the measured one, and its weight in tuples."""

    place: int
    measured_seconds: float
    modelled_seconds: float
    noise: float
    tuples: float


@dataclass(frozen=True, slots=True)
class ShrunkRatio:
    """The ratio as measured, and the factor that is left of it; `is_bounded`: it was beyond the bounds."""

    factor: float
    ratio: float
    shrinkage: float
    scatter: float | None
    is_bounded: bool


def shrink_ratio(seen: Sequence[SeenWait], prior_spread: float = PRIOR_SPREAD) -> ShrunkRatio:
    """The factor by the intervals, of which there is at least one; modelled waits are above 0."""
    weights = [one.tuples * one.modelled_seconds for one in seen]
    total = fsum(weights)
    ratios = [one.measured_seconds / one.modelled_seconds for one in seen]
    ratio = fsum([weight * one for weight, one in zip(weights, ratios, strict=True)]) / total
    bounded = [weight * min(one, LARGEST) for weight, one in zip(weights, ratios, strict=True)]
    kept = max(fsum(bounded) / total, SMALLEST)
    parts = [(weight / total) ** 2 * one.noise for weight, one in zip(weights, seen, strict=True)]
    shrinkage = prior_spread**2 / (prior_spread**2 + fsum(parts))
    return ShrunkRatio(
        factor=exp(shrinkage * log(kept)),
        ratio=ratio,
        shrinkage=shrinkage,
        scatter=find_scatter(ratios, [weight / total for weight in weights]),
        is_bounded=kept > ratio or max(ratios) > LARGEST,
    )


def find_scatter(ratios: Sequence[float], shares: Sequence[float]) -> float | None:
    """The standard deviation of the ratios over their mean; None for one interval, or where nothing waited."""
    mean = fsum([share * one for share, one in zip(shares, ratios, strict=True)])
    if len(ratios) < 2 or mean <= 0.0:
        return None
    return sqrt(fsum([share * (one / mean - 1.0) ** 2 for share, one in zip(shares, ratios, strict=True)]))
