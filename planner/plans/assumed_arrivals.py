"""The law of arrivals that a simulation inside a plan takes for the external stream, from what was measured of it.

Without bursts gaps are independent, with the measured SCV; where nothing was measured, arrivals are Poisson. Bursts are
those of a Markov-modulated Poisson process whose index of dispersion is nearest to the measured one,

    I(t) = 1 + c·(1 − (1 − e^(−t/τ))/(t/τ)),   c = 2λτ·p(b − 1)²/(1 − p)      (rate bλ during the part p of the time)

I(t) does not tell p. p = USUAL_PART is taken, or less where the rate varies more than such bursts can.
"""

from collections.abc import Iterable, Sequence
from math import sqrt

import numpy as np

from planner.arrays import Floats
from planner.queueing.carried_bursts import Source, find_source
from planner.queueing.streams import Station, find_stations
from planner.simulation.arrivals import ArrivalLaw
from planner.topology.network import index_topology
from planner.values import Load, Topology

LEAST_BURSTY = 1.5
"""An index of dispersion below says nothing of bursts: it is measured with an error of some tenths."""
USUAL_PART = 0.2
TRIED = 60
REGULAR, POISSON_LIKE = 0.02, 0.1


def assume_arrivals(topology: Topology, load: Load, arrival_rates: Sequence[float]) -> ArrivalLaw:
    """The law of the external stream, of which the operators that it enters measure the arrivals."""
    stations = find_stations(topology, load, arrival_rates)
    network = index_topology(topology)
    shares = dict(zip(network.names, network.shares, strict=True))
    source = find_source(load, stations, shares, [])
    if source is None:
        return assume_renewals(find_alone(stations.values(), shares))
    if float(source.idc.max()) >= LEAST_BURSTY:
        return fit_bursts(source)
    return assume_renewals(float(np.median(source.idc)))


def find_alone(stations: Iterable[Station], shares: dict[str, float]) -> float | None:
    """The SCV at the operator that receives the whole external stream and nothing else; None where none does."""
    for one in stations:
        if shares[one.operator.name] == 1.0 and all(stream.source is None for stream in one.streams):
            return one.measured.arrival_scv
    return None


def assume_renewals(scv: float | None) -> ArrivalLaw:
    """Independent gaps with this SCV; None: Poisson."""
    if scv is None or abs(scv - 1.0) < POISSON_LIKE:
        return ArrivalLaw("poisson")
    return ArrivalLaw("deterministic") if scv < REGULAR else ArrivalLaw("gamma", scv=scv)


def fit_bursts(source: Source) -> ArrivalLaw:
    """The MMPP whose I(t) is nearest to the measured one by relative squares."""
    fits = [
        fit_height(source, float(tau)) for tau in np.geomspace(source.seconds[0], source.seconds[-1], TRIED)
    ]
    _, height, tau = min(fits)
    spread = max(height, 0.0) / (2.0 * source.rate * tau)  # of the rate: its variance over its mean squared
    part = min(USUAL_PART, 1.0 / (1.0 + spread))
    ratio = min(1.0 + sqrt(spread * (1.0 - part) / part), 1.0 / part)
    return ArrivalLaw("mmpp", ratio, part, tau / (1.0 - part))


def fit_height(source: Source, tau: float) -> tuple[float, float, float]:
    """The error of the best c at this τ, with both."""
    x: Floats = source.seconds / tau
    shape = (1.0 + np.expm1(-x) / x) / np.maximum(source.idc, 1.0)
    wanted = (source.idc - 1.0) / np.maximum(source.idc, 1.0)
    height = float(shape @ wanted / (shape @ shape))
    return float(np.sum((height * shape - wanted) ** 2)), height, tau
