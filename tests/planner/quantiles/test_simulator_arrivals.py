"""The law of arrivals that simulations inside plans take: the one that the measurements come from."""

from dataclasses import replace
from math import expm1

import pytest

from planner.quantiles.simulator import assume_arrivals
from planner.simulation.arrivals import ArrivalLaw
from planner.situations.situation import survey_load
from planner.values import Edge, Entry, IdcPoint, Load, Operator, OperatorLoad, Topology

CHAIN = Topology((Operator("a"), Operator("b")), (Edge("a", "b"),), (Entry("a"),))
RATE = 100.0


def make_load(arrival_scv: float | None = None, arrival_idc: tuple[IdcPoint, ...] = ()) -> Load:
    first = OperatorLoad(50.0, arrival_scv=arrival_scv, arrival_idc=arrival_idc, processors=3)
    return Load(RATE, {"a": first, "b": OperatorLoad(60.0, processors=3)})


def assume(load: Load, topology: Topology = CHAIN) -> ArrivalLaw:
    return assume_arrivals(survey_load(topology, load, "mmk"))


def list_points(law: ArrivalLaw) -> tuple[IdcPoint, ...]:
    """I(t) of an MMPP at dyadic lengths of time (Fischer and Meier-Hellstern 1993, eq. 13)."""
    part, ratio = law.burst_share, law.burst_ratio
    tau = (1.0 - part) * law.mean_burst_seconds
    height = 2.0 * RATE * tau * part * (ratio - 1.0) ** 2 / (1.0 - part)
    seconds = [0.02 * 2.0**n for n in range(14)]
    return tuple(IdcPoint(t, 1.0 + height * (1.0 + expm1(-t / tau) * tau / t)) for t in seconds)


@pytest.mark.parametrize(
    ("scv", "law"),
    [
        (None, ArrivalLaw("poisson")),
        (1.05, ArrivalLaw("poisson")),
        (0.01, ArrivalLaw("deterministic")),
        (0.4, ArrivalLaw("gamma", scv=0.4)),
    ],
)
def test_without_bursts_gaps_are_independent_with_the_measured_scv(scv: float | None, law: ArrivalLaw):
    assert assume(make_load(arrival_scv=scv)) == law
    if scv is not None:
        points = tuple(IdcPoint(0.02 * 2.0**n, scv) for n in range(8))
        assert assume(make_load(arrival_scv=1.0, arrival_idc=points)) == law


@pytest.mark.parametrize("seconds", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("ratio", [2.0, 4.5])
def test_bursts_are_found_again(seconds: float, ratio: float):
    law = ArrivalLaw("mmpp", ratio, 0.2, seconds)
    found = assume(make_load(arrival_idc=list_points(law)))
    assert found.kind == "mmpp"
    assert found.burst_share == 0.2
    assert found.burst_ratio == pytest.approx(ratio, rel=0.1)
    assert found.mean_burst_seconds == pytest.approx(seconds, rel=0.15)


def test_a_rate_that_varies_more_than_usual_bursts_can_has_rarer_ones():
    found = assume(make_load(arrival_idc=list_points(ArrivalLaw("mmpp", 18.0, 0.05, 1.0))))
    assert found.burst_share < 0.1
    assert found.burst_ratio * found.burst_share <= 1.0


def test_what_returns_says_nothing_of_gaps():
    loop = replace(CHAIN, edges=(*CHAIN.edges, Edge("b", "a", 0.2)))
    assert assume(make_load(arrival_scv=0.3), loop) == ArrivalLaw("poisson")
