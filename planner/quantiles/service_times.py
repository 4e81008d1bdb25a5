"""Service times of many tuples: drawn from the histogram where one was measured, else gamma on mean and SCV.

The mean is always 1/service_rate, as in E[T]. The histogram gives the shape: within a bucket services spread evenly in
their logarithm, and the first bucket is taken to be as wide as the second.
"""

from collections.abc import Callable, Sequence

import numpy as np

from planner.arrays import Floats
from planner.values import OperatorLoad, ServiceBucket

Sampler = Callable[[np.random.Generator, int], Floats]
"""Draws service times in seconds: as many as it is asked for."""

# np.random.Generator.standard_gamma gives only zeros at shapes far below this.
LARGEST_SCV = 1e6


def make_sampler(measured: OperatorLoad) -> Sampler:
    """The service times of one operator."""
    assert measured.service_rate is not None  # measure_flow refuses a load without one
    mean = 1.0 / measured.service_rate
    if measured.service_histogram:
        return sample_histogram(measured.service_histogram, mean)
    return sample_gamma(mean, 1.0 if measured.service_scv is None else measured.service_scv)


def sample_gamma(mean: float, scv: float) -> Sampler:
    """Gamma of shape 1/SCV: exponential at 1, constant at 0."""
    if scv == 0.0:
        return lambda _rng, size: np.full(size, mean)
    if scv == 1.0:
        return lambda rng, size: rng.standard_exponential(size) * mean
    shape = 1.0 / min(scv, LARGEST_SCV)
    return lambda rng, size: rng.standard_gamma(shape, size) * (mean / shape)


def sample_histogram(buckets: Sequence[ServiceBucket], mean: float) -> Sampler:
    """The histogram's shape, scaled to `mean`."""
    upper, lower = bound_buckets(buckets)
    services = np.array([bucket.services for bucket in buckets], np.float64)
    kept = services > 0.0
    upper, lower, services = upper[kept], lower[kept], services[kept]
    ends = np.cumsum(services)
    starts = ends - services
    scale = mean * ends[-1] / float(np.sum(services * average_buckets(lower, upper)))
    span = np.where(lower > 0.0, np.log(upper / np.where(lower > 0.0, lower, 1.0)), 0.0)

    def sample(rng: np.random.Generator, size: int) -> Floats:
        place = rng.random(size) * ends[-1]
        at = np.minimum(np.searchsorted(ends, place, side="right"), len(ends) - 1)
        within = (place - starts[at]) / services[at]
        low = lower[at]
        drawn: Floats = np.where(low > 0.0, low * np.exp(within * span[at]), within * upper[at])
        drawn *= scale
        return drawn

    return sample


def bound_buckets(buckets: Sequence[ServiceBucket]) -> tuple[Floats, Floats]:
    """Upper and lower bounds; a bucket begins where the one before ends, and the first is as wide as the second."""
    upper = np.array([bucket.upper_seconds for bucket in buckets], np.float64)
    first = upper[0] * upper[0] / upper[1] if len(upper) > 1 and upper[0] > 0.0 else 0.0
    return upper, np.concatenate(([first], upper[:-1]))


def average_buckets(lower: Floats, upper: Floats) -> Floats:
    """The mean within each bucket: (b − a)/ln(b/a) where services spread evenly in their logarithm, b/2 from 0."""
    positive = lower > 0.0
    ratio = np.where(positive, upper / np.where(positive, lower, 1.0), np.e)
    return np.where(positive, (upper - lower) / np.log(ratio), upper / 2.0)
