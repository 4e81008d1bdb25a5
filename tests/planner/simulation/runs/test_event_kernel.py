"""The loop over events can be left and entered again at any event."""

import numpy as np
import pytest

from planner.simulation.results import VisitLog
from planner.simulation.runs import events
from planner.simulation.simulate import simulate_visits
from planner.values import Edge, Topology
from tests.planner.simulation.systems import UNREACHED, build_mixed, sort_log


def log_with_a_loop(capacities: dict[str, int]) -> VisitLog:
    topology, load, processors = build_mixed()
    returning = Topology(topology.operators, (*topology.edges, Edge("f", "a", 0.05)), topology.entries)
    return simulate_visits(returning, load, processors, roots=3_000, seed=5, capacities=capacities)


@pytest.mark.parametrize("capacities", [{}, {"b": 3, "d": 0}])
def test_a_small_log_and_few_items_change_nothing(
    capacities: dict[str, int], monkeypatch: pytest.MonkeyPatch
):
    whole = sort_log(log_with_a_loop(capacities))
    monkeypatch.setattr(events, "LOG_ROWS", 3)
    monkeypatch.setattr(events, "LOG_ROWS_OF_A_STATION", 1)
    monkeypatch.setattr(events, "FEWEST_ITEMS", 1)
    for column, same in zip(sort_log(log_with_a_loop(capacities)), whole, strict=True):
        assert np.array_equal(column, same)


def test_each_queue_is_served_in_order_of_arrival():
    topology, load, processors = build_mixed()
    log = simulate_visits(topology, load, processors, roots=3_000, capacities={"a": UNREACHED})
    for operator, one in enumerate(topology.operators):
        here = log.operator == operator
        for instance in [slice(None)] if one.queueing == "shared" else range(processors[one.name]):
            picked = here if isinstance(instance, slice) else here & (log.instance == instance)
            assert np.all(np.diff(log.started_seconds[picked]) >= 0.0)
