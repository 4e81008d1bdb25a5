"""How far the mean wait of a finite number of tuples strays from the long run, by the load alone.

Waits of neighbouring tuples are alike, so that n tuples say less than n independent waits. The relative variance of
their mean is about

    (2/P − 1) · min(1, (1 + 2ρ(a + s)/(1 − ρ)²)/n)

The first factor is that of one wait, which is 0 with probability 1 − P and else exponential; the second is the length
of the correlation in tuples, from the exact M/M/1 (Daley 1968): (2 + 5ρ − 4ρ² + ρ³)/(ρ(1 − ρ)²) in all. a and s are the
SCVs of arrivals and services; bursts count by their index of dispersion in place of a. Against simulations of shared
and own queues with 1 to 16 processors it is right within a third (tests/planner/calibration/test_sampling_noise.py).
The variance depends on nothing that was measured of waits.
"""

from collections.abc import Iterable
from typing import NamedTuple

from planner.values import OperatorLoad

# Relative variance of a mean wait where the number of tuples is not known: that of a minute at some hundred tuples/s.
UNKNOWN_NOISE = 0.04


class Queue(NamedTuple):
    """What the noise depends on: the number of tuples (None: not known) and the queue, with its modelled wait.

    `servers` is the number of processors that take from one queue.
    """

    tuples: float | None
    utilisation: float
    servers: int
    service_rate: float
    variability: float
    wait_seconds: float


def find_noise(queue: Queue) -> float:
    """The relative variance of the mean wait."""
    if queue.tuples is None:
        return UNKNOWN_NOISE
    spare = max(1.0 - queue.utilisation, 1e-12)
    # Those who wait, wait (a + s)/2 services of all servers of the queue, over 1 − ρ.
    waiting = 2.0 * queue.servers * queue.service_rate * spare * queue.wait_seconds
    probability = min(1.0, max(waiting / max(queue.variability, 1e-12), 1e-12))
    alike = 1.0 + 2.0 * queue.utilisation * queue.variability / spare**2
    return (2.0 / probability - 1.0) * min(1.0, alike / max(queue.tuples, 1e-12))


def find_variability(one: OperatorLoad, bursts: float) -> float:
    """a + s: the SCV of arrivals, or their index of dispersion over long windows where it is larger; 1 if unknown."""
    arrivals = 1.0 if one.arrival_scv is None else one.arrival_scv
    services = 1.0 if one.service_scv is None else one.service_scv
    return max(arrivals, bursts) + services


def find_bursts(operators: Iterable[OperatorLoad]) -> float:
    """The largest index of dispersion over the longest window of any operator: bursts travel; 0 where none is known."""
    return max((one.arrival_idc[-1].idc for one in operators if one.arrival_idc), default=0.0)
