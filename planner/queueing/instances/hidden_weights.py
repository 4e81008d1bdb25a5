"""How much the busiest instance may get where only sums of key groups are known, as plans must be ready for.

Measured instances that held several groups each tell the sums of their groups, not the groups. How unevenly these sums
spread tells how unevenly groups do: with n instances of gₓ groups and shares Sₓ, and the mean weight w = 1/M,

    c² = (Σ (Sₓ − gₓ w)²/(gₓ w²) + c₀²)/n       the squared coefficient of variation of a group's weight

An instance that would get r of the g groups of x has their mean part, with the variance r(1 − r/g)c²wₓ². Its share is
taken as lognormal. So where nothing is hidden, shares are what they are; and where much is, the busiest of k instances
gets a part that it does not exceed in LEVEL of the cases.
"""

import re
from collections.abc import Sequence

import numpy as np

from planner.arrays import Floats, Indices
from planner.values import InstanceLoad

PRIOR_VARIATION = 0.3
"""c₀: hashed keys spread that unevenly over groups, before anything was measured."""
LEVEL = 0.9


def order_name(name: str) -> list[tuple[int, str]]:
    """The key that sorts names with numbers by these numbers: score-2 before score-10."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", name)]


def expect_shares(instances: Sequence[InstanceLoad], before: Indices, after: Indices, k: int) -> Floats:
    """The share of each of k instances that are dealt groups by `after`, ready for uneven groups; in sum 1.

    `before` has the instance that held each group, by its place in the natural order of the names.
    """
    from scipy.special import ndtri  # noqa: PLC0415  # few loads need it, and it takes long to import

    ordered_names = sorted(instances, key=lambda one: order_name(one.instance))
    seen = np.array([one.share for one in ordered_names])
    held, weight = np.bincount(before, minlength=len(seen)).astype(np.float64), 1.0 / len(before)
    seen, held = seen[held > 0.0] / seen[held > 0.0].sum(), held[held > 0.0]
    spread = (((seen - held * weight) ** 2 / (held * weight**2)).sum() + PRIOR_VARIATION**2) / len(seen)
    each = seen / held
    parts = np.zeros((len(seen), k))
    np.add.at(parts, (np.unique(before, return_inverse=True)[1], after), 1.0)
    mean: Floats = each @ parts
    variance = spread * (parts * (1.0 - parts / held[:, None]) * (each**2)[:, None]).sum(axis=0)
    width = np.sqrt(np.log1p(variance / np.where(mean > 0.0, mean, 1.0) ** 2))
    unsure = np.flatnonzero(width > 0.0)
    if not unsure.size:
        return mean
    ordered = unsure[np.argsort(-mean[unsure], kind="stable")]
    ranks = 1.0 - (np.arange(1, unsure.size + 1) - 0.375) / (unsure.size + 0.25)  # expected order statistics
    likely: Floats = mean.copy()
    likely[ordered] *= np.exp(width[ordered] * ndtri(ranks) - width[ordered] ** 2 / 2.0)
    likely /= likely.sum()
    bound = mean[unsure] * np.exp(
        width[unsure] * ndtri(LEVEL ** (1.0 / unsure.size)) - width[unsure] ** 2 / 2.0
    )
    hottest, most = int(np.argmax(likely)), min(float(bound.max()), 1.0)
    if most > likely[hottest]:
        others = np.arange(k) != hottest
        likely[others] *= (1.0 - most) / likely[others].sum() if likely[others].any() else 0.0
        likely[hottest] = most
    return likely
