"""Calibrated at one load, asked at another rate and with other processors: beside simulations."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import exp

import pytest

from planner.calibration.calibrate import apply_factors, calibrate
from planner.calibration.modelled_waits import Interval
from planner.simulation.arrivals import ArrivalLaw
from planner.simulation.laws import ServiceLaw
from planner.simulation.results import Simulation
from planner.simulation.simulate import simulate
from planner.situations.situation import estimate
from planner.values import DEFAULT_MODEL, Edge, IdcPoint, Load, Operator, OperatorLoad, Queueing, Topology

RATE, ROOTS = 100.0, 400_000
COUNTS = {"parse": 4, "score": 6}
MEANS = {"parse": 0.032, "score": 0.022}
# No model knows these: an operator of varying services, of which no SCV is measured.
LAWS = {name: ServiceLaw("lognormal", mean, 3.0) for name, mean in MEANS.items()}
BURSTS = ArrivalLaw("mmpp", burst_ratio=1.8, burst_share=0.2, mean_burst_seconds=0.4)


def wire(queueing: Queueing) -> Topology:
    """A chain in which each tuple makes two for the second operator."""
    return Topology(
        (Operator("parse", queueing=queueing), Operator("score", queueing=queueing)),
        (Edge("parse", "score", 2.0),),
    )


def find_idc(seconds: float) -> float:
    """I(t) = 1 + 2σ²/(λr)·(1 − (1 − e^(−rt))/(rt)) of a Poisson process whose rate jumps, exactly."""
    low = RATE * (1.0 - BURSTS.burst_ratio * BURSTS.burst_share) / (1.0 - BURSTS.burst_share)
    variance = BURSTS.burst_share * (1.0 - BURSTS.burst_share) * (BURSTS.burst_ratio * RATE - low) ** 2
    jumps = 1.0 / BURSTS.mean_burst_seconds / (1.0 - BURSTS.burst_share)
    part = 1.0 - (1.0 - exp(-jumps * seconds)) / (jumps * seconds)
    return 1.0 + 2.0 * variance / (RATE * jumps) * part


def describe(rate: float, counts: Mapping[str, int], *, bursty: bool) -> Load:
    """The load without its waits."""
    points = tuple([IdcPoint(0.02 * 2**at, find_idc(0.02 * 2**at)) for at in range(12)]) if bursty else ()
    operators = {name: OperatorLoad(1.0 / mean, processors=counts[name]) for name, mean in MEANS.items()}
    operators["parse"] = operators["parse"]._replace(arrival_idc=points)
    return Load(rate, operators)


def compare(queueing: Queueing, asks: Sequence[tuple[float, int]], *, bursty: bool) -> tuple[float, float]:
    """The mean |error| of E[T] with other rates (as a factor) and more processors: as modelled, and calibrated."""
    topology, arrivals = wire(queueing), BURSTS if bursty else ArrivalLaw()

    def run(rate: float, counts: Mapping[str, int]) -> Simulation:
        load = describe(rate, counts, bursty=bursty)
        return simulate(topology, load, counts, roots=ROOTS, arrivals=arrivals, services=LAWS)

    plain = describe(RATE, COUNTS, bursty=bursty)
    waits = {one.name: one.wait_seconds for one in run(RATE, COUNTS).operators}
    operators = {
        name: one._replace(measured_wait_seconds=waits[name]) for name, one in plain.operators.items()
    }
    measured = replace(plain, operators=operators)
    found = calibrate(topology, measured, [Interval(measured, seconds=ROOTS / RATE)], DEFAULT_MODEL)
    calibrated = apply_factors(measured, found)
    errors = []
    for factor, more in asks:
        counts = {name: count + more for name, count in COUNTS.items()}
        truth = run(RATE * factor, counts).total.mean_seconds
        told = [
            estimate(topology, replace(load, external_rate=RATE * factor), counts).expected_sojourn_seconds
            for load in (plain, calibrated)
        ]
        errors.append([abs((seconds or 0.0) / truth - 1.0) for seconds in told])
    before, after = (sum(found) / len(found) for found in zip(*errors, strict=True))
    return before, after


@pytest.mark.parametrize("queueing", ["shared", "round-robin", "random"])
def test_what_calm_arrivals_taught_holds_at_other_rates_and_with_more_processors(queueing: Queueing):
    before, after = compare(queueing, [(0.8, 0), (1.1, 0), (1.0, 1), (1.0, 2)], bursty=False)
    assert after <= 0.07
    assert before > 0.15


@pytest.mark.parametrize("queueing", ["shared", "random"])
def test_what_bursts_taught_holds_at_other_rates(queueing: Queueing):
    before, after = compare(queueing, [(0.8, 0), (1.1, 0)], bursty=True)
    assert after <= 0.09
    assert before > 0.13
