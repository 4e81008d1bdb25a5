"""How variable services are by a histogram of their times: the SCV with its interval, near 1 while services are few.

Within a bucket all times are equally likely, as for drawn services. The interval covers that too: times may lie at the
mean of their bucket, or at its ends.
"""

from functools import lru_cache
from math import isfinite, sqrt

import numpy as np

from planner.values import ScvEstimate, ServiceBucket

TWO_SIDED = 1.96
"""Standard deviations to either side of an estimate that hold 95% of it."""


@lru_cache(maxsize=4096)  # a plan surveys one load many times
def measure_buckets(buckets: tuple[ServiceBucket, ...]) -> ScvEstimate | None:
    """The SCV of services with this histogram; None without services, and beyond what can be computed."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        found = sum_up(buckets)
    return found if found is not None and isfinite(found.high) and isfinite(found.scv) else None


def sum_up(buckets: tuple[ServiceBucket, ...]) -> ScvEstimate | None:
    """The SCV of services with this histogram; not finite where numbers are too large or too small.

    The variance by chance is that of (second moment)/mean² − 1 by the delta method, and at least what one service more
    could change. With a prior deviation of 1 the estimate is drawn to 1, as if nothing were known.
    """
    services = np.array([float(one.services) for one in buckets])
    number = float(services.sum())
    if number < 1.0:
        return None
    high = np.array([one.upper_seconds for one in buckets])
    low = np.concatenate([[0.0], high[:-1]])
    scale = float((services * (low + high)).sum()) / 2.0 / number
    first, last, shares = low / scale, high / scale, services / number
    second, third, fourth = (
        float((shares * sum(first**i * last ** (power - i) for i in range(power + 1))).sum()) / (power + 1)
        for power in (2, 3, 4)
    )
    scv = second - 1.0
    # d(m₂/m₁²) = dm₂ − 2 m₂ dm₁ at m₁ = 1, the variance of which follows from the first four moments
    spread = fourth - second**2 - 4.0 * second * (third - second) + 4.0 * second**2 * scv
    variance = (max(spread, 0.0) + 4.0) / number
    kept = 1.0 / (1.0 + variance)
    within = float((shares * (last - first) ** 2).sum()) / 12.0
    shrunk, aside = 1.0 + kept * (scv - 1.0), TWO_SIDED * sqrt(kept * variance)
    most = shrunk + aside + 2.0 * within
    return ScvEstimate(max(shrunk, 0.0), max(shrunk - aside - within, 0.0), most, "histograms of services")
