"""Throttled operators send less downstream: beside plain iteration."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import NoSteadyState
from planner.plans.tradeoff import tradeoff
from planner.situations.situation import survey_load
from planner.situations.throttle import throttle_flow
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology


@st.composite
def networks(draw: st.DrawFn) -> tuple[Topology, Load]:
    """Up to five operators with bounds, edges both ways that keep every gain well below 1."""
    names = [f"o{i}" for i in range(draw(st.integers(1, 5)))]
    most = 0.9 / len(names)
    edges = [
        Edge(one, other, draw(st.floats(0.0, most if names.index(other) <= names.index(one) else 1.5)))
        for one in names
        for other in names
        if draw(st.booleans())
    ]
    operators = tuple(Operator(name, max_processors=draw(st.sampled_from([None, 1, 2, 3]))) for name in names)
    load = Load(draw(st.floats(0.5, 20.0)), {name: OperatorLoad(draw(st.floats(1.0, 9.0))) for name in names})
    entries = (Entry(names[0]), Entry(names[-1], 0.5)) if names[1:] else (Entry(names[0]),)
    return Topology(operators, tuple(edges), entries), load


def iterate_flow(topology: Topology, load: Load) -> list[float]:
    """λ = λ0·e + Gᵀ min(λ, c), by going round until nothing moves."""
    names = [operator.name for operator in topology.operators]
    capacities = np.array(
        [
            (one.max_processors or 10**9) * (load.operators[one.name].service_rate or 0.0)
            for one in topology.operators
        ]
    )
    gains = np.zeros((len(names), len(names)))
    for edge in topology.edges:
        gains[names.index(edge.source), names.index(edge.target)] = edge.selectivity
    entering = np.zeros(len(names))
    for entry in topology.entries:
        entering[names.index(entry.operator)] += entry.share * load.external_rate
    rates = entering
    for _ in range(3000):
        rates = entering + gains.T @ np.minimum(rates, capacities)
    return [float(rate) for rate in rates]


@given(networks())
@settings(max_examples=60)
def test_what_is_throttled_upstream_arrives_throttled_downstream(case: tuple[Topology, Load]):
    topology, load = case
    try:
        situation = survey_load(topology, load, "mmk")
    except NoSteadyState:
        return
    settled, throttled = throttle_flow(situation)
    expected = iterate_flow(topology, load)
    assert list(settled.stations.arrival_rate) == pytest.approx(expected, rel=1e-9)
    plan = tradeoff(topology, load, 0.3)
    assert set(plan.estimate.unstable_operators) == set(throttled)
    assert plan.estimate.stable == (not throttled)


def test_an_operator_behind_a_throttled_one_needs_fewer():
    names = ("source", "sink")
    free = Topology(tuple(map(Operator, names)), (Edge("source", "sink"),), (Entry("source"),))
    load = Load(100.0, {"source": OperatorLoad(10.0), "sink": OperatorLoad(10.0)})
    held = replace(free, operators=(Operator("source", max_processors=4), Operator("sink")))
    assert tradeoff(free, load, 0.5).processors["sink"] > 10
    plan = tradeoff(held, load, 0.5)
    assert plan.processors["source"] == 4
    assert plan.estimate.operators[1].arrival_rate == 40.0
    assert (
        plan.processors["sink"] == tradeoff(free, replace(load, external_rate=40.0), 0.5).processors["sink"]
    )
    assert "throttled" in [said.code for said in plan.estimate.diagnostics]


def test_a_measured_rate_is_throttled_in_proportion():
    names = ("source", "sink")
    held = Topology(
        (Operator("source", max_processors=4), Operator("sink")),
        (Edge("source", "sink"),),
        (Entry("source"),),
    )
    operators = {"source": OperatorLoad(10.0), "sink": OperatorLoad(10.0, arrival_rate=120.0)}
    settled, _ = throttle_flow(survey_load(held, Load(100.0, operators), "mmk"))
    assert dict(zip(names, settled.stations.arrival_rate, strict=True))["sink"] == pytest.approx(48.0)
