"""Operators with a queue for each processor or with bursts, and their formulas in plain floats, for the tests."""

from collections.abc import Sequence
from itertools import pairwise
from math import exp, expm1, inf, sqrt

from hypothesis import strategies as st

from planner.queueing.queueings import EmittedBatch, Inflow
from planner.queueing.stations import NO_BOUND, Stations
from planner.values import IdcPoint, InstanceLoad

OWN = ("round-robin", "random", "keyed")
Cells = Sequence[tuple[float, float, float]]


def build(
    inflow: Inflow,
    load: float,
    *,
    mu: float = 2.0,
    scvs: tuple[float, float] = (1.0, 1.0),
    model: str = "ggk-whitt",
) -> Stations:
    """One operator."""
    return Stations([load * mu], [mu], [scvs[0]], [scvs[1]], [1], [NO_BOUND], model, [inflow])


def stretch(a: float, s: float, rho: float) -> float:
    """Krämer and Langenbach-Belz's factor of ρ/(1 − ρ)."""
    if a >= 1.0 or a + s < 1e-100:
        return (a + s) / 2.0
    return (a + s) / 2.0 * exp(-2.0 * (1.0 - rho) * (1.0 - a) ** 2 / (3.0 * rho * (a + s)))


def wait_alone(load: float, k: int, a: float, s: float, mu: float = 2.0) -> float:
    """W at one of k > 1 queues that share `load` ≥ 1 evenly."""
    rho = load / k
    return stretch(a, s, rho) * rho / (1.0 - rho) / mu


def deal(a: float, k: int, senders: float, arrivals: float) -> float:
    """What one of k instances sees of arrivals of dispersion a."""
    y = 6.0 * arrivals / (senders * (k + 1))
    return a / k + (1.0 - 1.0 / senders) ** 2 * (1.0 - 1.0 / k) * -expm1(-y) / y


def find_longest(cells: Cells, s: float, free: float, nu: float) -> float:
    """Robust queueing's value, by a fine search over every cell of (from, to, I)."""
    best = 0.0
    for low, high, idc in cells:
        c = idc + s
        top = min(max(c / (2.0 * free * free), nu * low), nu * high)
        best = max(best, sqrt(2.0 * top * c) - free * top)
        for i in range(50):
            x = nu * (low + (min(high, 1e6) - low) * i / 50)
            best = max(best, sqrt(2.0 * x * c) - free * x)
    return best


def cut(seconds: Sequence[float], idc: Sequence[float]) -> list[tuple[float, float, float]]:
    """Cells around lengths an octave apart: from and to in seconds, and I."""
    between = [sqrt(one * two) for one, two in pairwise(seconds)]
    return list(zip([0.0, *between], [*between, inf], idc, strict=True))


@st.composite
def inflows(draw: st.DrawFn, queueing: str) -> Inflow:
    """Any inflow, plausible or not: odd curves, few senders or many, batches, measured instances."""
    levels = st.lists(st.floats(0.0, 50.0), min_size=2, max_size=9)

    def curve() -> tuple[IdcPoint, ...]:
        if draw(st.booleans()):
            return ()
        first = draw(st.floats(0.05, 5.0))
        return tuple([IdcPoint(first * 2.0**i, level) for i, level in enumerate(draw(levels))])

    idc = curve()
    batches = (EmittedBatch(0.6, draw(st.floats(1.1, 20.0))),) if draw(st.booleans()) else ()
    if queueing == "shared" and not idc:
        return Inflow()
    capacity = draw(st.sampled_from([inf, inf, 100.0]))
    instances: tuple[InstanceLoad, ...] = ()
    if queueing == "keyed" and draw(st.booleans()):
        weights = sorted(draw(st.lists(st.floats(0.1, 3.0), min_size=2, max_size=6)), reverse=True)
        scv = st.sampled_from([None, 0.5, 3.0])
        instances = tuple(
            [InstanceLoad(str(i), one / sum(weights), draw(scv), curve()) for i, one in enumerate(weights)]
        )
    root_batch = draw(st.sampled_from([1.0, 2.5])) if queueing == "keyed" else 1.0
    senders = draw(st.sampled_from([1.0, 1.5, 4.0, 200.0]))
    found = Inflow(queueing, senders, idc, instances, capacity, batches, root_batch)
    return found._replace(running=draw(st.sampled_from([inf, inf, 2.0, 8.0])))
