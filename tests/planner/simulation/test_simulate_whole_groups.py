"""Whole key groups: the simulation deals by itself, and E[T] of the formulas is near it."""

import pytest

from planner.simulation.simulate import simulate
from planner.simulation.system import cumulate_shares
from planner.situations.situation import estimate
from planner.values import Load, Operator, OperatorLoad, Topology

SKEWED = tuple((place + 1.0) ** -0.8 for place in (3, 7, 0, 9, 5, 11, 2, 8, 6, 1, 10, 4))
SHARES = tuple(one / sum(SKEWED) for one in SKEWED)


@pytest.mark.parametrize("shares", [(), SHARES])
@pytest.mark.parametrize("count", [7, 9])
@pytest.mark.parametrize("rule", ["contiguous", "round-robin"])
def test_e_t_of_whole_groups_is_near_the_simulated_one(shares: tuple[float, ...], count: int, rule: str):
    operator = Operator("a", queueing="keyed", max_parallelism=12, group_assignment=rule)
    measured = OperatorLoad(10.0, group_shares=shares)
    hottest = max(
        high - low
        for ends in [cumulate_shares(operator, measured, count)]
        for low, high in zip((0.0, *ends), ends, strict=False)
    )
    topology, load = Topology((operator,)), Load(7.5 / hottest, {"a": measured})
    modelled = estimate(topology, load, {"a": count})
    assert modelled.operators[0].hottest_share == pytest.approx(hottest)
    simulated = simulate(topology, load, {"a": count}, roots=400_000, seed=5)
    assert modelled.expected_sojourn_seconds == pytest.approx(simulated.total.mean_seconds, rel=0.05)
