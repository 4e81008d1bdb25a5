"""The log of visits, as an engine would write it."""

import numpy as np
import pytest

from planner.simulation.simulate import simulate_visits
from tests.planner.simulation.systems import UNREACHED, build_mixed


@pytest.mark.parametrize(
    "capacities", [{}, {"a": UNREACHED}, {"d": 1}], ids=["by station", "by event", "bounded"]
)
def test_a_log_is_one_that_an_engine_could_have_written(capacities: dict[str, int]):
    topology, load, processors = build_mixed()
    log = simulate_visits(topology, load, processors, roots=3_000, capacities=capacities)
    assert np.all(np.diff(log.arrived_seconds) >= 0.0)
    assert np.all(log.started_seconds >= log.arrived_seconds)
    assert np.all(log.arrived_seconds >= log.root_arrived_seconds[log.root])
    assert len(log.root_arrived_seconds) == 3_000
    for operator, one in enumerate(topology.operators):
        for instance in range(processors[one.name]):
            picked = (log.operator == operator) & (log.instance == instance)
            begin, end = log.started_seconds[picked], log.finished_seconds[picked]
            order = np.argsort(begin, kind="stable")
            assert np.all(begin[order][1:] >= end[order][:-1])  # an instance serves one tuple at a time
            assert len(begin) > 100
    keyed = log.operator == 2
    for root in range(100):
        assert len(set(log.instance[keyed & (log.root == root)].tolist())) <= 1
