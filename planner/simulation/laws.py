"""Laws of service times: how they are checked, derived from a load, and used to draw service times."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from planner.arrays import Floats
from planner.errors import InvalidLoad
from planner.values import Diagnostic, OperatorLoad, ServiceBucket
from planner.wording import join_names, write_factor, write_percent

Sampler = Callable[[np.random.Generator, int], Floats]
MOST_STRETCH = 0.05
"""The largest stretch of a histogram without a diagnostic; buckets of 1/8 octave alone can cause 1%."""
KINDS = ("exponential", "deterministic", "gamma", "lognormal", "histogram")


@dataclass(frozen=True, slots=True)
class ServiceLaw:
    """The law of a service time; within a bucket of a histogram all times are equally likely.

    `scv` is used by gamma and lognormal. A histogram with a `mean_seconds` above 0 is stretched to that mean.
    """

    kind: str
    mean_seconds: float = 0.0
    scv: float = 1.0
    buckets: tuple[ServiceBucket, ...] = ()


def check_law(law: ServiceLaw, operator: str, pointer: str) -> None:
    """Raise InvalidLoad, with the pointer of the field to change, unless service times can be drawn by the law."""
    if law.kind not in KINDS:
        refuse(
            f"No service law is called {law.kind!r} (operator {operator!r}): use {', '.join(KINDS)}.",
            f"{pointer}/kind",
        )
    if law.kind == "histogram":
        check_buckets(law.buckets, operator, f"{pointer}/buckets")
        if not 0.0 <= law.mean_seconds < math.inf:
            refuse(
                f"mean_seconds of the histogram of operator {operator!r} is {law.mean_seconds}: give a mean above 0 to "
                "which the histogram is stretched, or leave it out.",
                f"{pointer}/mean_seconds",
            )
        return
    if not 0.0 < law.mean_seconds < math.inf:
        refuse(
            f"mean_seconds of the services of operator {operator!r} is {law.mean_seconds}: give a finite number "
            "above 0.",
            f"{pointer}/mean_seconds",
        )
    if not 0.0 <= law.scv < math.inf:
        refuse(
            f"scv of the services of operator {operator!r} is {law.scv}: give a finite number of at least 0.",
            f"{pointer}/scv",
        )


def check_buckets(buckets: tuple[ServiceBucket, ...], operator: str, pointer: str) -> None:
    """Raise InvalidLoad unless the bounds of a histogram rise from above 0, and counts are at least 0 and not all 0."""
    previous = 0.0
    for place, bucket in enumerate(buckets):
        if not previous < bucket.upper_seconds < math.inf:
            refuse(
                f"upper_seconds of operator {operator!r} must be above 0 and rise from bucket to bucket: "
                f"{bucket.upper_seconds:g} does not.",
                f"{pointer}/{place}/upper_seconds",
            )
        if bucket.services < 0:
            refuse(
                f"A bucket of operator {operator!r} has {bucket.services} services: give a count of at least 0.",
                f"{pointer}/{place}/count",
            )
        previous = bucket.upper_seconds
    if not any(bucket.services for bucket in buckets):
        refuse(
            f"The histogram of operator {operator!r} has no service in any bucket: give counts, or another law.",
            pointer,
        )


def refuse(detail: str, pointer: str) -> None:
    """Raise InvalidLoad about the argument `services`, with a detail and the pointer of the part to change."""
    raise InvalidLoad(detail, pointer, "services")


def assume_law(measured: OperatorLoad) -> ServiceLaw:
    """The law of services that an operator's measurements suggest: its histogram stretched to its mean, or else gamma.

    An SCV that is not measured is 1.
    """
    assert measured.service_rate is not None, "check_load ran before"
    mean = 1.0 / measured.service_rate
    if measured.service_histogram:
        return ServiceLaw("histogram", mean, buckets=measured.service_histogram)
    scv = 1.0 if measured.service_scv is None else measured.service_scv
    return simplify(ServiceLaw("gamma", mean, scv))


def simplify(law: ServiceLaw) -> ServiceLaw:
    """The same law of service times in the kind that is drawn fastest: an SCV of 0 is deterministic, gamma of 1
    exponential.
    """
    if law.kind in {"gamma", "lognormal"} and law.scv == 0.0:
        return replace(law, kind="deterministic")
    if law.kind == "gamma" and law.scv == 1.0:
        return replace(law, kind="exponential")
    return law


def read_histogram(law: ServiceLaw) -> tuple[Floats, Floats]:
    """The bounds of the buckets of a histogram from 0 up, stretched to the law's mean, and the share of services up to
    each.
    """
    bounds = np.array([0.0, *(bucket.upper_seconds for bucket in law.buckets)])
    reached = np.cumsum([0.0, *(float(bucket.services) for bucket in law.buckets)])
    reached /= reached[-1]
    if law.mean_seconds:
        bounds *= law.mean_seconds / mean_of_buckets(bounds, reached)
    return bounds, reached


def mean_of_buckets(bounds: Floats, reached: Floats) -> float:
    """The mean of a histogram: Σ pᵦ·(lowᵦ + highᵦ)/2."""
    return float(np.sum(np.diff(reached) * (bounds[1:] + bounds[:-1])) / 2.0)


@lru_cache(maxsize=4096)  # a gate estimates one load many times
def find_stretch(buckets: tuple[ServiceBucket, ...], service_rate: float) -> float:
    """The factor by which a measured histogram is stretched, so that its mean is 1/service_rate."""
    if not any(bucket.services for bucket in buckets):
        return 1.0
    return 1.0 / service_rate / find_mean(ServiceLaw("histogram", buckets=buckets))


def describe_stretched(operators: Mapping[str, OperatorLoad]) -> tuple[Diagnostic, ...]:
    """The diagnostic about operators whose histogram has clearly another mean than 1/service_rate."""
    stretches = {
        name: find_stretch(one.service_histogram, one.service_rate)
        for name, one in operators.items()
        if one.service_histogram and one.service_rate is not None
    }
    clear = {name: stretch for name, stretch in stretches.items() if abs(stretch - 1.0) > MOST_STRETCH}
    if not clear:
        return ()
    listed = join_names([f"{name} ({write_factor(stretch)})" for name, stretch in clear.items()])
    detail = (
        f"service_histogram and service_rate disagree by more than {write_percent(MOST_STRETCH)} at {listed}: for "
        "quantiles and simulations the histogram is stretched to the mean 1/service_rate. Measure both over the same "
        "interval, in seconds, with narrow buckets: within a bucket all times count as equally likely."
    )
    return (Diagnostic("histogram-disagrees", detail, tuple(clear)),)


def find_mean(law: ServiceLaw) -> float:
    """The mean service time in seconds."""
    return mean_of_buckets(*read_histogram(law)) if law.kind == "histogram" else law.mean_seconds


def find_scv(law: ServiceLaw) -> float:
    """The SCV of a law of service times: variance / mean²; of a histogram (Σ pᵦ·(low² + low·high + high²)/3) / mean² −
    1.
    """
    if law.kind == "histogram":
        bounds, reached = read_histogram(law)
        low, high = bounds[:-1], bounds[1:]
        second = float(np.sum(np.diff(reached) * (low * low + low * high + high * high)) / 3.0)
        return second / mean_of_buckets(bounds, reached) ** 2 - 1.0
    return {"exponential": 1.0, "deterministic": 0.0}.get(law.kind, law.scv)


def shape_lognormal(law: ServiceLaw) -> tuple[float, float]:
    """The mean μ and the deviation σ of a lognormal law's logarithm: σ² = ln(1 + scv), μ = ln(mean) − σ²/2."""
    variance = math.log1p(law.scv)
    return math.log(law.mean_seconds) - variance / 2.0, math.sqrt(variance)


def make_sampler(law: ServiceLaw) -> Sampler:
    """A function that draws service times in seconds; gamma has shape 1/scv and scale mean·scv."""
    if law.kind == "exponential":
        return lambda random, count: random.exponential(law.mean_seconds, count)
    if law.kind == "gamma":
        return lambda random, count: random.gamma(1.0 / law.scv, law.mean_seconds * law.scv, count)
    if law.kind == "lognormal":
        place, scale = shape_lognormal(law)
        return lambda random, count: random.lognormal(place, scale, count)
    if law.kind == "histogram":
        bounds, reached = read_histogram(law)
        return lambda random, count: np.interp(random.random(count), reached, bounds)
    return lambda _random, count: np.full(count, law.mean_seconds)
