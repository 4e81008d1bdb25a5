"""The secant for θ: it ends at the root of any falling curve, and plans of any size come from it quickly enough."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.allocation.greedy_state import MOST_STEPS, ThetaSecant, compare_waiting
from planner.plans.optimal import min_processors
from planner.values import Load, Operator, OperatorLoad, Topology


@given(st.floats(-20.0, 20.0), st.floats(-20.0, 20.0), st.floats(0.1, 3.0))
def test_a_power_law_is_solved_from_anywhere(start: float, root: float, slope: float):
    secant, log_theta = ThetaSecant(), start
    for _ in range(MOST_STEPS):
        ratio = slope * (log_theta - root)
        if abs(ratio) < 1e-9:
            break
        log_theta = secant.step(log_theta, ratio)
    assert log_theta == pytest.approx(root, abs=1e-6)


def test_near_means_some_steps_per_operator():
    assert compare_waiting(10.0, 9.0, 1.0, 1) is None
    assert compare_waiting(10.0, 1.0, 5.0, 1) == pytest.approx(log(10.0))  # ten times as much is far
    assert compare_waiting(10.0, 9.0, 0.1, 1) == pytest.approx(log(10.0 / 9.0))  # many small steps
    assert compare_waiting(10.0, 1.0, 0.0, 1) is None  # no step leads on


@pytest.mark.parametrize("queueing", ["round-robin", "random", "keyed"])
@pytest.mark.parametrize("rate", [1e3, 1e7])
def test_the_fewest_of_one_operator_are_those_that_a_bisection_finds(queueing: str, rate: float):
    topology = Topology((Operator("a", queueing=queueing),))
    load = Load(rate, {"a": OperatorLoad(50.0, service_scv=0.5)})
    counts = []
    for seconds in (0.03, 0.022, 0.0201):
        plan = min_processors(topology, load, seconds)
        counts.append(plan.processors["a"])
        fewer = plan.explanation[0].one_fewer_seconds
        assert plan.estimate.expected_sojourn_seconds is not None
        assert plan.estimate.expected_sojourn_seconds <= seconds
        assert fewer is not None
        assert plan.estimate.expected_sojourn_seconds + fewer > seconds
    assert counts == sorted(counts)


def test_many_operators_with_queues_of_their_own_are_planned_for_a_tight_target():
    operators = tuple(Operator(f"o{i}", queueing="round-robin" if i % 3 else None) for i in range(120))
    load = Load(
        1e4, {one.name: OperatorLoad(5.0 + 3 * i, service_scv=i % 4) for i, one in enumerate(operators)}
    )
    topology = Topology(operators)
    loose = min_processors(topology, load, 30.0)
    for part in (1.5, 1.05):
        target = loose.lower_bound_seconds * part
        plan = min_processors(topology, load, target)
        assert plan.estimate.expected_sojourn_seconds is not None
        assert plan.estimate.expected_sojourn_seconds <= target
        cheapest = min(
            effect.one_fewer_seconds or 0.0 for effect in plan.explanation if effect.one_fewer_seconds
        )
        assert plan.estimate.expected_sojourn_seconds + cheapest > target
