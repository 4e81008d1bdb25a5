"""How far the mean wait of a finite number of tuples strays from the long run, by the load alone.

Waits of neighbouring tuples are alike, so that n tuples say less than n independent waits. The relative variance of
their mean is about

    (2/P − 1) · min(1, (1 + 2ρ(a + s)/(1 − ρ)²)/n)

The first factor is that of one wait, which is 0 with probability 1 − P and else exponential; the second is the length
of the correlation in tuples, from the exact M/M/1 (Daley 1968): (2 + 5ρ − 4ρ² + ρ³)/(ρ(1 − ρ)²) in all. a and s are the
SCVs of arrivals and services; bursts count by their index of dispersion in place of a. Against simulations of shared
and own queues with 1 to 16 processors it is right within 40% (tests/planner/calibration/test_sampling_noise.py).
The variance depends on nothing that was measured of waits.
"""

from collections.abc import Iterable
from typing import NamedTuple

from planner.values import SHARED, OperatorLoad, Queueing

# Relative variance of a mean wait where the number of tuples is not known: that of a minute at some hundred tuples/s.
UNKNOWN_NOISE = 0.04
LEAST = 1e-12


class Waits(NamedTuple):
    """What the noise depends on: how many tuples (None: not known), and how they wait; `variability` is a + s."""

    tuples: float | None
    utilisation: float
    probability: float
    variability: float


def find_noise(waits: Waits) -> float:
    """The relative variance of the mean wait."""
    if waits.tuples is None:
        return UNKNOWN_NOISE
    spare = max(1.0 - waits.utilisation, LEAST)
    alike = 1.0 + 2.0 * waits.utilisation * waits.variability / spare**2
    return (2.0 / max(waits.probability, LEAST) - 1.0) * min(1.0, alike / max(waits.tuples, LEAST))


def guess_probability(wait_in_services: float, utilisation: float, variability: float) -> float:
    """The part of the tuples that wait, from their mean wait W in services of all servers of a queue.

    Those who wait, wait (a + s)/2 of these services over 1 − ρ: exactly for M/M/k, about so for others.
    """
    if variability <= 0.0:
        return 1.0
    return min(1.0, 2.0 * wait_in_services * max(1.0 - utilisation, 0.0) / variability)


def find_variability(one: OperatorLoad, bursts: float, queueing: Queueing | None, processors: int) -> float:
    """a + s where a tuple queues: a is the SCV of arrivals, or their index of dispersion where that is larger.

    The stream to one of k instances has 1 + (a − 1)/k. Where tuples are dealt in turn it varies less, but its
    instances are alike. An SCV that is not measured is 1.
    """
    arrivals = max(1.0 if one.arrival_scv is None else one.arrival_scv, bursts)
    services = 1.0 if one.service_scv is None else one.service_scv
    if queueing in {None, SHARED}:
        return arrivals + services
    return 1.0 + (arrivals - 1.0) / processors + services


def find_bursts(operators: Iterable[OperatorLoad]) -> float:
    """The largest index of dispersion over the longest window of any operator: bursts travel; 0 where none is known."""
    return max((one.arrival_idc[-1].idc for one in operators if one.arrival_idc), default=0.0)
