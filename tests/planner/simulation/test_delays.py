"""Delays that keep no processor busy: every visit takes them, and no queue does."""

import pytest

from planner.simulation.delays import add_delays
from planner.simulation.simulate import simulate, simulate_visits
from planner.simulation.system import OUTSIDE, Link, build_system
from planner.values import Edge, Load, Operator, OperatorLoad, Topology

LOAD = Load(20.0, {"a": OperatorLoad(30.0), "b": OperatorLoad(50.0)})
EDGES = (Edge("a", "b", 2.0),)


def build(delay: float, queueing: str = "shared") -> Topology:
    return Topology((Operator("a", delay_seconds=delay), Operator("b", queueing=queueing)), EDGES)


def test_a_delay_stands_behind_its_operator() -> None:
    system = build_system(build(0.5), LOAD, {"a": 1, "b": 2}, {}, {})
    delayed = add_delays(system)
    assert delayed.operators == system.stations
    assert set(delayed.links) == {Link(OUTSIDE, 0, 1.0), Link(0, 2, 1.0), Link(2, 1, 2.0)}
    assert (delayed.order, delayed.visits) == ((0, 2, 1), (1.0, 2.0, 1.0))
    assert add_delays(build_system(build(0.0), LOAD, {"a": 1, "b": 2}, {}, {})).delayed == ()


@pytest.mark.parametrize("capacity", [{}, {"b": 10_000}])  # without events, and with them
def test_a_delay_adds_its_seconds_and_keeps_no_processor_busy(capacity: dict[str, int]) -> None:
    processors = {"a": 1, "b": 2}
    plain, late = (
        simulate(build(delay), LOAD, processors, roots=60_000, capacities=capacity) for delay in (0.0, 0.5)
    )
    assert [one.name for one in late.operators] == ["a", "b"]
    assert late.total.mean_seconds - plain.total.mean_seconds == pytest.approx(0.5, abs=0.01)
    assert late.completion.mean_seconds - plain.completion.mean_seconds == pytest.approx(0.5, abs=0.01)
    assert late.operators[0].utilisation == pytest.approx(plain.operators[0].utilisation, rel=0.02)
    assert late.operators[0].sojourn_seconds - late.operators[0].wait_seconds > 0.5
    assert late.operators[1].wait_seconds == pytest.approx(plain.operators[1].wait_seconds, rel=0.1)


def test_a_log_of_visits_has_operators_alone() -> None:
    assert set(simulate_visits(build(0.5), LOAD, {"a": 1, "b": 2}, roots=100).operator.tolist()) == {0, 1}
