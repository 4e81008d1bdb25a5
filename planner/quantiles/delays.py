"""How the waits of the tuples that wait spread around their mean.

Where the queue is shared they are exponential. At a queue of one server they are gamma, with the SCV of M/G/1,

    SCV = 2ρ − 1 + (1 − ρ)·4d/(3(1 + s)²),   d = E[S³]/E[S]³,   s = SCV of services     (Whitt 1983, QNA, eq. 51)

which is 1 where services are exponential. ρ is taken as USUAL_LOAD, because what is drawn of a wait must depend neither
on the processors nor on the load.
"""

import numpy as np

from planner.simulation.laws import Sampler, ServiceLaw, find_scv, make_sampler, read_histogram
from planner.values import SHARED, Queueing

USUAL_LOAD = 0.7
LEAST_SCV, LARGEST_SCV = 0.1, 1.5
"""Heavier tails were further from simulations: a long service delays all that wait behind it together."""
EXPONENTIAL = ServiceLaw("exponential", 1.0)


def make_delay_sampler(services: ServiceLaw, queueing: Queueing | None) -> Sampler:
    """Draws delays with mean 1."""
    if queueing in {None, SHARED} or services.kind == "exponential":
        return make_sampler(EXPONENTIAL)
    return make_sampler(ServiceLaw("gamma", 1.0, find_delay_scv(services)))


def find_delay_scv(services: ServiceLaw) -> float:
    """The SCV of the waits above 0 at one server."""
    s = find_scv(services)
    residual = 4.0 * find_third_moment(services) / (3.0 * (1.0 + s) ** 2)
    return min(max(2.0 * USUAL_LOAD - 1.0 + (1.0 - USUAL_LOAD) * residual, LEAST_SCV), LARGEST_SCV)


def find_third_moment(services: ServiceLaw) -> float:
    """E[S³]/E[S]³: of a histogram Σ pᵦ(low + high)(low² + high²)/4, of lognormal (1 + s)³, of gamma (1 + s)(1 + 2s)."""
    s = find_scv(services)
    if services.kind == "lognormal":
        return float((1.0 + s) ** 3)
    if services.kind != "histogram":
        return (1.0 + s) * (1.0 + 2.0 * s)
    bounds, reached = read_histogram(services)
    low, high, parts = bounds[:-1], bounds[1:], np.diff(reached)
    third = float(np.sum(parts * (low + high) * (low * low + high * high))) / 4.0
    return third / (float(np.sum(parts * (low + high))) / 2.0) ** 3
