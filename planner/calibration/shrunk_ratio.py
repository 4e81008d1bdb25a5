"""The factor of one operator: measured over modelled wait, pooled over intervals and shrunk by its noise.

    c = Σ nⱼ·min(Mⱼ, 8Wⱼ) / Σ nⱼWⱼ,    factor = exp(s·ln c),    s = τ²/(τ² + σ²),

with the tuples nⱼ of interval j, its measured wait Mⱼ and modelled wait Wⱼ. τ is the spread of ln c that the known
error of the model leads one to expect, σ² the variance of ln c by sampling: the normal posterior mean. σ² follows from
loads and processors alone. Were it estimated from the scatter of the measured ratios, one interval of very long waits
would raise it, and so lower the factor; so a longer measured wait never lowers the factor.

Waits of neighbouring tuples are alike, so that n tuples tell less than n independent waits. The relative variance of
their mean, the noise of a measured wait, is about

    (2/P − 1) · min(1, (1 + 2ρ(a + s)/(1 − ρ)²)/n)

The first factor belongs to one wait, which is 0 with probability 1 − P and else exponential; the second is the length
of the correlation in tuples, from the exact M/M/1 (Daley 1968): (2 + 5ρ − 4ρ² + ρ³)/(ρ(1 − ρ)²) in all. a and s are the
SCVs of arrivals and services; bursts count by their index of dispersion in place of a. Against simulations of shared
and own queues with 1 to 16 processors it is right within 40% (tests/planner/calibration/
test_shrunk_ratio_sampling_noise.py).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, fsum, log, sqrt
from typing import NamedTuple

from planner.values import SHARED, OperatorLoad, Queueing

# The spread of true waits about modelled ones, in logarithms: 0.1 to 0.4 in simulations (docs/models/calibration.md).
PRIOR_SPREAD = log(1.5)
# A factor beyond these bounds is not caused by the error of a model, but by other queues or wrong measurements.
LARGEST, SMALLEST = 8.0, 1.0 / 8.0


@dataclass(frozen=True, slots=True)
class SeenWait:
    """An interval in which a wait was measured: measured and modelled wait, the measured one's noise, and a weight.

    The noise is the relative variance by chance; the weight is the number of tuples.
    """

    place: int
    measured_seconds: float
    modelled_seconds: float
    noise: float
    tuples: float


@dataclass(frozen=True, slots=True)
class ShrunkRatio:
    """The ratio of measured to modelled wait, and the factor after shrinking; `is_bounded`: the ratio met a bound."""

    factor: float
    ratio: float
    shrinkage: float
    scatter: float | None
    is_bounded: bool


def shrink_ratio(seen: Sequence[SeenWait], prior_spread: float = PRIOR_SPREAD) -> ShrunkRatio:
    """The factor of modelled waits from at least one interval, shrunk towards 1; modelled waits are above 0."""
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


# The relative variance of a mean wait if the number of tuples is unknown: as for a minute at some hundred tuples/s.
UNKNOWN_NOISE = 0.04
LEAST = 1e-12


class Waits(NamedTuple):
    """The inputs from which the noise of a measured wait follows: the number of tuples, or None, and how they wait.

    `variability` is the sum of the SCVs of arrivals and services.
    """

    tuples: float | None
    utilisation: float
    probability: float
    variability: float


def find_noise(waits: Waits) -> float:
    """The relative variance by chance of a measured mean wait."""
    if waits.tuples is None:
        return UNKNOWN_NOISE
    spare = max(1.0 - waits.utilisation, LEAST)
    alike = 1.0 + 2.0 * waits.utilisation * waits.variability / spare**2
    return (2.0 / max(waits.probability, LEAST) - 1.0) * min(1.0, alike / max(waits.tuples, LEAST))


def guess_probability(wait_in_services: float, utilisation: float, variability: float) -> float:
    """The part of the tuples that wait, from their mean wait in services of all servers of a queue.

    Tuples that wait at all wait for (a + s)/2/(1 − ρ) of these services, with a + s = `variability` and ρ the
    utilisation: exactly for M/M/k, nearly for others.
    """
    if variability <= 0.0:
        return 1.0
    return min(1.0, 2.0 * wait_in_services * max(1.0 - utilisation, 0.0) / variability)


def find_variability(one: OperatorLoad, bursts: float, queueing: Queueing | None, processors: int) -> float:
    """The sum a + s for the queue of a tuple: a is the larger of arrival SCV and index of dispersion, s the service
    SCV.

    The stream to one of k instances has 1 + (a − 1)/k. Streams dealt in turn vary less, but then the instances are
    alike. An SCV that is not measured is 1.
    """
    arrivals = max(1.0 if one.arrival_scv is None else one.arrival_scv, bursts)
    services = 1.0 if one.service_scv is None else one.service_scv
    if queueing in {None, SHARED}:
        return arrivals + services
    return 1.0 + (arrivals - 1.0) / processors + services


def find_bursts(operators: Iterable[OperatorLoad]) -> float:
    """The largest index of dispersion over the longest window of any operator, since bursts travel; 0 if
    none is known.
    """
    return max((one.arrival_idc[-1].idc for one in operators if one.arrival_idc), default=0.0)
