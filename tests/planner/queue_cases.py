"""One operator as a queue, for the tests of the queueing room: cases of every size, and waits in forty digits."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import mpmath

from planner.queueing.array_queues import ArrayQueues
from planner.queueing.stations import NO_BOUND, Stations
from planner.values import Model

MODELS: tuple[Model, ...] = ("mmk", "ggk", "ggk-whitt")
SCVS = ((1.0, 1.0), (0.0, 0.5), (0.5, 0.0), (0.3, 0.4), (0.3, 2.0), (2.0, 0.1), (3.0, 2.0), (0.7, 0.7))
mpmath.mp.dps = 40


@dataclass(frozen=True)
class Case:
    """λ, μ and k of one operator."""

    arrival_rate: float
    service_rate: float
    processors: int


def read_arrays(stations: Stations) -> ArrayQueues:
    """The arrays of operators that all have one queue."""
    arrays = stations.arrays
    assert isinstance(arrays, ArrayQueues)
    return arrays


def build_case(utilisation: float, processors: int, service_rate: float = 0.37) -> Case:
    return Case(utilisation * processors * service_rate, service_rate, processors)


# every order of magnitude of k; barely stable, at square-root slack, in the far tail, nearly idle
CASES = [
    build_case(utilisation, k)
    for k, utilisations in {
        1: (1 - 1e-9, 0.5, 1e-6),
        2: (1 - 1e-9, 0.8, 0.01),
        13: (1 - 1e-9, 0.8, 0.1),
        34: (0.999999, 0.8, 0.05),
        127: (1 - 1e-9, 0.9, 0.3),
        128: (1 - 1e-9, 0.9, 0.3),
        1_000: (1 - 1e-9, 0.97, 0.5),
        30_000: (1 - 1e-9, 0.99, 0.9),
        99_999: (1 - 1e-9, 0.995, 0.97),
        100_001: (1 - 1e-9, 0.995, 0.97),
        2_162_265: (1 - 1e-9, 2155648.0417733835 / 2162265),
        10**9: (1 - 1e-9, 1 - 3e-5, 1 - 2e-4),
    }.items()
    for utilisation in utilisations
]


@cache
def reference_b(case: Case, k: int) -> mpmath.mpf:
    """1/B = Σ_j k!/((k−j)!·A^j) in integers scaled by 2^220, A an exact fraction."""
    load = Fraction(case.arrival_rate) / Fraction(case.service_rate)
    up, down = load.denominator, load.numerator
    term = 1 << 220
    total = j = 0
    while j <= k and (term << 130) > total:
        total += term
        term = term * (k - j) * up // down
        j += 1
    return mpmath.mpf(1 << 220) / total


def reference_wait(case: Case, k: int, a: float, s: float, model: Model) -> mpmath.mpf:
    """v·C/(kμ − λ), as the formulas are printed."""
    arrival, mu = mpmath.mpf(case.arrival_rate), mpmath.mpf(case.service_rate)
    b, rho = reference_b(case, k), arrival / (k * mu)
    wait = b / (1 - rho * (1 - b)) / (k * mu - arrival)
    return wait * reference_v(mpmath.mpf(a), mpmath.mpf(s), rho, k, model)


def reference_v(a: mpmath.mpf, s: mpmath.mpf, rho: mpmath.mpf, k: int, model: Model) -> mpmath.mpf:
    """Whitt (1993), in the words of the paper."""
    if model != "ggk-whitt":
        return mpmath.mpf(1) if model == "mmk" else (a + s) / 2
    gamma = min(mpmath.mpf("0.24"), (1 - rho) * (k - 1) * (mpmath.sqrt(4 + 5 * k) - 2) / (16 * k * rho))
    phi1, phi3 = 1 + gamma, (1 - 4 * gamma) * mpmath.exp(-2 * (1 - rho) / (3 * rho))
    psi = 1 if (a + s) / 2 >= 1 else min(1, (phi1 + phi3) / 2) ** (2 - a - s)
    if a >= s:
        phi = 4 * (a - s) / (4 * a - 3 * s) * phi1 + s / (4 * a - 3 * s) * psi
    else:
        phi = (s - a) / (2 * a + 2 * s) * phi3 + (s + 3 * a) / (2 * a + 2 * s) * psi
    return phi * (a + s) / 2


def relative_error(value: float, reference: mpmath.mpf) -> float:
    return float(abs(mpmath.mpf(value) / reference - 1))


def build_station(case: Case, a: float, s: float, model: Model) -> Stations:
    return Stations([case.arrival_rate], [case.service_rate], [a], [s], [1], [NO_BOUND], model)
