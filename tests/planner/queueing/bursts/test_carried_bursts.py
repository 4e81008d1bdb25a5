from math import erf, exp, log, pi, sqrt

import numpy as np
import pytest

from planner.queueing.bursts.carried_bursts import carry_bursts, keep
from planner.queueing.instances.inflows import find_stations
from planner.topology.flow import measure_flow
from planner.values import Edge, Entry, IdcPoint, Load, Operator, OperatorLoad, Topology

RATE, COUNTS, SCV = 10.0, {"a": 4, "b": 5, "c": 3, "d": 9}, {"a": 0.5, "b": 2.0, "c": 1.0, "d": 1.0}
MU = {"a": 3.0, "b": 1.5, "c": 4.0, "d": 2.0}
EDGES = (Edge("a", "b", 0.6), Edge("a", "c", 0.4), Edge("b", "d", 1.3), Edge("c", "d", 1.0))
POINTS = tuple([IdcPoint(0.05 * 2.0**i, 1.0 + 0.5 * i) for i in range(14)])


def describe(queueing: str) -> tuple[Topology, Load]:
    operators = {
        name: OperatorLoad(MU[name], service_scv=SCV[name], processors=COUNTS[name]) for name in COUNTS
    }
    operators["a"] = operators["a"]._replace(arrival_idc=POINTS)
    return Topology(
        tuple([Operator(name, queueing=queueing) for name in COUNTS]), EDGES, (Entry("a"),)
    ), Load(RATE, operators)


def keep_plainly(x: float) -> float:
    if x > 200.0:
        return 1.0 - 0.5 / x
    root, density = sqrt(x), exp(-x / 2.0) / sqrt(2.0 * pi)
    inner = erf(root / sqrt(2.0))
    return ((x * x + 2.0 * x - 1.0) * inner + 2.0 * density * root * (1.0 + x) - x * x) / (2.0 * x)


def carry_plainly(queueing: str, seconds: float, *, is_open: bool) -> dict[str, float]:
    """I(t) at one t, operator by operator in their order."""
    source = float(
        np.interp(log(seconds), [log(one.window_seconds) for one in POINTS], [one.idc for one in POINTS])
    )
    rates, amplitude, local, found = {"a": RATE}, {"a": 1.0}, {"a": 0.0}, {}
    for edge in EDGES:
        rates[edge.target] = rates.get(edge.target, 0.0) + rates[edge.source] * edge.selectivity
    for name, k in COUNTS.items():
        inflow = [edge for edge in EDGES if edge.target == name]
        if inflow:
            local[name] /= rates[name]
        found[name] = amplitude[name] ** 2 * RATE * source / rates[name] + local[name]
        rho = rates[name] / MU[name] / k
        servers = k if queueing == "shared" else 1
        seen = found[name] if queueing == "shared" else 1.0 + (found[name] - 1.0) / k
        x = (1.0 - rho) ** 2 * rates[name] * servers / k * seconds / (rho * max(seen + SCV[name], 0.05))
        kept = 1.0 if is_open else keep_plainly(max(x, 1e-9))
        left = kept * local[name] + (1.0 - kept) * (1.0 + (SCV[name] - 1.0) / sqrt(servers))
        for edge in EDGES:
            if edge.source == name:
                q, rest = edge.selectivity, edge.selectivity % 1.0
                amplitude[edge.target] = amplitude.get(edge.target, 0.0) + q * sqrt(kept) * amplitude[name]
                more = rates[name] * q * (q * left + rest * (1.0 - rest) / q)
                local[edge.target] = local.get(edge.target, 0.0) + more
    return found


@pytest.mark.parametrize("queueing", ["shared", "random"])
@pytest.mark.parametrize("is_open", [False, True])
def test_bursts_reach_every_operator_as_the_formulas_say(queueing: str, is_open: bool):  # noqa: FBT001
    topology, load = describe(queueing)
    stations = find_stations(topology, load, measure_flow(topology, load).arrival_rates)
    carried = carry_bursts(topology, load, stations, is_open=is_open)
    assert set(carried) == {"b", "c", "d"}
    for i, seconds in enumerate([one.window_seconds for one in carried["b"]]):
        expected = carry_plainly(queueing, seconds, is_open=is_open)
        for name, points in carried.items():
            assert points[i].idc == pytest.approx(expected[name], rel=1e-6), (name, seconds)


def test_what_was_measured_stays_and_nothing_comes_from_nothing():
    topology, load = describe("shared")
    rates = measure_flow(topology, load).arrival_rates
    known = Load(RATE, {name: one._replace(arrival_idc=POINTS) for name, one in load.operators.items()})
    calm = Load(RATE, {name: one._replace(arrival_idc=()) for name, one in load.operators.items()})
    for some in (known, calm):
        assert carry_bursts(topology, some, find_stations(topology, some, rates)) == {}


def test_an_operator_that_receives_next_to_nothing_says_nothing_of_the_stream():
    bursty = OperatorLoad(service_rate=10.0, arrival_idc=(IdcPoint(1.0, 4.0), IdcPoint(10.0, 8.0)))
    topology = Topology(
        (Operator("a"), Operator("b")), (Edge("a", "b"),), (Entry("a", 5e-324), Entry("b", 1.0))
    )
    load = Load(1.0, {"a": bursty, "b": OperatorLoad(service_rate=10.0)})
    rates = measure_flow(topology, load).arrival_rates
    assert carry_bursts(topology, load, find_stations(topology, load, rates)) == {}


def test_a_loop_settles():
    topology, load = describe("shared")
    loop = Topology(topology.operators, (*EDGES, Edge("d", "b", 0.2)), topology.entries)
    carried = carry_bursts(loop, load, find_stations(loop, load, measure_flow(loop, load).arrival_rates))
    assert all(0.0 <= point.idc < 100.0 for points in carried.values() for point in points)


def test_departures_keep_little_of_short_times_and_all_of_long_ones():
    kept = keep(np.array([1e-6, 0.1, 1.0, 10.0, 199.9, 200.1, 1e9]))
    assert np.all(np.diff(kept) > 0.0)
    assert kept.tolist() == pytest.approx(
        [keep_plainly(x) for x in (1e-6, 0.1, 1.0, 10.0, 199.9, 200.1, 1e9)], abs=1e-6
    )
    assert kept[-1] == pytest.approx(1.0)
